// Errors that people don't want to see any more, until they happen again or for good.
import { useInfiniteQuery, useMutation, useQueries, useQueryClient } from '@tanstack/react-query'
import { Link } from 'wouter'
import { call, callList, type ResponseTo } from '../../api/call.ts'
import { useSession } from '../../api/session.tsx'
import { ActionButton } from '../../parts/button.tsx'
import { reasonOf } from '../../parts/states.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import { ListScreen } from './list-screen.tsx'

type ErrorGroup = ResponseTo<'GET /v1/error-groups'>[number]

const queryKey = ['archived-errors']
const limit = 50

export function Screen() {
  const list = useInfiniteQuery({
    queryKey,
    initialPageParam: 1,
    queryFn: ({ pageParam, signal }) =>
      callList('GET /v1/error-groups', { query: { limit, page: pageParam, archived: true } }, signal),
    getNextPageParam: ({ total }, pages) => (pages.length * limit < total ? pages.length + 1 : undefined),
  })
  const data = list.data?.pages.flatMap(({ entries }) => entries)
  const nameOf = useCheckNames(data?.map(({ checkId }) => checkId) ?? [])
  return (
    <ListScreen
      title="Archived errors"
      intro="Errors that were archived on the screen of their check. They don’t appear there until they are restored, or happen again."
      what="The archived errors"
      data={data}
      error={list.error}
      onRetry={list.refetch}
      keyOf={({ id }) => id}
      textOf={({ cleanedErrorMessage, rawErrorMessage, checkId }) =>
        `${cleanedErrorMessage} ${rawErrorMessage ?? ''} ${nameOf(checkId)}`
      }
      rowOf={(group) => ({
        name: <span className="error-message">{firstLine(group)}</span>,
        detail: (
          <>
            <Link href={`/checks/${group.checkId}?tab=errors`}>{nameOf(group.checkId)}</Link>, last seen{' '}
            <RelativeTime at={group.lastSeen} />, archived{' '}
            {group.archiveForEver ? 'for good' : 'until it happens again'}
          </>
        ),
        actions: <RestoreButton group={group} />,
      })}
      empty={{
        title: 'Nothing is archived',
        text: 'An error that is known and not worth a look can be archived on the screen of its check.',
      }}
    >
      {list.hasNextPage && (
        <ActionButton onPress={() => list.fetchNextPage()} isPending={list.isFetchingNextPage}>
          Show more
        </ActionButton>
      )}
    </ListScreen>
  )
}

function firstLine({ rawErrorMessage, cleanedErrorMessage }: ErrorGroup): string {
  return (rawErrorMessage ?? cleanedErrorMessage).split('\n', 1)[0] ?? ''
}

function useCheckNames(ids: readonly string[]): (id: string) => string {
  const distinct = [...new Set(ids)]
  const checks = useQueries({
    queries: distinct.map((id) => ({
      queryKey: ['check-name', id],
      queryFn: async ({ signal }: { signal: AbortSignal }) =>
        (await call('GET /v1/checks/{id}', { params: { id } }, signal)).name,
      staleTime: 60_000,
    })),
  })
  return (id) => checks[distinct.indexOf(id)]?.data ?? 'Check'
}

function RestoreButton({ group }: { group: ErrorGroup }) {
  const { denialOf } = useSession()
  const queries = useQueryClient()
  const restore = useMutation({
    mutationFn: () =>
      call('PATCH /v1/error-groups/{id}', {
        params: { id: group.id },
        body: { archivedUntilNextEvent: false, archiveForEver: false },
      }),
    onSuccess: () => {
      showOutcome('Restored the error. It is on the screen of its check again.')
      void queries.invalidateQueries({ queryKey })
      void queries.invalidateQueries({ queryKey: ['error-groups'] })
    },
    onError: (error) => showOutcome(`Couldn’t restore the error: ${reasonOf(error)}`),
  })
  return (
    <ActionButton
      denial={denialOf('READ_WRITE')}
      isPending={restore.isPending}
      onPress={() => restore.mutate()}
    >
      Restore
    </ActionButton>
  )
}
