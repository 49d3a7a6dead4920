// Retry or final? In: what agents report, each with its lease. Out: results recorded, lanes moved on. One transaction:
// settle, record, decide and the retry commit together, and only then is the agent answered.
import { type Failure, type ReportedResult, toCurrentLayout } from '@vedette/contracts'
import type { DecisionContext } from '../alerting/decision/decision-context.ts'
import { recordAgenticScripts } from '../ingest/agentic-scripts.ts'
import { recordResults } from '../ingest/record.ts'
import { keyOf, type RunResult } from '../ingest/run-result.ts'
import { skippedSlots } from '../schedule/account-slots.ts'
import { idleLane } from '../schedule/idle-lane.ts'
import { slotAfter } from '../schedule/lane.ts'
import { timingOf } from '../schedule/timing.ts'
import type { Client } from '../storage/core/transaction.ts'
import { addCoverage, replaceMissed } from '../storage/runs/coverage.ts'
import { deleteLanes, type Lane, lockLanes, type ServedRun, updateLanes } from '../storage/runs/schedule.ts'
import type { Lease } from './lease-token.ts'
import { type Retry, retryAfter } from './retry.ts'
import { settleCheckSession, settleTestRuns } from './sessions.ts'

export interface Report {
  lease: Lease
  reported: ReportedResult
}

interface Settled extends Report {
  /** The lane, while it still waits for this very attempt. */
  lane: Lane | null
  retry: Retry | null
  result: RunResult
}

export async function settleReports(
  client: Client,
  reports: readonly Report[],
  context: DecisionContext,
): Promise<void> {
  const { now } = context
  const lanes = await lockLanes(client, [...new Set(reports.map(({ lease }) => lease.laneId))])
  await handBack(client, reports, lanes, now)
  const settled = firstOfEach(reports.filter(({ reported }) => reported.outcome !== 'cancelled'))
    .map((report) => settle(report, lanes, now))
    // On demand, and nobody waits for it any more: cancelled, or timed out.
    .filter(({ lane, lease }) => lane !== null || lease.source === 'schedule')
  const ofChecks = settled.filter(({ lease }) => lease.source !== 'test')
  const recorded = await recordResults(
    client,
    ofChecks.map(({ result }) => result),
    context,
  )
  await keepScripts(client, ofChecks, recorded, now)
  await moveLanes(client, settled, now)
  await takeBackMisses(client, ofChecks, recorded)
  await settleSessions(client, recorded, now)
  const tests = settled.filter(({ lease }) => lease.source === 'test')
  if (tests.length > 0) {
    await settleTestRuns(
      client,
      tests.map(({ lease, result }) => ({ ...result, testSessionId: lease.testSessionId as string })),
      now,
    )
  }
}

/** Of runs that were new; a test leaves nothing with the check, no script either. */
async function keepScripts(
  client: Client,
  settled: readonly Settled[],
  recorded: readonly RunResult[],
  now: number,
): Promise<void> {
  const scripting = settled.flatMap(({ result, reported: { agenticScript } }) =>
    agenticScript === null ? [] : [{ result, agenticScript }],
  )
  if (scripting.length === 0) return
  const isNew = new Set(recorded.map(keyOf))
  await recordAgenticScripts(
    client,
    scripting.filter(({ result }) => isNew.has(keyOf(result))),
    now,
  )
}

/** A run that its agent broke off says nothing: while the lease is still that agent's, another one may have it at once. */
async function handBack(
  client: Client,
  reports: readonly Report[],
  lanes: ReadonlyMap<number, Lane>,
  now: number,
): Promise<void> {
  const given = reports.flatMap(({ lease, reported }) => {
    const lane = lanes.get(lease.laneId)
    return reported.outcome === 'cancelled' && lane?.leaseId === lease.leaseId ? [lane] : []
  })
  await updateLanes(
    client,
    given.map((lane) => ({ ...lane, leaseId: null, agentId: null, dueAt: now })),
  )
}

/** An agent that was not answered reports again, perhaps within one batch. */
function firstOfEach(reports: readonly Report[]): Report[] {
  const seen = new Map<string, Report>()
  for (const report of reports) {
    const key = `${report.lease.runId} ${report.lease.attempt}`
    if (!seen.has(key)) seen.set(key, report)
  }
  return [...seen.values()]
}

function settle(report: Report, lanes: ReadonlyMap<number, Lane>, now: number): Settled {
  const { lease, reported } = report
  const known = lanes.get(lease.laneId)
  const isSameRun = known !== undefined && known.runId === lease.runId
  const lane = isSameRun && known.attempt === lease.attempt ? known : null
  const retry = lane === null ? null : retryOf(report, now)
  // The lane is at a later attempt: another agent was faster, and this one is history.
  const isOvertaken = isSameRun && known.attempt > lease.attempt
  const resultType = retry !== null || isOvertaken ? 'ATTEMPT' : 'FINAL'
  return { ...report, lane, retry, result: resultOf(lease, reported, resultType) }
}

