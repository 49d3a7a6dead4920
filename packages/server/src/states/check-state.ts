// Derives the state of a check, for statuses, checks, badges, metrics and messages. Pure: its inputs are stored facts and the
// time. It runs on every read, so that a check can't look healthy because a background task has stopped.
import { type CheckState, type CheckStateName, minuteMs, type Verdict } from '@vedette/contracts'
import type { StateFacts, UnknownCause } from './state-facts.ts'
import { reasonOf } from './state-reason.ts'

export interface DerivedState extends CheckState {
  /** When the check had missed too many planned runs; null if it hasn't. Always null for heartbeat monitors. */
  overdueSince: number | null
}

/** The shortest time after the last run before the state becomes unknown. */
export const minUnknownMs = minuteMs

/** `cause` only changes the reason text of an unknown state. */
export function checkState(facts: StateFacts, now: number, cause: UnknownCause | null = null): DerivedState {
  const staleSince = staleSinceOf(facts, now)
  const state = stateOf(facts, now, staleSince)
  const since = Math.min(now, sinceOf(facts, state, staleSince))
  return {
    state,
    since: isoOf(since),
    reason: reasonOf({ facts, state, now, cause }),
    lastState: facts.verdict,
    lastRunAt: isoOrNull(facts.heartbeat === null ? facts.lastRunAt : facts.heartbeat.lastPingAt),
    nextRunAt: isoOrNull(nextRunOf(facts, state, now)),
    staleLocations: state === 'inactive' || state === 'maintenance' ? [] : staleLocationsOf(facts, now),
    overdueSince: state === 'unknown' ? overdueSinceOf(facts, now) : null,
  }
}

function stateOf(facts: StateFacts, now: number, staleSince: number | null): CheckStateName {
  if (!isActive(facts)) return 'inactive'
  if (facts.pause !== null) return 'maintenance'
  if (facts.verdict === null || facts.knownAt === null || staleSince !== null) return 'unknown'
  if (facts.heartbeat !== null && isUnwatched(facts.heartbeat, facts.verdict, now)) return 'unknown'
  return facts.verdict
}

function isActive({ activated, isGroupActivated }: StateFacts): boolean {
  return activated && isGroupActivated
}

/** Its timer isn't running, or its deadline has passed and no server has evaluated it. */
function isUnwatched(
  { deadlineAt }: NonNullable<StateFacts['heartbeat']>,
  verdict: Verdict,
  now: number,
): boolean {
  if (deadlineAt === null) return true
  return verdict !== 'failing' && now >= deadlineAt + minUnknownMs
}

function staleSinceOf(facts: StateFacts, now: number): number | null {
  const at = staleFrom(facts)
  return at !== null && judgedAt(facts.runningSince, now) >= at ? at : null
}

/** Counted from the last run with a verdict. Slots that maintenance skips aren't missed. */
function staleFrom(facts: StateFacts): number | null {
  if (facts.heartbeat !== null || facts.knownAt === null) return null
  return unknownFrom(facts, Math.max(freshAt(facts, facts.knownAt), facts.pausedUntil ?? 0))
}

/** When the state changes next if nothing happens until then; maintenance windows and runs in progress aren't considered. */
export function changesAt(facts: StateFacts, now: number): number {
  const { heartbeat } = facts
  const instants =
    heartbeat === null
      ? [staleFrom(facts) ?? 0, ...staleTimesOf(facts).map(({ at }) => at)]
      : [(heartbeat.deadlineAt ?? 0) + minUnknownMs]
  return Math.min(Number.POSITIVE_INFINITY, ...instants.filter((at) => at > now))
}

/** How long a run in several locations waits for those that don't report, with a margin. */
const parallelDecisionMs = 120_000

/**
 * When the state was last known. While one of several locations is dead, a run is decided a minute late. Runs that ended in
 * the other locations since then count, but no longer than a decision may take.
 */
function freshAt({ lanes, periodMs }: StateFacts, knownAt: number): number {
  if (lanes.length < 2) return knownAt
  const served = Math.max(...lanes.flatMap((lane) => Object.values(lane.served)), knownAt)
  return Math.min(served, knownAt + periodMs + parallelDecisionMs)
}

