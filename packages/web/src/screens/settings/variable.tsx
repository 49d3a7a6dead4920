// One variable: a new one, or one to change.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { variableAsCurl } from '@vedette/as-code/shared-code'
import { Link, useLocation } from 'wouter'
import { call, type ResponseTo } from '../../api/call.ts'
import { useSession } from '../../api/session.tsx'
import { TextArea, TextInput, Toggle } from '../../forms/fields.tsx'
import { FormFrame } from '../../forms/form-frame.tsx'
import { variableProblems } from '../../forms/schemas/variable.ts'
import { useForm } from '../../forms/use-form.ts'
import { HistoryLink } from '../../parts/history-link.tsx'
import { NotFound } from '../../parts/not-found.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { Failure, FirstLoad, isNotFound } from '../../parts/states.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import { ViewAsCode } from './view-as-code.tsx'

type Variable = ResponseTo<'GET /v1/variables/{key}'>

export function Screen({ name }: { name?: string }) {
  return name === undefined ? <Editor stored={null} /> : <Existing name={name} />
}

const read = (key: string, signal?: AbortSignal) =>
  call('GET /v1/variables/{key}', { params: { key } }, signal)

function Existing({ name }: { name: string }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['variable', name],
    queryFn: ({ signal }) => read(name, signal),
    staleTime: 0,
  })
  if (data !== undefined) return <Editor key={data.key} stored={data} />
  if (isNotFound(error)) return <NotFound what="This variable" resourceId={name} />
  return (
    <ScreenFrame title={name}>
      {error ? <Failure what="The variable" error={error} onRetry={refetch} /> : <FirstLoad rows={3} />}
    </ScreenFrame>
  )
}

interface Values {
  key: string
  value: string
  secret: boolean
  locked: boolean
}

const valuesOf = ({ key, value, secret, locked }: Variable): Values => ({
  ...{ key, secret, locked },
  value: value ?? '',
})

function Editor({ stored }: { stored: Variable | null }) {
  const { denialOf } = useSession()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const form = useForm<Values>({
    key: `variable/${stored?.key ?? 'new'}`,
    saved: stored === null ? { key: '', value: '', secret: false, locked: false } : valuesOf(stored),
    problemsOf: variableProblems,
    secretPaths: ['value'],
    ...(stored === null ? {} : { reload: async () => valuesOf(await read(stored.key)) }),
    async save(values, changes) {
      if (stored === null) await call('POST /v1/variables', { body: values })
      else {
        // An empty field of a secret keeps the value.
        const isChanged = (path: string) => changes.some((change) => change.path === path)
        const { value, secret, locked } = values
        await call('PUT /v1/variables/{key}', {
          params: { key: stored.key },
          body: { ...(isChanged('value') ? { value } : {}), secret, locked },
        })
      }
      void queries.invalidateQueries({ queryKey: ['variables'] })
      queries.removeQueries({ queryKey: ['variable', values.key] })
    },
  })
  const { secret, key } = form.values
  const wasSecret = stored?.secret === true
  return (
    <ScreenFrame
      title={stored?.key ?? 'New variable'}
      trail={<Link href="/settings/variables">Variables</Link>}
      actions={
        stored && (
          <>
            <HistoryLink resourceId={stored.key} />
            <ViewAsCode
              kind="variable"
              resource={stored}
              name={stored.key}
              curlOf={(server) => variableAsCurl(stored, server)}
            />
          </>
        )
      }
    >
      <FormFrame
        form={form}
        saveLabel={stored === null ? 'Add' : 'Save'}
        denial={denialOf('READ_WRITE')}
        isNew={stored === null}
        onSaved={() => {
          showOutcome(stored === null ? `Added the variable ${key}.` : `Saved the variable ${key}.`)
          navigate('/settings/variables')
        }}
      >
        {stored === null && (
          <TextInput
            form={form}
            path="key"
            label="Name"
            isMono
            description="Letters, digits and underscores, such as BASE_URL."
          />
        )}
        {secret ? (
          <TextInput
            form={form}
            path="value"
            label="Value"
            type="password"
            autoComplete="new-password"
            description={
              wasSecret ? 'It isn’t shown. Leave it empty to keep it.' : 'It is never shown again.'
            }
          />
        ) : (
          <TextArea form={form} path="value" label="Value" rows={3} isMono />
        )}
        <Toggle
          form={form}
          path="secret"
          label="Secret"
          isDisabled={wasSecret}
          description={
            wasSecret
              ? 'A secret stays one.'
              : 'The value is never shown again, to nobody, and is masked in logs. This can’t be undone.'
          }
        />
        <Toggle
          form={form}
          path="locked"
          label="Locked"
          description="Only members with the role “Read and write” see the value."
        />
      </FormFrame>
    </ScreenFrame>
  )
}
