// Marks of deployments: charts show them, and results name the one before a failure.
import { useInfiniteQuery } from '@tanstack/react-query'
import { useLocation } from 'wouter'
import { call, callList, type ResponseTo } from '../../api/call.ts'
import { useSession } from '../../api/session.tsx'
import { ActionButton } from '../../parts/button.tsx'
import { Moment } from '../../parts/time.tsx'
import { DeleteAction } from './delete-action.tsx'
import { ListScreen } from './list-screen.tsx'

type Deployment = ResponseTo<'GET /v1/deployments'>[number]

const queryKey = ['deployments']
const limit = 100

export function Screen() {
  const { denialOf } = useSession()
  const [, navigate] = useLocation()
  const list = useInfiniteQuery({
    queryKey,
    initialPageParam: 1,
    queryFn: ({ pageParam, signal }) =>
      callList('GET /v1/deployments', { query: { limit, page: pageParam } }, signal),
    getNextPageParam: ({ total }, pages) => (pages.length * limit < total ? pages.length + 1 : undefined),
  })
  const data = list.data?.pages.flatMap(({ entries }) => entries)
  const add = (
    <ActionButton
      look="primary"
      denial={denialOf('READ_RUN')}
      onPress={() => navigate('/settings/deployments/new')}
    >
      Record a deployment
    </ActionButton>
  )
  return (
    <ListScreen
      title="Deployments"
      intro="Charts show them as lines, and a failure names the deployment before it. Pipelines record them by the API or by trigger URLs."
      what="The deployments"
      data={data}
      error={list.error}
      onRetry={list.refetch}
      keyOf={({ id }) => id}
      textOf={(deployment) => Object.values(deployment).join(' ')}
      rowOf={(deployment) => ({
        name: nameOf(deployment),
        detail: (
          <>
            <Moment at={deployment.created_at} />
            {deployment.environmentName && `, to ${deployment.environmentName}`}
            {deployment.environmentUrl && `, ${deployment.environmentUrl}`}
          </>
        ),
        actions: (
          <DeleteAction
            what={`the deployment ${nameOf(deployment)}`}
            outcome="Deleted the deployment."
            denial={denialOf('READ_WRITE')}
            queryKey={queryKey}
            onDelete={() => call('DELETE /v1/deployments/{id}', { params: { id: deployment.id } })}
          >
            <p>Only the mark in charts and results is deleted.</p>
          </DeleteAction>
        ),
      })}
      empty={{
        title: 'No deployments yet',
        text: 'Record them to see which one broke a check.',
        action: add,
      }}
      actions={data !== undefined && data.length > 0 && add}
    >
      {list.hasNextPage && (
        <ActionButton onPress={() => list.fetchNextPage()} isPending={list.isFetchingNextPage}>
          Older deployments
        </ActionButton>
      )}
    </ListScreen>
  )
}

function nameOf({ repository, sha, deploymentId, environmentName }: Deployment): string {
  const name = [repository, sha?.slice(0, 12)].filter(Boolean).join(' ')
  return name || deploymentId || environmentName || 'A new version'
}
