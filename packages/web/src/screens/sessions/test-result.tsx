// A result of a test session, shown like any other result.
import '../result/result.css'
import './sessions.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { call } from '../../api/call.ts'
import type { TestResult } from '../../api/types.ts'
import { outcomeOf } from '../../core/verdict.ts'
import { NotFound } from '../../parts/not-found.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { StateIcon } from '../../parts/state-icon.tsx'
import { Failure, FirstLoad, isNotFound } from '../../parts/states.tsx'
import { RunEvidence, RunFacts } from '../result/evidence.tsx'
import { Verdict } from '../result/verdict-of.tsx'
import { ErrorGroups } from './test-session.tsx'

const pollMs = 1_500

interface TestResultProps {
  sessionId: string
  resultId: string
}

export function Screen({ sessionId, resultId }: TestResultProps) {
  const { data, error, refetch } = useQuery({
    queryKey: ['test-result', sessionId, resultId],
    queryFn: ({ signal }) =>
      call(
        'GET /v1/test-sessions/{testSessionId}/results/{testSessionResultId}',
        { params: { testSessionId: sessionId, testSessionResultId: resultId } },
        signal,
      ),
    refetchInterval: ({ state }) => (state.data?.resultType === 'PENDING' ? pollMs : false),
  })
  if (data !== undefined) return <Loaded sessionId={sessionId} result={data} />
  if (isNotFound(error)) return <NotFound what="This result" />
  return (
    <ScreenFrame title="Result">
      {error ? <Failure what="The result" error={error} onRetry={refetch} /> : <FirstLoad />}
    </ScreenFrame>
  )
}

function Loaded({ sessionId, result }: { sessionId: string; result: TestResult }) {
  const { name, checkId, resultType, scheduleError } = result
  const { state, label } = outcomeOf(result)
  const isPending = resultType === 'PENDING'
  return (
    <ScreenFrame
      title={name}
      tabTitle={isPending ? name : `${label}: ${name}`}
      trail={
        <>
          <Link href="/sessions">Sessions</Link> / <Link href={`/sessions/${sessionId}`}>Test session</Link> /
          Result
        </>
      }
      actions={
        checkId && (
          <Link href={`/checks/${checkId}`} className="button">
            Open the check
          </Link>
        )
      }
    >
      {isPending ? (
        <p role="status">It hasn’t ended yet. This page shows the result when it has.</p>
      ) : (
        <>
          <Verdict result={result} />
          {scheduleError && <p className="failing">{scheduleError}</p>}
          <Attempts sessionId={sessionId} result={result} />
          {state !== 'passing' && <ErrorGroups ids={result.errorGroupIds} />}
          <RunEvidence result={result} testSessionId={sessionId} />
          <RunFacts result={result} />
        </>
      )}
    </ScreenFrame>
  )
}

/** Of the same check in the same session. */
function Attempts({ sessionId, result }: { sessionId: string; result: TestResult }) {
  const { data } = useQuery({
    queryKey: ['test-session', sessionId, false],
    queryFn: ({ signal }) =>
      call('GET /v1/test-sessions/{testSessionId}', { params: { testSessionId: sessionId } }, signal),
    enabled: result.attempts > 1 || result.resultType === 'ATTEMPT',
  })
  const attempts = data?.results.filter(
    ({ name, checkId, runLocation }) =>
      name === result.name && checkId === result.checkId && runLocation === result.runLocation,
  )
  if (attempts === undefined || attempts.length < 2) return null
  return (
    <nav aria-label="Attempts of this run" className="attempts">
      {attempts.map((entry, index) => {
        const { state, label } = outcomeOf(entry)
        const isCurrent = entry.testSessionResultId === result.id
        return (
          <Link
            key={entry.testSessionResultId}
            href={`/test-sessions/${sessionId}/results/${entry.testSessionResultId}`}
            className="chip"
            {...(isCurrent ? { 'aria-current': 'page' } : {})}
          >
            <StateIcon state={state} />
            Attempt {index + 1}: {label}
          </Link>
        )
      })}
    </nav>
  )
}
