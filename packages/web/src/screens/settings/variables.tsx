// Environment variables and secrets of all checks.
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'wouter'
import { call, callList } from '../../api/call.ts'
import { loadAll } from '../../api/load-all.ts'
import { useSession } from '../../api/session.tsx'
import { ActionButton } from '../../parts/button.tsx'
import { DeleteAction } from './delete-action.tsx'
import { ListScreen } from './list-screen.tsx'
import { UsesList } from './uses.tsx'

const queryKey = ['variables']

export function Screen() {
  const { denialOf } = useSession()
  const [, navigate] = useLocation()
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      loadAll((page) => callList('GET /v1/variables', { query: { limit: 100, page } }, signal)),
  })
  const denial = denialOf('READ_WRITE')
  const add = (
    <ActionButton look="primary" denial={denial} onPress={() => navigate('/settings/variables/new')}>
      Add a variable
    </ActionButton>
  )
  return (
    <ListScreen
      title="Variables"
      intro={
        <>
          All checks can use them: <code>{'{{NAME}}'}</code> in requests, <code>process.env.NAME</code> in
          scripts. The value of a secret is never shown again.
        </>
      }
      what="The variables"
      data={data}
      error={error}
      onRetry={refetch}
      keyOf={({ key }) => key}
      textOf={({ key, value }) => `${key} ${value ?? ''}`}
      rowOf={({ key, value, secret, locked }) => ({
        name: (
          <>
            <Link href={`/settings/variables/${encodeURIComponent(key)}`} className="mono">
              {key}
            </Link>
            {secret && <span className="tag">Secret</span>}
            {locked && <span className="tag">Locked</span>}
          </>
        ),
        detail: value === null ? 'The value isn’t shown.' : <code className="cut">{shorten(value)}</code>,
        actions: (
          <DeleteAction
            what={`the variable ${key}`}
            outcome={`Deleted the variable ${key}.`}
            denial={denial}
            queryKey={queryKey}
            onDelete={() => call('DELETE /v1/variables/{key}', { params: { key } })}
          >
            <UsesList
              queryKey={['variable-uses', key]}
              load={(signal) => call('GET /v1/variables/{key}/uses', { params: { key } }, signal)}
              consequence="They will find no value."
            />
          </DeleteAction>
        ),
      })}
      empty={{
        title: 'No variables yet',
        text: 'Keep addresses, names of users and passwords here instead of in each check.',
        action: add,
      }}
      actions={data !== undefined && data.length > 0 && add}
    />
  )
}

const longestShown = 120

function shorten(value: string): string {
  const [line = ''] = value.split('\n', 1)
  return line.length > longestShown || line !== value ? `${line.slice(0, longestShown)}…` : line
}
