// Changes a stored check.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { useRef } from 'react'
import { Link, useLocation } from 'wouter'
import { call } from '../../api/call.ts'
import type { Check } from '../../api/types.ts'
import { typeLabels } from '../../core/states.ts'
import { type CheckFields, typeFormOf } from '../../forms/schemas/check.ts'
import { NotFound } from '../../parts/not-found.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { Failure, FirstLoad, isNotFound } from '../../parts/states.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import { CheckForm, changesInWords } from './check-form.tsx'
import { updateCheck } from './save-check.ts'

export function Screen({ id }: { id: string }) {
  const { data, error, refetch } = useWholeCheck(id)
  if (data !== undefined) return <Loaded check={data} />
  if (isNotFound(error)) return <NotFound what="This check" />
  return (
    <ScreenFrame title="Edit check">
      {error ? <Failure what="The check" error={error} onRetry={refetch} /> : <FirstLoad />}
    </ScreenFrame>
  )
}

/** With the files of its script: a run of the draft needs them. */
export function useWholeCheck(id: string, isEnabled = true) {
  return useQuery({
    queryKey: ['whole-check', id],
    queryFn: ({ signal }) => readWhole(id, signal),
    enabled: isEnabled,
    // Only when the form is opened: what is being edited doesn't change by itself.
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    placeholderData: undefined,
  })
}

const readWhole = (id: string, signal?: AbortSignal) =>
  call('GET /v1/checks/{id}', { params: { id }, query: { includeDependencies: true } }, signal)

const versionOf = ({ updated_at, created_at }: Check) => updated_at ?? created_at

function Loaded({ check }: { check: Check }) {
  const [, navigate] = useLocation()
  const queries = useQueryClient()
  const type = typeFormOf(check.checkType)
  const version = useRef(versionOf(check))
  const changed = useRef<readonly string[]>([])
  const valuesOf = (read: Check): CheckFields => type.valuesOf({ ...read })
  return (
    <ScreenFrame
      title={`Edit ${check.name}`}
      trail={
        <>
          <Link href="/checks">Checks</Link> / <Link href={`/checks/${check.id}`}>{check.name}</Link> / Edit
        </>
      }
    >
      <p className="muted-text">{typeLabels[check.checkType]}</p>
      <CheckForm
        type={type}
        checkId={check.id}
        pingUrl={check.checkType === 'HEARTBEAT' ? (check.heartbeat.pingUrl ?? null) : null}
        saveLabel="Save"
        draftKey={`check/${check.id}`}
        saved={valuesOf(check)}
        reload={async () => {
          const current = await readWhole(check.id)
          version.current = versionOf(current)
          return valuesOf(current)
        }}
        save={(values, changes) => {
          changed.current = changes.map(({ path }) => path)
          return updateCheck(type, { id: check.id, version: version.current }, values, changes)
        }}
        onSaved={() => {
          void queries.invalidateQueries()
          navigate(`/checks/${check.id}`)
          showOutcome(changesInWords(changed.current))
        }}
      />
    </ScreenFrame>
  )
}
