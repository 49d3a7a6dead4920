// The evidence of a run: of a check, or of a test session.
import { useLocationNames } from '../../api/locations.ts'
import type { ShownResult } from '../../api/types.ts'
import { formatDuration } from '../../core/format.ts'
import { assertionsOf, networkEvidence } from '../../core/read-run.ts'
import { Moment } from '../../parts/time.tsx'
import { AssertionList } from './assertion-list.tsx'
import { CodeEvidence } from './code-evidence.tsx'
import { Exchange } from './exchange.tsx'
import { NetworkDetail } from './network-detail.tsx'
import { phasesOf } from './phases.ts'
import { Waterfall } from './waterfall.tsx'

interface RunEvidenceProps {
  result: ShownResult
  /** Absent: the result belongs to a check. */
  testSessionId?: string
}

export function RunEvidence({ result, testSessionId }: RunEvidenceProps) {
  const assertions = assertionsOf(result)
  const phases = phasesOf(result)
  const network = networkEvidence(result)
  const hasEvidence =
    result.apiCheckResult !== null || network !== null || isCode(result) || result.checkType === 'HEARTBEAT'
  return (
    <>
      {!hasEvidence && (
        <p className="muted-text">
          The evidence of this run is no longer kept: only its outcome and its times are.
        </p>
      )}
      {assertions.length > 0 && <AssertionList assertions={assertions} />}
      {phases.length > 0 && <Waterfall phases={phases} />}
      {result.apiCheckResult && <Exchange evidence={result.apiCheckResult} />}
      {network && <NetworkDetail evidence={network} />}
      {isCode(result) && <CodeEvidence result={result} testSessionId={testSessionId} />}
    </>
  )
}

function isCode({
  browserCheckResult,
  multiStepCheckResult,
  playwrightCheckResult,
  agenticCheckResult,
}: ShownResult): boolean {
  return [browserCheckResult, multiStepCheckResult, playwrightCheckResult, agenticCheckResult].some(
    (one) => one != null,
  )
}

interface RunFactsProps {
  result: ShownResult
  /** Absent: it wasn't scheduled. */
  dueAt?: string
}

export function RunFacts({ result, dueAt }: RunFactsProps) {
  const nameOf = useLocationNames()
  const { startedAt, stoppedAt, runLocation, ranAt } = result
  return (
    <section aria-labelledby="facts">
      <h2 id="facts">About this run</h2>
      <dl className="facts">
        {dueAt && (
          <>
            <dt>Due</dt>
            <dd>
              <Moment at={dueAt} />
            </dd>
          </>
        )}
        {startedAt && (
          <>
            <dt>Started</dt>
            <dd>
              <Moment at={startedAt} />
              {stoppedAt &&
                `, took ${formatDuration(Math.max(0, Date.parse(stoppedAt) - Date.parse(startedAt)))} in all`}
            </dd>
          </>
        )}
        {runLocation !== '' && (
          <>
            <dt>Location</dt>
            <dd>{nameOf(runLocation)}</dd>
          </>
        )}
        {ranAt && (
          <>
            <dt>Agent</dt>
            <dd>
              {ranAt.isBuiltIn
                ? 'Built into the server: it ran in the server’s network'
                : (ranAt.agentName ?? ranAt.agentId)}
            </dd>
          </>
        )}
        <dt>Result id</dt>
        <dd className="mono">{result.id}</dd>
      </dl>
    </section>
  )
}
