// The result that explains itself: the verdict, what changed since it last passed, then the evidence.
import './result.css'
import { Link } from 'wouter'
import { useCheck } from '../../api/check.ts'
import { useRunNow } from '../../api/check-actions.ts'
import { useLocationNames } from '../../api/locations.ts'
import { useSession } from '../../api/session.tsx'
import type { CheckResult } from '../../api/types.ts'
import { formatDuration } from '../../core/format.ts'
import { assertionsOf, networkEvidence } from '../../core/read-run.ts'
import { outcomeOf } from '../../core/verdict.ts'
import { ActionButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { MuteButton } from '../../parts/mute-button.tsx'
import { NotFound } from '../../parts/not-found.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { Failure, FirstLoad, isNotFound, reasonOf } from '../../parts/states.tsx'
import { Moment } from '../../parts/time.tsx'
import { useKeys } from '../../shell/keys.ts'
import { AssertionList } from './assertion-list.tsx'
import { Attempts } from './attempts.tsx'
import { Causes } from './causes.tsx'
import { CodeEvidence } from './code-evidence.tsx'
import { Exchange } from './exchange.tsx'
import { NetworkDetail } from './network-detail.tsx'
import { phasesOf } from './phases.ts'
import { useResult, Verdict } from './verdict-of.tsx'
import { Waterfall } from './waterfall.tsx'
import { WhatChanged } from './what-changed.tsx'

interface ResultProps {
  checkId: string
  resultId: string
}

export function Screen(props: ResultProps) {
  const { data, error, refetch } = useResult(props)
  if (data !== undefined) return <Loaded result={data} />
  if (isNotFound(error)) return <NotFound what="This result" />
  return (
    <ScreenFrame title="Result">
      {error ? <Failure what="The result" error={error} onRetry={refetch} /> : <FirstLoad />}
    </ScreenFrame>
  )
}

function Loaded({ result }: { result: CheckResult }) {
  const { checkId, name } = result
  const { state, label } = outcomeOf(result)
  const assertions = assertionsOf(result)
  const phases = phasesOf(result)
  const network = networkEvidence(result)
  const hasEvidence =
    result.apiCheckResult !== null || network !== null || isCode(result) || result.checkType === 'HEARTBEAT'
  return (
    <ScreenFrame
      title={name}
      tabTitle={`${label}: ${name}`}
      trail={
        <>
          <Link href="/checks">Checks</Link> / <Link href={`/checks/${checkId}`}>{name}</Link> / Result
        </>
      }
      actions={<Actions checkId={checkId} isHeartbeat={result.checkType === 'HEARTBEAT'} />}
    >
      <Verdict result={result} />
      <Attempts result={result} />
      {state !== 'passing' && <WhatChanged result={result} />}
      {state !== 'passing' && <Causes result={result} />}
      {!hasEvidence && (
        <p className="muted-text">
          The evidence of this run is no longer kept: only its outcome and its times are.
        </p>
      )}
      {assertions.length > 0 && <AssertionList assertions={assertions} />}
      {phases.length > 0 && <Waterfall phases={phases} />}
      {result.apiCheckResult && <Exchange evidence={result.apiCheckResult} />}
      {network && <NetworkDetail evidence={network} />}
      {isCode(result) && <CodeEvidence result={result} />}
      <Facts result={result} />
    </ScreenFrame>
  )
}

function isCode({
  browserCheckResult,
  multiStepCheckResult,
  playwrightCheckResult,
  agenticCheckResult,
}: CheckResult): boolean {
  return [browserCheckResult, multiStepCheckResult, playwrightCheckResult, agenticCheckResult].some(
    (one) => one != null,
  )
}

function Actions(props: { checkId: string; isHeartbeat: boolean }) {
  const { data: check } = useCheck(props.checkId)
  return (
    <>
      <RunAgain {...props} />
      {check && <MuteButton check={check} />}
    </>
  )
}

function RunAgain({ checkId, isHeartbeat }: { checkId: string; isHeartbeat: boolean }) {
  const run = useRunNow(checkId)
  const { denialOf } = useSession()
  const denial = denialOf('READ_RUN')
  useKeys({ r: () => !isHeartbeat && denial === null && !run.isPending && run.mutate() })
  const ended = run.data?.results.find(({ resultType }) => resultType === 'FINAL')
  if (isHeartbeat) return null
  return (
    <>
      {ended && (
        <Link href={`/checks/${checkId}/results/${ended.checkResultId}`} className="button">
          Open the new result: {outcomeOf(ended).label}
        </Link>
      )}
      <ActionButton
        look="primary"
        onPress={() => run.mutate()}
        isPending={run.isPending}
        denial={denial}
        aria-keyshortcuts="r"
      >
        <Icon name="run" />
        {run.isPending ? 'Running…' : 'Run again'}
      </ActionButton>
      {run.error && (
        <p className="field-error" role="alert">
          {reasonOf(run.error)}
        </p>
      )}
    </>
  )
}

function Facts({ result }: { result: CheckResult }) {
  const nameOf = useLocationNames()
  const { startedAt, stoppedAt, runLocation, ranAt } = result
  return (
    <section aria-labelledby="facts">
      <h2 id="facts">About this run</h2>
      <dl className="facts">
        <dt>Due</dt>
        <dd>
          <Moment at={result.scheduledAt} />
        </dd>
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
