// A maintenance window, or a new one.
import './maintenance.css'
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { resourceAsTerraform } from '@vedette/as-code/resource-as-terraform'
import { resourcesAsConstructs } from '@vedette/as-code/resources-as-constructs'
import { windowAsCurl } from '@vedette/as-code/window-code'
import { useState } from 'react'
import { Link, useLocation } from 'wouter'
import { basePath } from '../../api/base-path.ts'
import { call } from '../../api/call.ts'
import { useSession } from '../../api/session.tsx'
import { ownTimezone } from '../../core/zoned-time.ts'
import { DeleteDialog } from '../../forms/delete-dialog.tsx'
import { maintenanceWindowBody, maintenanceWindowProblems } from '../../forms/schemas/maintenance-window.ts'
import { useForm } from '../../forms/use-form.ts'
import { ActionButton } from '../../parts/button.tsx'
import { CodeButton } from '../../parts/code-dialog.tsx'
import { NotFound } from '../../parts/not-found.tsx'
import { ProjectBadge } from '../../parts/project-badge.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { Failure, FirstLoad, isNotFound } from '../../parts/states.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import { type Window, windowsKey } from './use-windows.ts'
import { WindowForm, type WindowValues } from './window-form.tsx'

const trail = <Link href="/maintenance">Maintenance</Link>
const load = (id: number, signal?: AbortSignal) =>
  call('GET /v1/maintenance-windows/{id}', { params: { id } }, signal)

/** Null: a new one. */
export function Screen({ id }: { id: number | null }) {
  return id === null ? <NewWindow /> : <StoredWindow id={id} />
}

const hourMs = 3_600_000

/** From the next full hour on, for an hour. */
function newValues(): WindowValues {
  const start = Math.ceil(Date.now() / hourMs) * hourMs
  return {
    ...{ name: '', tags: [], pauseAllChecks: false, silenceAllAlerts: false, silenceAlertsTags: [] },
    ...{ startsAt: new Date(start).toISOString(), endsAt: new Date(start + hourMs).toISOString() },
    ...{ repeatInterval: null, repeatUnit: null, repeatEndsAt: null, timezone: ownTimezone() },
    ...{ description: null, statusPageVisibility: null },
  }
}

function NewWindow() {
  const [, navigate] = useLocation()
  const queries = useQueryClient()
  const [initial] = useState(newValues)
  const form = useForm<WindowValues>({
    key: 'maintenance/new',
    saved: initial,
    problemsOf: maintenanceWindowProblems,
    save: async (values) => {
      await call('POST /v1/maintenance-windows', { body: maintenanceWindowBody(values) })
      await queries.invalidateQueries({ queryKey: windowsKey })
    },
  })
  return (
    <ScreenFrame title="Plan maintenance" trail={trail}>
      <WindowForm
        form={form}
        isNew
        onSaved={() => {
          showOutcome('The maintenance is planned.')
          navigate('/maintenance')
        }}
      />
    </ScreenFrame>
  )
}

function StoredWindow({ id }: { id: number }) {
  const { data, error, refetch } = useQuery({
    queryKey: [...windowsKey, id],
    queryFn: ({ signal }) => load(id, signal),
  })
  if (data !== undefined) return <Loaded window={data} />
  if (isNotFound(error)) return <NotFound what="This maintenance window" />
  return (
    <ScreenFrame title="Maintenance window" trail={trail}>
      {error ? <Failure what="The maintenance window" error={error} onRetry={refetch} /> : <FirstLoad />}
    </ScreenFrame>
  )
}

function valuesOf(window: Window): WindowValues {
  const { id: _, created_at: _created, updated_at: _updated, ...rest } = window
  const {
    project: _project,
    logicalId: _logicalId,
    projectBindings: _bindings,
    drifted: _drifted,
    ...values
  } = rest
  return values
}

function Loaded({ window }: { window: Window }) {
  const { id } = window
  const { account, denialOf } = useSession()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const [isDeleting, setDeleting] = useState(false)
  const form = useForm<WindowValues>({
    key: `maintenance/${id}`,
    saved: valuesOf(window),
    problemsOf: maintenanceWindowProblems,
    reload: async () => valuesOf(await load(id)),
    save: async (values) => {
      await call('PUT /v1/maintenance-windows/{id}', { params: { id }, body: maintenanceWindowBody(values) })
      await queries.invalidateQueries({ queryKey: windowsKey })
    },
  })
  return (
    <ScreenFrame
      title={window.name}
      trail={trail}
      actions={
        <>
          <CodeButton
            blocks={() => [
              {
                title: 'TypeScript construct',
                text: resourcesAsConstructs({ maintenanceWindows: [window] }),
              },
              {
                title: 'Terraform',
                text: resourceAsTerraform('maintenance-window', window, window.name) ?? '',
              },
              {
                title: 'curl',
                text: windowAsCurl(window, { origin: location.origin + basePath, accountId: account.id }),
              },
            ]}
          />
          <ActionButton look="danger" denial={denialOf('READ_WRITE')} onPress={() => setDeleting(true)}>
            Delete
          </ActionButton>
        </>
      }
    >
      <ProjectBadge {...window} />
      <WindowForm
        form={form}
        isNew={false}
        onSaved={() => showOutcome('The maintenance window was saved.')}
      />
      <DeleteDialog
        what={`the maintenance window “${window.name}”`}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onDelete={() => call('DELETE /v1/maintenance-windows/{id}', { params: { id } })}
        onDeleted={() => {
          void queries.invalidateQueries({ queryKey: windowsKey })
          showOutcome('The maintenance window was deleted.')
          navigate('/maintenance')
        }}
      >
        <p>If it is open, checks that it pauses run again at once, and their alerts are sent.</p>
      </DeleteDialog>
    </ScreenFrame>
  )
}
