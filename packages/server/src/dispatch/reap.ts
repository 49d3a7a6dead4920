// Gives up overdue runs. In: overdue lanes. Out: slots counted as missed, lost runs recorded, sessions ended.
// When the lease of a lost run expires, a claim first hands the run out again; it is given up here only much later.
import type { DecisionContext } from '../alerting/decision/decision-context.ts'
import { type EndedRun, endParallelPart, finalizeRun } from '../ingest/finalize.ts'
import { givenUpSlots, missedSlots } from '../schedule/account-slots.ts'
import { idleLane, slotAtOrBefore, timingOf } from '../schedule/lane.ts'
import { allQueues } from '../schedule/queue.ts'
import { ensureDays } from '../storage/core/partitions.ts'
import type { Client } from '../storage/core/transaction.ts'
import { addCoverage, insertMissedRuns, type MissedRun } from '../storage/runs/coverage.ts'
import {
  countLanes,
  deleteLanes,
  type Lane,
  listPrivateQueues,
  lockOverdueLanes,
  updateLanes,
} from '../storage/runs/schedule.ts'
import { listOutagesUpTo } from '../storage/runs/servers.ts'
import { expireSessionRuns } from './sessions.ts'

/** Returns the number of lanes that it processed: if that is the limit, there may be more. */
export async function reapOverdue(client: Client, context: DecisionContext, limit = 500): Promise<number> {
  const { now } = context
  const queues = allQueues(await listPrivateQueues(client))
  const overdue = await lockOverdueLanes(client, { queues, now, limit })
  if (overdue.length === 0) return 0
  const sessions = overdue.filter(({ periodMs }) => periodMs === null)
  const idle = overdue.filter(({ periodMs, runId }) => periodMs !== null && runId === null)
  const lost = overdue.filter(({ periodMs, runId }) => periodMs !== null && runId !== null)
  await addCoverage(client, await missedSlots(client, idle, now))
  await giveUp(client, lost, context)
  await updateLanes(
    client,
    // The latest slot can still be run.
    [...idle, ...lost].map((lane) => idleLane(lane, slotAtOrBefore(timingOf(lane), now))),
  )
  await endSessions(client, sessions, now)
  return overdue.length
}

async function giveUp(client: Client, lanes: readonly Lane[], context: DecisionContext): Promise<void> {
  if (lanes.length === 0) return
  const { now } = context
  const outages = await listOutagesUpTo(client, Math.min(...lanes.map(({ slotAt }) => slotAt)), now)
  await ensureDays(
    client,
    lanes.map(({ slotAt }) => slotAt),
  )
  const missed: MissedRun[] = []
  for (const lane of lanes) {
    const run = await readEndedRun(client, lane)
    // If a retry was lost, the attempt before it becomes the final result.
    if (lane.attempt > 1 && (await finalizeRun(client, run, context)) !== null) continue
    // While no server was alive, the agent could neither renew the lease nor report.
    const isInOutage = outages.some(({ from, to }) => from < lane.dueAt && lane.slotAt < to)
    missed.push({ ...run, reason: isInOutage ? 'server' : 'agent' })
    await endParallelPart(client, run, context)
  }
  await insertMissedRuns(client, missed)
  await addCoverage(client, await givenUpSlots(client, lanes, now))
}

async function readEndedRun(client: Client, lane: Lane): Promise<EndedRun> {
  const lanes = lane.lane === '' ? 1 : await countLanes(client, lane.checkId)
  return {
    accountId: lane.accountId,
    checkId: lane.checkId,
    checkType: lane.checkType,
    scheduledAt: lane.slotAt,
    runId: lane.runId ?? '',
    location: lane.location,
    parallel: lanes > 1 ? lanes : null,
  }
}

/** For on-demand runs that no agent claimed in time, or whose agent was lost. */
async function endSessions(client: Client, lanes: readonly Lane[], now: number): Promise<void> {
  if (lanes.length === 0) return
  await expireSessionRuns(client, lanes, now)
  await deleteLanes(
    client,
    lanes.map(({ id }) => id),
  )
}
