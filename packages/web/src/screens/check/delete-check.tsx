// Deletes a check, after saying what else is affected.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { call, callList } from '../../api/call.ts'
import { loadAll } from '../../api/load-all.ts'
import { formatList, formatNumberOf } from '../../core/format.ts'
import { DeleteDialog } from '../../forms/delete-dialog.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'

interface DeleteCheckProps {
  check: { id: string; name: string }
  isOpen: boolean
  onClose(): void
  onDeleted(): void
}

export function DeleteCheck({ check, isOpen, onClose, onDeleted }: DeleteCheckProps) {
  const queries = useQueryClient()
  return (
    <DeleteDialog
      what={`the check “${check.name}”`}
      isOpen={isOpen}
      onClose={onClose}
      onDelete={() => call('DELETE /v1/checks/{id}', { params: { id: check.id } })}
      onDeleted={() => {
        onClose()
        onDeleted()
        queries.removeQueries({ predicate: ({ queryKey: [, id] }) => id === check.id })
        void queries.invalidateQueries()
        showOutcome(`The check “${check.name}” is deleted.`)
      }}
    >
      <p>All its results, files, alerts and error groups are deleted with it. It can’t be undone.</p>
      {isOpen && <Affected id={check.id} />}
    </DeleteDialog>
  )
}

/** What uses the check: by its id, or by a tag that only it may have. */
function Affected({ id }: { id: string }) {
  const { data } = useQuery({ queryKey: ['affected', id], queryFn: ({ signal }) => readAffected(id, signal) })
  if (data === undefined)
    return (
      <p className="muted-text" role="status">
        Looking for what uses it…
      </p>
    )
  if (data.length === 0) return <p className="muted-text">Nothing else uses it.</p>
  return (
    <ul className="affected">
      {data.map((line) => (
        <li key={line}>{line}</li>
      ))}
    </ul>
  )
}

async function readAffected(id: string, signal: AbortSignal): Promise<string[]> {
  const check = await call('GET /v1/checks/{id}', { params: { id } }, signal)
  const hasTag = (tags: readonly string[]) => tags.some((tag) => check.tags.includes(tag))
  const serviceId = 'triggerIncident' in check ? check.triggerIncident?.serviceId : undefined
  // What can't be read isn't shown: the dialog doesn't wait for it.
  const orNothing = <T,>(reading: Promise<T>) => reading.catch(() => null)
  const [trigger, service, dashboards, windows] = await Promise.all([
    orNothing(call('GET /v1/triggers/checks/{checkId}', { params: { checkId: id } }, signal)),
    serviceId === undefined
      ? null
      : orNothing(call('GET /v1/status-pages/services/{serviceId}', { params: { serviceId } }, signal)),
    orNothing(loadAll((page) => callList('GET /v1/dashboards', { query: { limit: 100, page } }, signal))),
    orNothing(
      loadAll((page) => callList('GET /v1/maintenance-windows', { query: { limit: 100, page } }, signal)),
    ),
  ])
  const channels = (check.alertChannelSubscriptions ?? []).filter(({ activated }) => activated).length
  const shownOn = (dashboards ?? [])
    .filter(({ tags }) => tags.length > 0 && hasTag(tags))
    .map(({ header, dashboardId }) => header ?? dashboardId)
  const paused = (windows ?? []).filter(({ tags }) => hasTag(tags ?? [])).map(({ name }) => name)
  return [
    ...(channels > 0 ? [`${formatNumberOf(channels, 'alert channel')} no longer hears of it.`] : []),
    ...(trigger === null ? [] : ['Its trigger URL stops working: scripts that call it fail.']),
    ...(service === null ? [] : [`It no longer opens incidents of the service “${service.name}”.`]),
    ...(shownOn.length > 0 ? [`It disappears from ${formatList(shownOn)}.`] : []),
    ...(paused.length > 0 ? [`Maintenance windows by tag: ${formatList(paused)}.`] : []),
  ]
}
