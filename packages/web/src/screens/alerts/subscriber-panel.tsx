// The checks and groups that a channel is subscribed to.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { call, callList, type ResponseTo } from '../../api/call.ts'
import { useSession } from '../../api/session.tsx'
import { formatNumberOf } from '../../core/format.ts'
import { useDebounced } from '../../core/use-debounced.ts'
import { ActionButton } from '../../parts/button.tsx'
import { ResourcePicker } from '../../parts/resource-picker.tsx'
import { Failure, FirstLoad, reasonOf } from '../../parts/states.tsx'
import { TableBox } from '../../parts/table-box.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import { channelsKey } from './use-channels.ts'

type Subscriber = ResponseTo<'GET /v1/alert-channels/{id}/subscribers'>[number]

const pageSize = 20
const typingMs = 200

export function SubscriberPanel({ channelId }: { channelId: number }) {
  const { denialOf } = useSession()
  const denial = denialOf('READ_WRITE')
  const [text, setText] = useState('')
  const [page, setPage] = useState(1)
  const [isPicking, setPicking] = useState(false)
  const query = useDebounced(text.trim(), typingMs)
  const queries = useQueryClient()
  const key = ['alert-channel-subscribers', channelId]
  const { data, error, refetch } = useQuery({
    queryKey: [...key, query, page],
    queryFn: ({ signal }) =>
      callList(
        'GET /v1/alert-channels/{id}/subscribers',
        {
          params: { id: channelId },
          query: { limit: pageSize, page, ...(query === '' ? {} : { query }) },
        },
        signal,
      ),
  })
  const refresh = async () => {
    await queries.invalidateQueries({ queryKey: key })
    await queries.invalidateQueries({ queryKey: channelsKey })
  }
  const subscribe = useMutation({
    mutationFn: (target: { checkId: string } | { groupId: number }) =>
      call('PUT /v1/alert-channels/{id}/subscriptions', { params: { id: channelId }, body: target }),
    onSuccess: refresh,
  })
  const unsubscribe = useMutation({
    mutationFn: ({ id }: Subscriber) =>
      call('DELETE /v1/alert-channels/{id}/subscriptions/{subscriptionId}', {
        params: { id: channelId, subscriptionId: id },
      }),
    onSuccess: async (_, { name, checkId, groupId }) => {
      await refresh()
      const target = checkId !== null ? { checkId } : { groupId: groupId ?? 0 }
      showOutcome(`${name} is no longer subscribed.`, () => subscribe.mutate(target))
    },
  })
  const change = useMutation({
    mutationFn: ({ checkId, groupId, activated }: Subscriber) =>
      call('PUT /v1/alert-channels/{id}/subscriptions', {
        params: { id: channelId },
        body: { ...(checkId !== null ? { checkId } : { groupId }), activated: !activated },
      }),
    onSuccess: refresh,
  })
  const failure = subscribe.error ?? unsubscribe.error ?? change.error
  const total = data?.total ?? 0
  const pages = Math.max(1, Math.ceil(total / pageSize))
  return (
    <section aria-labelledby="subscribers">
      <header className="section-head">
        <h2 id="subscribers">Subscribed checks and groups</h2>
        <ActionButton denial={denial} onPress={() => setPicking(true)}>
          Add check or group
        </ActionButton>
      </header>
      {failure && <p className="field-error">Couldn’t change it: {reasonOf(failure)}</p>}
      {(total > pageSize || text !== '') && (
        <input
          type="search"
          className="text-input"
          aria-label="Filter subscribed checks and groups"
          placeholder="Filter by name"
          value={text}
          onChange={({ target }) => {
            setText(target.value)
            setPage(1)
          }}
        />
      )}
      {error && data === undefined ? (
        <Failure what="The subscriptions" error={error} onRetry={refetch} />
      ) : data === undefined ? (
        <FirstLoad rows={3} />
      ) : total === 0 ? (
        <p className="muted-text">
          {query === ''
            ? 'None: this channel sends nothing until a check or a group is added.'
            : 'No name matches.'}
        </p>
      ) : (
        <TableBox label="Subscribed checks and groups">
          <table className="table">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Kind</th>
                <th scope="col">State</th>
                <th scope="col">
                  <span className="unseen">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {data.entries.map((one) => (
                <tr key={one.id}>
                  <td>
                    <Link
                      href={
                        one.checkId !== null ? `/checks/${one.checkId}` : `/checks?groupId=${one.groupId}`
                      }
                    >
                      {one.name}
                    </Link>
                  </td>
                  <td className="nowrap">{one.checkId !== null ? 'Check' : 'Group'}</td>
                  <td className="nowrap">{one.activated ? 'On' : 'Off: no messages'}</td>
                  <td className="num">
                    <ActionButton look="quiet" denial={denial} onPress={() => change.mutate(one)}>
                      {one.activated ? 'Turn off' : 'Turn on'}
                      <span className="unseen"> for {one.name}</span>
                    </ActionButton>
                    <ActionButton look="quiet" denial={denial} onPress={() => unsubscribe.mutate(one)}>
                      Remove<span className="unseen"> {one.name}</span>
                    </ActionButton>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </TableBox>
      )}
      {pages > 1 && (
        <div className="actions pager">
          <ActionButton isDisabled={page === 1} onPress={() => setPage(page - 1)}>
            Previous
          </ActionButton>
          <ActionButton isDisabled={page >= pages} onPress={() => setPage(page + 1)}>
            Next
          </ActionButton>
          <span className="muted-text">
            Page {page} of {pages}, {formatNumberOf(total, 'subscription')}
          </span>
        </div>
      )}
      {isPicking && (
        <ResourcePicker
          title="Add a check or a group"
          kinds={['check', 'group']}
          onClose={() => setPicking(false)}
          onPick={({ kind, id }) => {
            setPicking(false)
            subscribe.mutate(kind === 'check' ? { checkId: String(id) } : { groupId: Number(id) })
          }}
        />
      )}
    </section>
  )
}