function retryOf({ lease, reported }: Report, now: number): Retry | null {
  if (reported.outcome !== 'failed' && reported.outcome !== 'error') return null
  return retryAfter({
    checkType: lease.checkType,
    strategy: lease.retry,
    doubleCheck: lease.doubleCheck,
    runParallel: lease.runParallel,
    attempt: lease.attempt,
    failure:
      reported.failure ?? ({ kind: 'internal', phase: 'setup' } satisfies Pick<Failure, 'kind' | 'phase'>),
    startedAt: lease.startedAt,
    now,
    locations: lease.locations,
    location: lease.location,
    random: Math.random,
  })
}

/** The year 10000. */
const endOfDates = Date.UTC(10_000, 0, 1)

function resultOf(lease: Lease, reported: ReportedResult, resultType: RunResult['resultType']): RunResult {
  const { outcome, startedAt, durationMs, failure } = reported
  // The store keeps such times, but nobody can read them as dates.
  if (startedAt < 0 || startedAt + durationMs >= endOfDates) throw new RangeError('times that are no dates')
  return {
    accountId: lease.accountId,
    checkId: lease.checkId,
    checkType: lease.checkType,
    runId: lease.runId,
    attempt: lease.attempt,
    scheduledAt: lease.scheduledAt,
    source: lease.source === 'schedule' ? 'schedule' : 'session',
    resultType,
    location: lease.location,
    ranAt: lease.ranAt ?? null,
    startedAt: Math.round(startedAt),
    stoppedAt: Math.round(startedAt + durationMs),
    responseTimeMs: reported.responseTimeMs,
    hasFailures: outcome === 'failed',
    hasErrors: outcome === 'error',
    isDegraded: outcome === 'degraded',
    isCancelled: outcome === 'cancelled',
    overMaxResponseTime: reported.overMaxResponseTime,
    statusCode: reported.statusCode,
    metrics: toCurrentLayout(lease.checkType, reported.metrics, reported.metricLayout),
    sslDaysRemaining: reported.sslDaysRemaining,
    failure,
    detail: reported.detail,
    artifacts: reported.artifacts,
    checkSessionId: lease.checkSessionId,
    parallel: lease.parallel,
  }
}

async function moveLanes(client: Client, settled: readonly Settled[], now: number): Promise<void> {
  const moved: Lane[] = []
  const finished: Lane[] = []
  const done: number[] = []
  const served = new Map<number, ServedRun>()
  for (const { lane, retry, result } of settled) {
    if (lane === null) continue
    if (retry !== null) moved.push(waitForRetry(lane, retry, now))
    else if (lane.periodMs === null) done.push(lane.id)
    else {
      finished.push(lane)
      // An error of our own says nothing about the target.
      if (!result.hasErrors)
        served.set(lane.id, { location: result.location, at: Math.min(now, result.stoppedAt) })
      // What came while the run was in progress is skipped.
      moved.push(idleLane(lane, slotAfter(timingOf(lane), now)))
    }
  }
  await updateLanes(client, moved, served)
  await deleteLanes(client, done)
  await addCoverage(client, await skippedSlots(client, finished, now))
}

function waitForRetry(lane: Lane, { delayMs, location }: Retry, now: number): Lane {
  const place = lane.locations.indexOf(location)
  const queue = lane.queues[place] ?? lane.queue
  return {
    ...lane,
    attempt: lane.attempt + 1,
    location: place === -1 ? lane.location : location,
    queue,
    dueAt: now + delayMs,
    leaseId: null,
    agentId: null,
  }
}

/** A run that had been given up was made after all. */
async function takeBackMisses(
  client: Client,
  settled: readonly Settled[],
  recorded: readonly RunResult[],
): Promise<void> {
  const isNew = new Set(recorded.map(keyOf))
  const late = settled.filter(
    ({ lane, result }) => lane === null && result.source === 'schedule' && isNew.has(keyOf(result)),
  )
  await replaceMissed(
    client,
    late.map(({ result }) => result),
  )
}

async function settleSessions(client: Client, recorded: readonly RunResult[], now: number): Promise<void> {
  const ofSessions = recorded.filter(
    ({ checkSessionId, resultType }) => checkSessionId !== null && resultType === 'FINAL',
  )
  const bySession = Map.groupBy(ofSessions, ({ checkSessionId }) => checkSessionId as string)
  for (const [sessionId, results] of [...bySession].sort(([a], [b]) => (a < b ? -1 : 1))) {
    await settleCheckSession(client, sessionId, results, now)
  }
}
