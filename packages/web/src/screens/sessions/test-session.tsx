// Checks run as a test: no alerts, and nothing in their results. States and logs come while the runs are in progress.
import { useQueries, useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { Link } from 'wouter'
import { call, type ResponseTo } from '../../api/call.ts'
import { useLocationNames } from '../../api/locations.ts'
import type { SessionEntry } from '../../api/types.ts'
import { formatClock, formatDuration } from '../../core/format.ts'
import { typeLabels } from '../../core/states.ts'
import type { TestProgress, TestRun } from '../../core/test-progress.ts'
import { outcomeOf } from '../../core/verdict.ts'
import { useTestProgress } from '../../live/test-progress.ts'
import { AnalyzeButton } from '../../parts/analyze-button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { RootCause } from '../../parts/root-cause.tsx'
import { RowKeys } from '../../parts/row-keys.tsx'
import { StateLabel } from '../../parts/state-icon.tsx'
import { Failure, FirstLoad } from '../../parts/states.tsx'
import { TableBox } from '../../parts/table-box.tsx'
import { RelativeTime, useTimeOptions } from '../../parts/time.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import { providerLabels } from './filters.ts'
import { SessionFrame, type SessionProps } from './session-frame.tsx'

type Session = ResponseTo<'GET /v1/test-sessions/{testSessionId}'>
type Result = Session['results'][number]

export function TestSession({ session, onChange }: SessionProps) {
  const { id, state } = session
  const { data, error, refetch } = useQuery({
    queryKey: ['test-session', id, state === 'running'],
    queryFn: ({ signal }) =>
      call('GET /v1/test-sessions/{testSessionId}', { params: { testSessionId: id } }, signal),
  })
  const progress = useTestProgress(id, state !== 'running', onChange)
  const checkIds = [...new Set(data?.results.flatMap(({ checkId }) => checkId ?? []))]
  const hasDrafts = data?.results.some(({ checkId }) => checkId === null) ?? false
  const rerun = async () => {
    const { testSessionId } = await call('POST /v1/test-sessions/trigger', {
      body: {
        name: session.name,
        runLocation: session.locations[0] ?? '',
        target: { checkId: checkIds, allowDeactivated: true },
        metadata: data?.metadata ?? {},
      },
    })
    showOutcome('Started again, with the variables of the checks and without retries.')
    return testSessionId
  }
  const rerunDenial = hasDrafts
    ? 'It ran checks that aren’t saved: run it again where it was started.'
    : checkIds.length === 0
      ? 'Its checks were deleted.'
      : null
  return (
    <SessionFrame session={session} onChange={onChange} rerun={rerun} rerunDenial={rerunDenial}>
      {data && <Origin session={session} metadata={data.metadata} project={data.project} />}
      {error && data === undefined && <Failure what="The results" error={error} onRetry={refetch} />}
      {data === undefined && !error && <FirstLoad rows={4} />}
      {data && <Runs session={data} progress={progress} />}
      {data && <ErrorGroups ids={data.errorGroupIds} />}
    </SessionFrame>
  )
}

function Origin({
  session,
  metadata,
  project,
}: {
  session: SessionEntry
  metadata: Session['metadata']
  project: Session['project']
}) {
  const { repoUrl, commitId, commitMessage, commitOwner, branchName, environment } = metadata
  const isWeb = repoUrl != null && /^https?:\/\//.test(repoUrl)
  const facts: [string, React.ReactNode][] = [
    ['Started by', starterOf(session)],
    ['Project', project?.name],
    ['Environment', environment],
    [
      'Branch',
      branchName && <Link href={`/sessions?branch=${encodeURIComponent(branchName)}`}>{branchName}</Link>,
    ],
    [
      'Commit',
      commitId && (
        <>
          <Link href={`/sessions?commit=${encodeURIComponent(commitId)}`} className="mono">
            {commitId.slice(0, 12)}
          </Link>{' '}
          {commitMessage?.split('\n')[0]}{' '}
          {commitOwner && <span className="muted-text">by {commitOwner}</span>}
        </>
      ),
    ],
    [
      'Repository',
      repoUrl &&
        (isWeb ? (
          <a href={repoUrl} target="_blank" rel="noreferrer">
            {repoUrl}
          </a>
        ) : (
          repoUrl
        )),
    ],
  ]
  return (
    <dl className="facts">
      {facts.map(([label, value]) =>
        value ? (
          <div key={label} className="fact">
            <dt>{label}</dt>
            <dd>{value}</dd>
          </div>
        ) : null,
      )}
    </dl>
  )
}

function starterOf({ provider, invoker }: SessionEntry): string | null {
  const parts = [invoker, provider && providerLabels[provider]].filter(Boolean)
  return parts.length === 0 ? null : parts.join(', ')
}

function Runs({ session, progress }: { session: Session; progress: TestProgress }) {
  const nameOf = useLocationNames()
  const live = new Map([...progress.runs.values()].map((run) => [run.testSessionResultId, run]))
  const shown = session.results.filter(({ resultType }) => resultType !== 'ATTEMPT')
  return (
    <section aria-labelledby="runs">
      <h2 id="runs">Runs</h2>
      <RowKeys>
        <TableBox label="Runs">
          <table className="table">
            <thead>
              <tr>
                <th scope="col">Outcome</th>
                <th scope="col">Check</th>
                <th scope="col">Location</th>
                <th scope="col">Agent</th>
                <th scope="col" className="num">
                  Duration
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((result) => {
                const known = live.get(result.testSessionResultId)
                // The stream may have been closed before its last message.
                const run = result.resultType === 'PENDING' ? known : undefined
                const log = run && progress.logs.get(run.sequenceId)
                return (
                  <tr key={result.testSessionResultId}>
                    <td className="nowrap">
                      <RunState result={result} run={run} />
                    </td>
                    <td>
                      <Link
                        href={`/test-sessions/${session.testSessionId}/results/${result.testSessionResultId}`}
                        data-row-link=""
                      >
                        {result.name}
                      </Link>{' '}
                      <span className="muted-text">{typeLabels[result.checkType]}</span>
                      {known?.scheduleError && <div className="failing">{known.scheduleError}</div>}
                      {log && run.state !== 'ended' && <RunLog lines={log.lines} />}
                    </td>
                    <td>{nameOf(run?.runLocation ?? result.runLocation)}</td>
                    <td>{run?.agentName ?? agentOf(result)}</td>
                    <td className="num">{durationOf(run ?? result)}</td>
                  </tr>
                )
              })}
            </tbody>
          </table>
        </TableBox>
      </RowKeys>
    </section>
  )
}

