// The error groups of the check: each kind of failure once.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call, callList } from '../../api/call.ts'
import { useSession } from '../../api/session.tsx'
import { AnalyzeButton } from '../../parts/analyze-button.tsx'
import { ActionButton } from '../../parts/button.tsx'
import { RootCause } from '../../parts/root-cause.tsx'
import { Empty, Failure, FirstLoad } from '../../parts/states.tsx'
import { RelativeTime } from '../../parts/time.tsx'
import type { TabProps } from './tab-props.ts'

export function ErrorsTab({ check }: TabProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['error-groups', check.id],
    queryFn: ({ signal }) =>
      callList(
        'GET /v1/error-groups/checks/{checkId}',
        { params: { checkId: check.id }, query: { limit: 50 } },
        signal,
      ),
  })
  if (error && data === undefined) return <Failure what="The errors" error={error} onRetry={refetch} />
  if (data === undefined) return <FirstLoad />
  if (data.entries.length === 0)
    return (
      <Empty title="No errors">
        <p className="muted-text">
          Failures with the same cause appear here as one group, with an analysis of the cause.
        </p>
      </Empty>
    )
  return (
    <ul className="panels">
      {data.entries.map((group) => {
        const analysis = group.rootCauseAnalyses?.[0]?.analysis ?? null
        return (
          <li key={group.id} className="panel">
            <p className="error-message">{group.rawErrorMessage ?? group.cleanedErrorMessage}</p>
            <p className="muted-text">
              First seen <RelativeTime at={group.firstSeen} />, last seen <RelativeTime at={group.lastSeen} />
            </p>
            {analysis ? (
              <RootCause analysis={analysis} />
            ) : (
              <AnalyzeButton
                start={() =>
                  call('POST /v1/root-cause-analyses/error-groups/{errorGroupId}', {
                    params: { errorGroupId: group.id },
                  })
                }
                onDone={refetch}
              />
            )}
            <ArchiveButton checkId={check.id} groupId={group.id} />
          </li>
        )
      })}
    </ul>
  )
}

function ArchiveButton({ checkId, groupId }: { checkId: string; groupId: string }) {
  const { denialOf } = useSession()
  const queries = useQueryClient()
  const archive = useMutation({
    mutationFn: () =>
      call('PATCH /v1/error-groups/{id}', {
        params: { id: groupId },
        body: { archivedUntilNextEvent: true },
      }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['error-groups', checkId] }),
  })
  return (
    <div>
      <ActionButton
        onPress={() => archive.mutate()}
        isPending={archive.isPending}
        denial={denialOf('READ_WRITE')}
      >
        Archive until it happens again
      </ActionButton>
    </div>
  )
}
