// Scripts that several checks share.
import { Link, useLocation } from 'wouter'
import { call } from '../../api/call.ts'
import { useSnippets } from '../../api/lists.ts'
import { useSession } from '../../api/session.tsx'
import { formatNumberOf } from '../../core/format.ts'
import { ActionButton } from '../../parts/button.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { DeleteAction } from './delete-action.tsx'
import { ListScreen } from './list-screen.tsx'
import { UsesList } from './uses.tsx'

const queryKey = ['snippets']

export function Screen() {
  const { denialOf } = useSession()
  const [, navigate] = useLocation()
  const { data, error, refetch } = useSnippets()
  const denial = denialOf('READ_WRITE')
  const add = (
    <ActionButton look="primary" denial={denial} onPress={() => navigate('/settings/snippets/new')}>
      Add a snippet
    </ActionButton>
  )
  return (
    <ListScreen
      title="Snippets"
      intro="Scripts that run before or after the request of API checks, or that scripts of checks load."
      what="The snippets"
      data={data}
      error={error}
      onRetry={refetch}
      keyOf={({ id }) => id}
      textOf={({ name, script }) => `${name} ${script}`}
      rowOf={({ id, name, script, created_at, updated_at }) => ({
        name: (
          <Link href={`/settings/snippets/${id}`} className="mono">
            {name}
          </Link>
        ),
        detail: (
          <>
            {formatNumberOf(script.split('\n').length, 'line')}, changed{' '}
            <RelativeTime at={updated_at ?? created_at} />
          </>
        ),
        actions: (
          <DeleteAction
            what={`the snippet ${name}`}
            outcome={`Deleted the snippet ${name}.`}
            denial={denial}
            queryKey={queryKey}
            onDelete={() => call('DELETE /v1/snippets/{id}', { params: { id } })}
          >
            <UsesList
              queryKey={['snippet-uses', id]}
              load={(signal) => call('GET /v1/snippets/{id}/uses', { params: { id } }, signal)}
              consequence="They will run without it; scripts that load its file will fail."
            />
          </DeleteAction>
        ),
      })}
      empty={{
        title: 'No snippets yet',
        text: 'Write what several checks have in common once: signing in, making a signature, cleaning up.',
        action: add,
      }}
      actions={data !== undefined && data.length > 0 && add}
    />
  )
}