const runLabels: Record<Exclude<TestRun['state'], 'ended'>, string> = {
  waiting: 'Waiting for an agent',
  running: 'Running',
  retrying: 'Waits for its retry',
}

function RunState({ result, run }: { result: Result; run: TestRun | undefined }) {
  const state = run?.state ?? (result.resultType === 'PENDING' ? 'waiting' : 'ended')
  if (state !== 'ended')
    return (
      <span className="state running">
        <Icon name="run" />
        {runLabels[state]}
        {run !== undefined && run.attempt > 1 && `, attempt ${run.attempt}`}
      </span>
    )
  const isKnown = result.resultType === 'FINAL'
  const { state: outcome, label } = outcomeOf(
    isKnown
      ? { ...result, isCancelled: result.status === 'CANCELLED' }
      : { hasFailures: run?.status === 'FAILED', isCancelled: run?.status === 'CANCELLED' },
  )
  return <StateLabel state={outcome} label={label} />
}

function agentOf({ ranAt }: Result): string {
  if (ranAt == null) return '–'
  return ranAt.isBuiltIn ? 'Built-in agent' : (ranAt.agentName ?? '–')
}

function durationOf({ responseTime }: Pick<Result, 'responseTime'>): string {
  return responseTime ? formatDuration(responseTime) : '–'
}

/** The newest line stays in view, unless the reader has scrolled up. */
function RunLog({ lines }: { lines: readonly { time: number; msg: string; level: string }[] }) {
  const options = useTimeOptions()
  const list = useRef<HTMLOListElement>(null)
  const isAtEnd = useRef(true)
  useEffect(() => {
    if (lines.length > 0 && isAtEnd.current) list.current?.scrollTo({ top: list.current.scrollHeight })
  }, [lines])
  return (
    <details className="run-log" open>
      <summary>Log</summary>
      <ol
        ref={list}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: people scroll it by keyboard
        tabIndex={0}
        aria-label="Log"
        className="panel log"
        onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
          isAtEnd.current = scrollTop + clientHeight >= scrollHeight - 8
        }}
      >
        {lines.map(({ time, msg }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have a fixed order
          <li key={index}>
            <span className="muted-text">{formatClock(time, options)}</span> {msg}
          </li>
        ))}
      </ol>
    </details>
  )
}

export function ErrorGroups({ ids }: { ids: readonly string[] }) {
  const groups = useQueries({
    queries: ids.slice(0, 20).map((id) => ({
      queryKey: ['test-error-group', id],
      queryFn: ({ signal }: { signal: AbortSignal }) =>
        call('GET /v1/test-session-error-groups/{id}', { params: { id } }, signal),
    })),
  })
  const known = groups.flatMap(({ data }) => data ?? [])
  if (known.length === 0) return null
  return (
    <section aria-labelledby="errors">
      <h2 id="errors">Why it fails</h2>
      <ul className="panels">
        {known.map((group) => {
          const analysis = group.rootCauseAnalyses?.[0]?.analysis ?? null
          return (
            <li key={group.id} className="panel">
              <p className="error-message">{group.rawErrorMessage ?? group.cleanedErrorMessage}</p>
              {analysis ? (
                <RootCause analysis={analysis} />
              ) : (
                <AnalyzeButton
                  start={() =>
                    call('POST /v1/root-cause-analyses/test-session-error-groups/{testSessionErrorGroupId}', {
                      params: { testSessionErrorGroupId: group.id },
                    })
                  }
                  onDone={() => groups.forEach(({ refetch }) => void refetch())}
                />
              )}
              <p className="muted-text">
                In test sessions first seen <RelativeTime at={group.firstSeen} />, last{' '}
                <RelativeTime at={group.lastSeen} />
              </p>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
