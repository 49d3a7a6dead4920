// Claims runs that are due. In: the queues and the free capacity of agents. Out: runs with their leases.
// A claim also advances each lane, and counts the slots that were missed, that a maintenance window paused, or for which a
// quota was used up.
import { randomUUID } from 'node:crypto'
import { leaseMs, type RanAt } from '@vedette/contracts'
import { missedSlots } from '../schedule/account-slots.ts'
import { idleLane, slotAfter, slotAtOrBefore, timingOf } from '../schedule/lane.ts'
import { listPausedChecks } from '../storage/checks/maintenance.ts'
import type { Client } from '../storage/core/transaction.ts'
import { lockDueCodeLanes, recordCodeTurns } from '../storage/runs/code-claims.ts'
import { addCoverage, type CoverageEntry } from '../storage/runs/coverage.ts'
import { lockDueLanes, lockDueLanesOfEach } from '../storage/runs/network-claims.ts'
import { type Lane, updateLanes } from '../storage/runs/schedule.ts'
import { applyQuotas } from './quotas.ts'
import { runIdOf } from './run-id.ts'

/** An agent, and what it can take. */
export interface Taker {
  agent: RanAt
  queues: string[]
  limit: number
}

export interface ClaimRequest {
  takers: readonly Taker[]
  /** Null: all types. */
  checkTypes: string[] | null
  now: number
  /** Runs that are due until then are claimed too. */
  until: number
}

/** `startAt`: now, or when it is due. */
export type ClaimedLane = Lane & {
  taker: Taker
  runId: string
  leaseId: string
  runStartedAt: number
  startAt: number
}

/** Several agents: each serves one queue. */
export async function claimDue(client: Client, request: ClaimRequest): Promise<ClaimedLane[]> {
  const { takers } = request
  const [first, ...others] = takers
  if (first === undefined) return []
  if (others.length === 0)
    return claimLanes(client, request, await lockDueLanes(client, { ...request, ...first }))
  const limits = new Map<string, number>()
  for (const { queues, limit } of takers)
    for (const queue of queues) limits.set(queue, (limits.get(queue) ?? 0) + limit)
  const due = await lockDueLanesOfEach(client, limits, request)
  if (due !== null) return claimLanes(client, request, due)
  const claimed: ClaimedLane[] = []
  for (const taker of takers) claimed.push(...(await claimDue(client, { ...request, takers: [taker] })))
  return claimed
}

export interface CodeClaimRequest {
  taker: Taker
  locationKeys: string[]
  checkTypes: string[]
  now: number
  freeSlots: number
  allSlots: number | null
}

/** Shares the agent between accounts: see lockDueCodeLanes. */
export async function claimDueCode(client: Client, request: CodeClaimRequest): Promise<ClaimedLane[]> {
  const { taker, now } = request
  const due = await lockDueCodeLanes(client, { ...request, ...taker, agentId: taker.agent.agentId, leaseMs })
  const claimed = await claimLanes(client, { ...request, takers: [taker], until: now }, due)
  await recordCodeTurns(
    client,
    claimed.map(({ accountId }) => accountId),
    request.now,
  )
  return claimed
}

async function claimLanes(client: Client, request: ClaimRequest, due: Lane[]): Promise<ClaimedLane[]> {
  if (due.length === 0) return []
  const { now } = request
  const coverage: CoverageEntry[] = []
  const moved = new Map<number, Lane>()
  const takes = takersOf(request)
  const current: TakenLane[] = []
  const take = (lane: Lane) => {
    const taker = takes(lane.queue)
    // Without one, it stays due.
    if (taker !== undefined) current.push({ ...lane, taker })
  }
  const overdue = due.filter((lane) => isIdle(lane) && latestSlot(lane, now) > lane.slotAt)
  const missed = await missedSlots(client, overdue, now)
  for (const lane of due) {
    if (!overdue.includes(lane)) {
      take(lane)
      continue
    }
    const slot = slotAtOrBefore(timingOf(lane), now)
    const caughtUp = idleLane(lane, slot)
    moved.set(lane.id, caughtUp)
    take(caughtUp)
  }
  coverage.push(...missed)
  const { paused, early } = await pausedLanes(client, current, request)
  const beginning = current.filter((lane) => isIdle(lane) && !paused.has(lane.id) && !early.has(lane.id))
  const { over, undecided } = await applyQuotas(client, beginning, now)
  const claimed: ClaimedLane[] = []
  for (const lane of current) {
    // A later claim decides about it.
    if (undecided.has(lane.id) || early.has(lane.id)) continue
    if (paused.has(lane.id) || over.has(lane.id)) {
      coverage.push(skip(lane, paused.has(lane.id) ? 'maintenance' : 'quota'))
      moved.set(lane.id, idleLane(lane, slotAfter(timingOf(lane), Math.max(now, lane.slotAt))))
    } else {
      const leased = lease(lane, now)
      claimed.push(leased)
      moved.set(lane.id, leased)
    }
  }
  await updateLanes(client, [...moved.values()])
  await addCoverage(client, coverage)
  return claimed
}

type TakenLane = Lane & { taker: Taker }

/** Finds an agent that takes one more run of a queue: the first one that has capacity for it. */
function takersOf({ takers }: ClaimRequest): (queue: string) => Taker | undefined {
  const left = takers.map((taker) => ({ taker, count: taker.limit }))
  return (queue) => {
    const found = left.find(({ taker, count }) => count > 0 && taker.queues.includes(queue))
    if (found !== undefined) found.count -= 1
    return found?.taker
  }
}

function isIdle({ runId, periodMs }: Lane): boolean {
  return runId === null && periodMs !== null
}

function latestSlot(lane: Lane, now: number): number {
  return slotAtOrBefore(timingOf(lane), now).at
}

/**
 * Maintenance pauses only scheduled runs that haven't started, not those that are handed out again. `early`: maintenance begins or
 * ends before they are all due, so they wait until they are.
 */
async function pausedLanes(
  client: Client,
  lanes: readonly Lane[],
  { now, until }: ClaimRequest,
): Promise<{ paused: Set<number>; early: Set<number> }> {
  const idle = lanes.filter((lane) => isIdle(lane) && lane.hasPauses)
  if (idle.length === 0) return { paused: new Set(), early: new Set() }
  const paused = await listPausedChecks(client, idle, now)
  const ahead = idle.filter(({ dueAt }) => dueAt > now)
  const pausedLater = ahead.length === 0 ? paused : await listPausedChecks(client, ahead, until)
  const changing = ahead.filter(({ checkId }) => paused.has(checkId) !== pausedLater.has(checkId))
  return {
    paused: new Set(idle.filter(({ checkId }) => paused.has(checkId)).map(({ id }) => id)),
    early: new Set(changing.map(({ id }) => id)),
  }
}

function skip(
  { accountId, checkId, slotAt, location }: Lane,
  reason: 'maintenance' | 'quota',
): CoverageEntry {
  return { accountId, checkId, hourMs: slotAt, location, skipped: 1, reason }
}

function lease(lane: TakenLane, now: number): ClaimedLane {
  const startAt = Math.max(now, lane.dueAt)
  return {
    ...lane,
    runId: lane.runId ?? runIdOf(lane),
    leaseId: randomUUID(),
    agentId: lane.taker.agent.agentId,
    runStartedAt: lane.runStartedAt ?? startAt,
    startAt,
    dueAt: now + leaseMs,
  }
}
