// One snippet: a new one, or one to change.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { snippetAsCurl } from '@vedette/as-code/shared-code'
import { Link, useLocation } from 'wouter'
import { call, type ResponseTo } from '../../api/call.ts'
import { useSession } from '../../api/session.tsx'
import { TextInput } from '../../forms/fields.tsx'
import { FormFrame } from '../../forms/form-frame.tsx'
import { snippetProblems } from '../../forms/schemas/snippet.ts'
import { useForm } from '../../forms/use-form.ts'
import { HistoryLink } from '../../parts/history-link.tsx'
import { NotFound } from '../../parts/not-found.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { Failure, FirstLoad, isNotFound } from '../../parts/states.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import { ScriptField } from '../edit-check/script-field.tsx'
import { ViewAsCode } from './view-as-code.tsx'

type Snippet = ResponseTo<'GET /v1/snippets/{id}'>

export function Screen({ id }: { id?: number }) {
  return id === undefined ? <Editor stored={null} /> : <Existing id={id} />
}

const read = (id: number, signal?: AbortSignal) => call('GET /v1/snippets/{id}', { params: { id } }, signal)

function Existing({ id }: { id: number }) {
  const { data, error, refetch } = useQuery({
    queryKey: ['snippet', id],
    queryFn: ({ signal }) => read(id, signal),
    staleTime: 0,
  })
  if (data !== undefined) return <Editor key={data.id} stored={data} />
  if (isNotFound(error)) return <NotFound what="This snippet" resourceId={String(id)} />
  return (
    <ScreenFrame title="Snippet">
      {error ? <Failure what="The snippet" error={error} onRetry={refetch} /> : <FirstLoad rows={3} />}
    </ScreenFrame>
  )
}

interface Values {
  name: string
  script: string
}

const valuesOf = ({ name, script }: Snippet): Values => ({ name, script })

function Editor({ stored }: { stored: Snippet | null }) {
  const { denialOf } = useSession()
  const queries = useQueryClient()
  const [, navigate] = useLocation()
  const form = useForm<Values>({
    key: `snippet/${stored?.id ?? 'new'}`,
    saved: stored === null ? { name: '', script: '' } : valuesOf(stored),
    problemsOf: snippetProblems,
    ...(stored === null ? {} : { reload: async () => valuesOf(await read(stored.id)) }),
    async save(values) {
      if (stored === null) await call('POST /v1/snippets', { body: values })
      else await call('PUT /v1/snippets/{id}', { params: { id: stored.id }, body: values })
      void queries.invalidateQueries({ queryKey: ['snippets'] })
      void queries.invalidateQueries({ queryKey: ['snippet', stored?.id] })
    },
  })
  const { name } = form.values
  return (
    <ScreenFrame
      title={stored?.name ?? 'New snippet'}
      trail={<Link href="/settings/snippets">Snippets</Link>}
      actions={
        stored && (
          <>
            <HistoryLink resourceId={String(stored.id)} />
            <ViewAsCode
              kind="snippet"
              resource={stored}
              name={stored.name}
              curlOf={(server) => snippetAsCurl(stored, server)}
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
          showOutcome(stored === null ? `Added the snippet ${name}.` : `Saved the snippet ${name}.`)
          navigate('/settings/snippets')
        }}
      >
        <TextInput
          form={form}
          path="name"
          label="Name"
          isMono
          description={
            <>
              Scripts load it as <code>./snippets/{name === '' ? 'name' : name}.js</code>.
            </>
          }
        />
        <ScriptField form={form} path="script" label="Script" kind="setup" isTall />
      </FormFrame>
    </ScreenFrame>
  )
}
