// Secret URLs that run a check or a group, for deployment pipelines.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { Link } from 'wouter'
import { call, callList, type ResponseTo } from '../../api/call.ts'
import { loadAll } from '../../api/load-all.ts'
import { useSession } from '../../api/session.tsx'
import { ActionButton } from '../../parts/button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Overlay } from '../../parts/dialog.tsx'
import { Failure, reasonOf } from '../../parts/states.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import { DeleteAction } from './delete-action.tsx'
import { ListScreen } from './list-screen.tsx'
import { NeedsRole } from './needs-role.tsx'

type Trigger = ResponseTo<'GET /v1/triggers'>[number]
type Hit = ResponseTo<'GET /v1/search'>[number]

const queryKey = ['triggers']

export function Screen() {
  const { denialOf } = useSession()
  const readDenial = denialOf('READ_RUN')
  const writeDenial = denialOf('READ_WRITE')
  const [isAdding, setAdding] = useState(false)
  const { data, error, refetch } = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      loadAll((page) => callList('GET /v1/triggers', { query: { limit: 100, page } }, signal)),
    enabled: readDenial === null,
  })
  if (readDenial !== null) return <NeedsRole what="Trigger URLs" denial={readDenial} />
  const add = (
    <ActionButton look="primary" denial={writeDenial} onPress={() => setAdding(true)}>
      Create a trigger URL
    </ActionButton>
  )
  return (
    <ListScreen
      title="Trigger URLs"
      intro="Secret addresses that run a check or a group and wait for the outcome: 200 if all passed, 503 if not. They need no key, so treat them as one."
      what="The trigger URLs"
      data={data}
      error={error}
      onRetry={refetch}
      keyOf={({ id }) => id}
      textOf={({ name }) => name}
      rowOf={(trigger) => ({
        name: (
          <>
            <Link
              href={
                trigger.checkId === null ? `/checks?groupId=${trigger.groupId}` : `/checks/${trigger.checkId}`
              }
            >
              {trigger.name}
            </Link>
            {trigger.groupId !== null && <span className="tag">Group</span>}
          </>
        ),
        detail: (
          <>
            Created <RelativeTime at={trigger.created_at} />,{' '}
            {trigger.called_at === null ? (
              'never called'
            ) : (
              <>
                last called <RelativeTime at={trigger.called_at} />
              </>
            )}
          </>
        ),
        actions: (
          <>
            <CopyButton text={trigger.url} label="Copy URL" />
            <DeleteTrigger trigger={trigger} denial={writeDenial} />
          </>
        ),
      })}
      empty={{
        title: 'No trigger URLs yet',
        text: 'Let a deployment run checks by one request, and stop it if they fail.',
        action: add,
      }}
      actions={data !== undefined && data.length > 0 && add}
    >
      {isAdding && <AddTrigger onClose={() => setAdding(false)} />}
    </ListScreen>
  )
}

function DeleteTrigger({ trigger, denial }: { trigger: Trigger; denial: string | null }) {
  const { checkId, groupId, name, called_at } = trigger
  return (
    <DeleteAction
      what={`the trigger URL of ${name}`}
      outcome={`Deleted the trigger URL of ${name}.`}
      denial={denial}
      queryKey={queryKey}
      onDelete={() =>
        checkId === null
          ? call('DELETE /v1/triggers/check-groups/{groupId}', { params: { groupId: groupId ?? 0 } })
          : call('DELETE /v1/triggers/checks/{checkId}', { params: { checkId } })
      }
    >
      <p>
        Who calls it gets 404 from then on.{' '}
        {called_at === null ? (
          'It was never called.'
        ) : (
          <>
            It was last called <RelativeTime at={called_at} />.
          </>
        )}
      </p>
    </DeleteAction>
  )
}

function AddTrigger({ onClose }: { onClose(): void }) {
  const [text, setText] = useState('')
  const query = useDeferredValue(text.trim())
  const queries = useQueryClient()
  const { data, error, refetch } = useQuery({
    queryKey: ['search', query, 'targets'],
    queryFn: ({ signal }) => call('GET /v1/search', { query: { query, limit: 10 } }, signal),
    enabled: query !== '',
  })
  const create = useMutation<unknown, Error, Hit>({
    mutationFn: ({ kind, id }) =>
      kind === 'group'
        ? call('POST /v1/triggers/check-groups/{groupId}', { params: { groupId: Number(id) } })
        : call('POST /v1/triggers/checks/{checkId}', { params: { checkId: id } }),
    onSuccess: (_, { name }) => {
      void queries.invalidateQueries({ queryKey })
      showOutcome(`Created the trigger URL of ${name}.`)
      onClose()
    },
  })
  const hits = data?.filter(({ kind }) => kind === 'check' || kind === 'group') ?? []
  return (
    <Overlay title="Create a trigger URL" isOpen onClose={onClose}>
      <label className="field">
        Check or group
        <input
          type="search"
          value={text}
          onChange={({ target }) => setText(target.value)}
          placeholder="Search by name"
          // biome-ignore lint/a11y/noAutofocus: the dialog has one field
          autoFocus
        />
      </label>
      {error && <Failure what="The checks" error={error} onRetry={refetch} />}
      {create.error && (
        <p className="field-error" role="alert">
          That didn’t work: {reasonOf(create.error)}
        </p>
      )}
      {query !== '' && data !== undefined && hits.length === 0 && (
        <p className="muted-text">Nothing matches.</p>
      )}
      <ul>
        {hits.map((hit) => (
          <li key={hit.kind + hit.id}>
            <ActionButton look="quiet" onPress={() => create.mutate(hit)} isDisabled={create.isPending}>
              {hit.name}
              {hit.kind === 'group' && <span className="tag">Group</span>}
            </ActionButton>
          </li>
        ))}
      </ul>
    </Overlay>
  )
}
