// Settles reported runs: is the run retried, or is this its final result? In: reports with their leases. Out: results
// recorded, lanes advanced. Everything commits in one transaction before the agent gets its response.
import { type Failure, type ReportedResult, toCurrentLayout } from '@vedette/contracts'
import type { DecisionContext } from '../alerting/decision/decision-context.ts'
import { recordAgenticScripts } from '../ingest/agentic-scripts.ts'
import { recordResults } from '../ingest/record.ts'
import { keyOf, type RunResult } from '../ingest/run-result.ts'
import { skippedSlots } from '../schedule/account-slots.ts'
import { idleLane, slotAfter, timingOf } from '../schedule/lane.ts'
import type { Client } from '../storage/core/transaction.ts'
import { addCoverage, replaceMissed } from '../storage/runs/coverage.ts'
import { deleteLanes, type Lane, lockLanes, type ServedRun, updateLanes } from '../storage/runs/schedule.ts'
import { groupBySession } from './end-runs.ts'
import type { Lease } from './lease-token.ts'
import { type Retry, retryAfter } from './retry.ts'
import { settleCheckSession, settleTestRuns } from './sessions.ts'

export interface Report {
  lease: Lease
  reported: ReportedResult
}

interface Settled extends Report {
  /** Null if the lane doesn't wait for this attempt any more. */
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
  const settled = deduplicate(reports.filter(({ reported }) => reported.outcome !== 'cancelled'))
    .map((report) => settle(report, lanes, now))
    // On-demand runs without a lane were cancelled or timed out.
    .filter(({ lane, lease }) => lane !== null || lease.source === 'schedule')
  const ofChecks = settled.filter(({ lease }) => lease.source !== 'test')
  const recorded = await recordResults(
    client,
    ofChecks.map(({ result }) => result),
    context,
  )
  await recordScripts(client, ofChecks, recorded, now)
  await advanceLanes(client, settled, now)
  await removeMisses(client, ofChecks, recorded)
  await settleSessions(client, recorded, now)
  const tests = settled.flatMap(({ lease: { testSessionId }, result }) =>
    testSessionId === null ? [] : [{ ...result, testSessionId }],
  )
  if (tests.length > 0) await settleTestRuns(client, tests, now)
}

/** Only of runs that were recorded now. Tests don't change the check. */
async function recordScripts(
  client: Client,
  settled: readonly Settled[],
  recorded: readonly RunResult[],
  now: number,
): Promise<void> {
  const scripts = settled.flatMap(({ result, reported: { agenticScript } }) =>
    agenticScript === null ? [] : [{ result, agenticScript }],
  )
  if (scripts.length === 0) return
  const newKeys = new Set(recorded.map(keyOf))
  await recordAgenticScripts(
    client,
    scripts.filter(({ result }) => newKeys.has(keyOf(result))),
    now,
  )
}

/** A run that its agent aborted has no result. While the agent holds the lease, the run is due again at once, or in its slot. */
async function handBack(
  client: Client,
  reports: readonly Report[],
  lanes: ReadonlyMap<number, Lane>,
  now: number,
): Promise<void> {
  const returned = reports.flatMap(({ lease, reported }) => {
    const lane = lanes.get(lease.laneId)
    return reported.outcome === 'cancelled' && lane?.leaseId === lease.leaseId ? [lane] : []
  })
  await updateLanes(
    client,
    returned.map((lane) => ({ ...lane, leaseId: null, agentId: null, dueAt: Math.max(now, lane.slotAt) })),
  )
}

/** An agent that got no response reports again, possibly in the same batch. */
function deduplicate(reports: readonly Report[]): Report[] {
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
  // The lane is at a later attempt: another agent reported this one first.
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
const maxTimestamp = Date.UTC(10_000, 0, 1)

function resultOf(lease: Lease, reported: ReportedResult, resultType: RunResult['resultType']): RunResult {
  const { outcome, startedAt, durationMs, failure } = reported
  // PostgreSQL stores such times, but JavaScript can't read them as dates.
  if (startedAt < 0 || startedAt + durationMs >= maxTimestamp)
    throw new RangeError('the times are out of range')
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
    certificate: reported.certificate,
    failure,
    detail: reported.detail,
    artifacts: reported.artifacts,
    checkSessionId: lease.checkSessionId,
    parallel: lease.parallel,
  }
}

async function advanceLanes(client: Client, settled: readonly Settled[], now: number): Promise<void> {
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
      // An internal error says nothing about the target.
      if (!result.hasErrors)
        served.set(lane.id, { location: result.location, at: Math.min(now, result.stoppedAt) })
      // Slots that passed while the run was in progress are skipped. The clock of another server may be behind.
      moved.push(idleLane(lane, slotAfter(timingOf(lane), Math.max(now, lane.slotAt))))
    }
  }
  await updateLanes(client, moved, served)
  await deleteLanes(client, done)
  await addCoverage(client, await skippedSlots(client, finished, now))
}

function waitForRetry(lane: Lane, { delayMs, location }: Retry, now: number): Lane {
  const index = lane.locations.indexOf(location)
  return {
    ...lane,
    attempt: lane.attempt + 1,
    location: index === -1 ? lane.location : location,
    queue: lane.queues[index] ?? lane.queue,
    dueAt: now + delayMs,
    leaseId: null,
    agentId: null,
  }
}

/** The results of runs that had been given up arrived late: those runs aren't missed. */
async function removeMisses(
  client: Client,
  settled: readonly Settled[],
  recorded: readonly RunResult[],
): Promise<void> {
  const newKeys = new Set(recorded.map(keyOf))
  const late = settled.filter(
    ({ lane, result }) => lane === null && result.source === 'schedule' && newKeys.has(keyOf(result)),
  )
  await replaceMissed(
    client,
    late.map(({ result }) => result),
  )
}

async function settleSessions(client: Client, recorded: readonly RunResult[], now: number): Promise<void> {
  const final = recorded.filter(({ resultType }) => resultType === 'FINAL')
  for (const [sessionId, results] of groupBySession(final, ({ checkSessionId }) => checkSessionId)) {
    await settleCheckSession(client, sessionId, results, now)
  }
}
