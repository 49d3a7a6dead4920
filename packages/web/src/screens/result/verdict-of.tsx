// The verdict sentence of a result, wherever it is needed.
import './verdict.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { call } from '../../api/call.ts'
import { useLocationNames } from '../../api/locations.ts'
import type { ShownResult } from '../../api/types.ts'
import { formatMoment } from '../../core/format.ts'
import { readRun } from '../../core/read-run.ts'
import { outcomeOf, verdictSentence } from '../../core/verdict.ts'
import { StateIcon } from '../../parts/state-icon.tsx'
import { Failure } from '../../parts/states.tsx'
import { useTimeOptions } from '../../parts/time.tsx'

interface VerdictProps {
  checkId: string
  resultId: string
}

export function useResult({ checkId, resultId }: VerdictProps) {
  return useQuery({
    queryKey: ['result', checkId, resultId],
    queryFn: ({ signal }) =>
      call(
        'GET /v1/check-results/{checkId}/{checkResultId}',
        { params: { checkId, checkResultId: resultId } },
        signal,
      ),
    staleTime: 5 * 60_000,
  })
}

export function VerdictOf({ checkId, resultId }: VerdictProps) {
  const { data, error, refetch } = useResult({ checkId, resultId })
  if (error && data === undefined) return <Failure what="The result" error={error} onRetry={refetch} />
  if (data === undefined) return null
  return (
    <>
      <Verdict result={data} />
      <Link href={`/checks/${checkId}/results/${resultId}`}>What happened in this run</Link>
    </>
  )
}

export function Verdict({ result }: { result: ShownResult }) {
  const nameOf = useLocationNames()
  const options = useTimeOptions()
  const { state } = outcomeOf(result)
  const time = formatMoment(Date.parse(result.startedAt ?? result.created_at), Date.now(), options)
  return (
    <p className={`verdict ${state}-verdict`} role="status">
      <StateIcon state={state} />
      <span>{verdictSentence(readRun(result), { location: nameOf(result.runLocation), time })}</span>
    </p>
  )
}
