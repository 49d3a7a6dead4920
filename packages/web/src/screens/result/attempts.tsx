// The attempts of the same run, as links between them.
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { call } from '../../api/call.ts'
import type { CheckResult } from '../../api/types.ts'
import { outcomeOf } from '../../core/verdict.ts'
import { StateIcon } from '../../parts/state-icon.tsx'

/** Retries come within this time. */
const spanSeconds = 3600

export function Attempts({ result }: { result: CheckResult }) {
  const { checkId, sequenceId, attempts, resultType } = result
  const isAlone = attempts <= 1 && resultType === 'FINAL'
  const at = Math.floor(Date.parse(result.scheduledAt) / 1000)
  const { data } = useQuery({
    queryKey: ['attempts', checkId, sequenceId],
    enabled: !isAlone && sequenceId !== null,
    queryFn: async ({ signal }) => {
      const query = { from: at - 60, to: at + spanSeconds, resultType: 'ALL' as const, limit: 100 }
      const { entries } = await call(
        'GET /v2/check-results/{checkId}',
        { params: { checkId }, query },
        signal,
      )
      return entries
        .filter((entry) => entry.sequenceId === sequenceId)
        .sort((a, b) => (a.attempts ?? 0) - (b.attempts ?? 0))
    },
  })
  if (data === undefined || data.length < 2) return null
  return (
    <nav aria-label="Attempts of this run" className="attempts">
      {data.map((entry) => {
        const { state, label } = outcomeOf(entry)
        return (
          <Link
            key={entry.id}
            href={`/checks/${checkId}/results/${entry.id}`}
            className="chip"
            {...(entry.id === result.id ? { 'aria-current': 'page' } : {})}
          >
            <StateIcon state={state} />
            Attempt {entry.attempts}: {label}
          </Link>
        )
      })}
    </nav>
  )
}
