// Runs that nobody makes. In: lanes whose time is over. Out: slots counted as missed, lost runs marked, sessions ended.
// A lost run whose lease is over is first handed out again by the claim; here it is given up a good while later.
import type { CheckType } from '@vedette/contracts'
import type { DecisionContext } from '../alerting/decision/decision-context.ts'
import { type EndedRun, endParallelPart, finalizeRun } from '../ingest/finalize.ts'
import { givenUpSlots, missedSlots } from '../schedule/account-slots.ts'
import { idleLane } from '../schedule/idle-lane.ts'
import { slotAtOrBefore } from '../schedule/lane.ts'
import { allQueues } from '../schedule/queue.ts'
import { timingOf } from '../schedule/timing.ts'
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
import { runIdOf } from './run-id.ts'
import { expireSessionRuns } from './sessions.ts'

/** Returns how many lanes it dealt with: as many as the limit means that there is more to do. */
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
    const run = await endedRun(client, lane)
    // A retry that nobody made leaves the attempt before it as the last word.
    if (lane.attempt > 1 && (await finalizeRun(client, run, context)) !== null) continue
    // Its agent could not renew, nor report, while no server was alive.
    const isInOutage = outages.some(({ from, to }) => from < lane.dueAt && lane.slotAt < to)
    missed.push({ ...run, reason: isInOutage ? 'server' : 'agent' })
    await endParallelPart(client, run, context)
  }
  await insertMissedRuns(client, missed)
  await addCoverage(client, await givenUpSlots(client, lanes, now))
}

async function endedRun(client: Client, lane: Lane): Promise<EndedRun> {
  const lanes = lane.lane === '' ? 1 : await countLanes(client, lane.checkId)
  return {
    accountId: lane.accountId,
    checkId: lane.checkId,
    checkType: lane.checkType as CheckType,
    scheduledAt: lane.slotAt,
    runId: lane.runId ?? '',
    location: lane.location,
    parallel: lanes > 1 ? lanes : null,
  }
}

/** An on-demand run that nobody claimed in time, or whose agent is lost. */
async function endSessions(client: Client, lanes: readonly Lane[], now: number): Promise<void> {
  if (lanes.length === 0) return
  await expireSessionRuns(
    client,
    lanes.map((lane) => ({ ...lane, runId: lane.runId ?? runIdOf(lane) })),
    now,
  )
  await deleteLanes(
    client,
    lanes.map(({ id }) => id),
  )
}
