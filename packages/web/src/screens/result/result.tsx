// The result that explains itself: the verdict, what changed since it last passed, then the evidence.
import './result.css'
import { Link } from 'wouter'
import { useCheck } from '../../api/check.ts'
import { useRunNow } from '../../api/check-actions.ts'
import { useSession } from '../../api/session.tsx'
import type { CheckResult } from '../../api/types.ts'
import { outcomeOf } from '../../core/verdict.ts'
import { ActionButton } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { MuteButton } from '../../parts/mute-button.tsx'
import { NotFound } from '../../parts/not-found.tsx'
import { ScreenFrame } from '../../parts/screen.tsx'
import { Failure, FirstLoad, isNotFound, reasonOf } from '../../parts/states.tsx'
import { useKeys } from '../../shell/keys.ts'
import { Attempts } from './attempts.tsx'
import { Causes } from './causes.tsx'
import { RunEvidence, RunFacts } from './evidence.tsx'
import { useResult, Verdict } from './verdict-of.tsx'
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
      <RunEvidence result={result} />
      <RunFacts result={result} dueAt={result.scheduledAt} />
    </ScreenFrame>
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
