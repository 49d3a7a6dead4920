// The root cause of the error groups that this result belongs to, and other failures of the same kind.
import { useQueries } from '@tanstack/react-query'
import { Link } from 'wouter'
import { call } from '../../api/call.ts'
import type { CheckResult } from '../../api/types.ts'
import { RootCause } from '../../parts/root-cause.tsx'
import { RelativeTime } from '../../parts/time.tsx'

export function Causes({ result: { checkId, errorGroupIds } }: { result: CheckResult }) {
  const groups = useQueries({
    queries: (errorGroupIds ?? []).slice(0, 5).map((id) => ({
      queryKey: ['error-group', id],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call('GET /v1/error-groups/{id}', { params: { id } }, signal),
    })),
  })
  const known = groups.flatMap(({ data }) => (data === undefined ? [] : [data]))
  if (known.length === 0) return null
  return (
    <section aria-labelledby="cause">
      <h2 id="cause">Why it fails</h2>
      <div className="panels">
        {known.map((group) => {
          const analysis = group.rootCauseAnalyses?.[0]?.analysis ?? null
          return (
            <div key={group.id} className="panel">
              {analysis ? (
                <RootCause analysis={analysis} />
              ) : (
                <p className="muted-text">The cause hasn’t been analyzed yet.</p>
              )}
              <p className="muted-text">
                Similar failures: first <RelativeTime at={group.firstSeen} />, last{' '}
                <RelativeTime at={group.lastSeen} />.{' '}
                <Link href={`/checks/${checkId}?tab=errors`}>All errors of this check</Link>
              </p>
            </div>
          )
        })}
      </div>
    </section>
  )
}