/** Like `staleSinceOf`, but counted from the last change at the earliest: earlier slots weren't planned. */
function overdueSinceOf(facts: StateFacts, now: number): number | null {
  if (facts.heartbeat !== null || !facts.isPlanned) return null
  const at = unknownFrom(
    facts,
    Math.max(freshAt(facts, facts.knownAt ?? 0), facts.changedAt, facts.pausedUntil ?? 0),
  )
  return judgedAt(facts.runningSince, now) >= at ? at : null
}

/** Slots during a run are skipped, not missed. */
function judgedAt(runningSince: number | null, now: number): number {
  return runningSince === null ? now : Math.min(now, runningSince)
}

type MissRule = Pick<StateFacts, 'periodMs' | 'phaseMs' | 'unknownAfterMissedRuns'>

/** When a check whose last run ended at `knownAt` has missed too many runs: a slot is missed when the next one is due. */
export function unknownFrom(rule: MissRule, knownAt: number): number {
  const missed = nextSlotAfter(rule, knownAt) + rule.unknownAfterMissedRuns * rule.periodMs
  return Math.max(missed, knownAt + minUnknownMs)
}

function nextSlotAfter(
  { periodMs, phaseMs }: Pick<MissRule, 'periodMs' | 'phaseMs'>,
  instant: number,
): number {
  return phaseMs + (Math.floor((instant - phaseMs) / periodMs) + 1) * periodMs
}

function sinceOf(facts: StateFacts, state: CheckStateName, staleSince: number | null): number {
  const { createdAt, heartbeat, pausedUntil, pause } = facts
  if (state === 'inactive') return inactiveSince(facts)
  if (state === 'maintenance') return Math.max(pause?.from ?? 0, createdAt, activatedAt(facts))
  const resumedAt = Math.max(activatedAt(facts), pausedUntil ?? 0)
  if (state !== 'unknown') return Math.max(facts.stateSince ?? 0, resumedAt)
  if (facts.verdict === null) return Math.max(createdAt, resumedAt)
  if (heartbeat === null) return Math.max(staleSince ?? 0, resumedAt)
  return heartbeat.deadlineAt === null ? Math.max(createdAt, resumedAt) : heartbeat.deadlineAt + minUnknownMs
}

/** When the check or its group was activated again; 0: never. */
function activatedAt({ activationChangedAt, groupActivationChangedAt }: StateFacts): number {
  return Math.max(activationChangedAt ?? 0, groupActivationChangedAt ?? 0)
}

function inactiveSince(facts: StateFacts): number {
  const own = facts.activated ? Infinity : (facts.activationChangedAt ?? facts.createdAt)
  const ofGroup = facts.isGroupActivated ? Infinity : (facts.groupActivationChangedAt ?? facts.createdAt)
  return Math.max(Math.min(own, ofGroup), facts.createdAt)
}

function nextRunOf(facts: StateFacts, state: CheckStateName, now: number): number | null {
  if (state === 'inactive') return null
  if (facts.heartbeat !== null) return facts.heartbeat.dueAt
  if (!facts.isPlanned) return null
  return nextSlotAfter(facts, facts.pause === null ? now : facts.pause.to - 1)
}

function staleLocationsOf(facts: StateFacts, now: number): string[] {
  return staleTimesOf(facts)
    .filter(({ at, isRunning }) => !isRunning && now >= at)
    .map(({ location }) => location)
    .sort()
}

/** From when on each location is stale. Locations that take turns each have one slot per round. */
function staleTimesOf({ periodMs, pausedUntil, lanes, phaseMs, unknownAfterMissedRuns }: StateFacts) {
  return lanes.flatMap(({ locations, plannedAt, served, runningIn }) => {
    const rule = { periodMs: periodMs * locations.length, phaseMs, unknownAfterMissedRuns }
    return locations.flatMap((location) => {
      const servedAt = served[location] ?? plannedAt
      if (servedAt === null) return []
      const at = unknownFrom(rule, Math.max(servedAt, pausedUntil ?? 0))
      return [{ location, at, isRunning: location === runningIn }]
    })
  })
}

function isoOf(instant: number): string {
  return new Date(instant).toISOString()
}

function isoOrNull(instant: number | null): string | null {
  return instant === null ? null : isoOf(instant)
}
