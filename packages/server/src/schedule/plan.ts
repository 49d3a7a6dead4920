// Updates the lanes of checks. In: checks that were created or changed. Out: rows of the schedule. Runs in the transaction of
// the change, so that checks and lanes always match.
import { applyGroup, leaseMs, locationNames, renewEveryMs } from '@vedette/contracts'
import type { Client } from '../storage/core/transaction.ts'
import { addCoverage, insertMissedRuns } from '../storage/runs/coverage.ts'
import {
  insertLanes,
  lockPlannedLanes,
  type NewLane,
  type PlannedCheck,
  readPlannedChecks,
  updateLanePlans,
} from '../storage/runs/lane-plans.ts'
import { listPrivateLocationIds } from '../storage/runs/private-locations.ts'
import { deleteLanes, type Lane, updateLanes } from '../storage/runs/schedule.ts'
import { abandonedSlots, skippedSlots } from './account-slots.ts'
import { slotAfter } from './lane.ts'
import { firstTurn, rotationOf } from './locations.ts'
import { neutralGroup } from './neutral-group.ts'
import { queueOf } from './queue.ts'
import { periodOf, phaseOf } from './slots.ts'

interface PlannedLane {
  lane: string
  locations: string[]
  queues: string[]
  periodMs: number
  phaseMs: number
  turn: number
}

/** Returns the activated checks that have no location, neither their own nor their group's. */
export async function planChecks(
  client: Client,
  accountId: string,
  of: { checkIds: readonly string[] } | { groupId: number },
  now: number,
): Promise<{ id: string; name: string }[]> {
  const checks = await readPlannedChecks(client, accountId, of)
  if (checks.length === 0) return []
  const privateLocationIds = await listPrivateLocationIds(client, accountId)
  const ids = checks.map(({ id }) => id)
  const existing = Map.groupBy(await lockPlannedLanes(client, ids), ({ checkId }) => checkId)
  const ended: Lane[] = []
  const changed: ChangedLane[] = []
  const added: NewLane[] = []
  for (const check of checks) {
    const lanes = new Map((existing.get(check.id) ?? []).map((lane) => [lane.lane, lane]))
    const planned = new Map(lanesOf(check, privateLocationIds).map((lane) => [lane.lane, lane]))
    ended.push(...[...lanes.values()].filter(({ lane }) => !planned.has(lane)))
    for (const plan of planned.values()) {
      const lane = lanes.get(plan.lane)
      if (lane === undefined) added.push({ ...plan, ...firstSlot(plan, now), accountId, checkId: check.id })
      else if (!isSamePlan(lane, plan)) changed.push({ lane, plan })
    }
  }
  await endLanes(client, ended, now)
  await changeLanes(client, changed, now)
  await insertLanes(client, added, now)
  return checks.filter(lacksLocation)
}

interface ChangedLane {
  lane: Lane
  plan: PlannedLane
}

function lacksLocation(check: PlannedCheck): boolean {
  const effective = withGroup(check)
  if (!effective.activated || check.checkType === 'HEARTBEAT') return false
  return rotationOf(effective).length === 0
}

/** One lane that rotates through the locations, or one for each with runParallel; none if the check doesn't run. */
function lanesOf(check: PlannedCheck, privateLocationIds: ReadonlyMap<string, string>): PlannedLane[] {
  const effective = withGroup(check)
  if (!effective.activated || check.checkType === 'HEARTBEAT') return []
  const order = rotationOf(effective).flatMap((location) => {
    const key = location in locationNames ? location : privateLocationIds.get(location)
    // A private location that was deleted has no agents.
    return key === undefined ? [] : [{ location, queue: queueOf(key, check.checkType) }]
  })
  if (order.length === 0) return []
  const timing = { periodMs: periodOf(check), phaseMs: phaseOf(check) }
  if (effective.runParallel === true) {
    return order.map(({ location, queue }) => ({
      ...timing,
      lane: location,
      locations: [location],
      queues: [queue],
      turn: 0,
    }))
  }
  return [
    {
      ...timing,
      lane: '',
      locations: order.map(({ location }) => location),
      queues: order.map(({ queue }) => queue),
      turn: firstTurn(check.id, order.length),
    },
  ]
}

function withGroup({ group, ...check }: PlannedCheck) {
  const member = {
    checkType: check.checkType,
    activated: check.activated,
    muted: false,
    tags: [],
    locations: check.locations,
    privateLocations: check.privateLocations,
    runParallel: check.runParallel,
  }
  if (group === null) return member
  return applyGroup(member, { ...neutralGroup, ...group })
}

function isSamePlan(lane: Lane, plan: PlannedLane): boolean {
  return (
    lane.periodMs === plan.periodMs &&
    lane.phaseMs === plan.phaseMs &&
    lane.turn === plan.turn &&
    lane.locations.join() === plan.locations.join() &&
    lane.queues.join() === plan.queues.join()
  )
}

function firstSlot(plan: PlannedLane, now: number) {
  const { at, location, queue } = slotAfter(plan, now)
  return { slotAt: at, location, queue }
}

async function changeLanes(client: Client, changed: readonly ChangedLane[], now: number): Promise<void> {
  if (changed.length === 0) return
  const lanesWhere = (isRunning: boolean) =>
    changed.filter(({ lane }) => (lane.runId !== null) === isRunning).map(({ lane }) => lane)
  // Slots that passed are counted by the plan that was in force then.
  await addCoverage(client, [
    ...(await abandonedSlots(client, lanesWhere(false), now)),
    ...(await skippedSlots(client, lanesWhere(true), now)),
  ])
  const updated = changed.map(({ lane, plan }) => {
    if (lane.runId !== null) return { ...lane, countedTo: now }
    const slot = firstSlot(plan, now)
    return { ...lane, ...slot, dueAt: slot.slotAt }
  })
  await updateLanes(client, updated)
  await updateLanePlans(
    client,
    changed.map(({ lane, plan }) => ({ ...plan, id: lane.id })),
    now,
  )
}

/** An agent that lives has renewed its leases by then, and a run that was claimed ahead is due by then. */
const silentAfterMs = renewEveryMs + 2_000

async function endLanes(client: Client, lanes: readonly Lane[], now: number): Promise<void> {
  if (lanes.length === 0) return
  const idle = lanes.filter(({ runId }) => runId === null)
  const running = lanes.filter(({ runId }) => runId !== null)
  await addCoverage(client, [
    ...(await abandonedSlots(client, idle, now)),
    ...(await skippedSlots(client, running, now)),
  ])
  // The change cancels a run in progress: it isn't missed, and counts as executed if its agent still reports it. A run whose
  // agent was silent was lost before the change; a late report removes the mark.
  const lost = running.filter(
    ({ leaseId, dueAt }) => leaseId !== null && dueAt - leaseMs + silentAfterMs <= now,
  )
  await insertMissedRuns(
    client,
    lost.map(({ accountId, checkId, slotAt, runId, location }) => ({
      accountId,
      checkId,
      scheduledAt: slotAt,
      runId: runId ?? '',
      location,
      reason: 'agent' as const,
    })),
  )
  await deleteLanes(
    client,
    lanes.map(({ id }) => id),
  )
}
