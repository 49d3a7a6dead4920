// Reads the facts of stored checks and derives their states.
import { listPausingWindows } from '../storage/checks/maintenance.ts'
import type { Client } from '../storage/core/transaction.ts'
import { listStateFacts, type StateFactsRow } from '../storage/results/state-facts.ts'
import { agentGoneAfterMs } from '../storage/runs/agents.ts'
import { listOutages } from '../storage/runs/servers.ts'
import {
  type AssignedLocation,
  listAssignedLocations,
  listPresentAgents,
} from '../storage/runs/unserved-causes.ts'
import { checkState, type DerivedState } from './check-state.ts'
import { longestLookBackMs, pausesAt } from './pauses.ts'
import type { StateFacts } from './state-facts.ts'
import { causeOf, type LocatedCause } from './unknown-cause.ts'

export interface StatedCheck {
  row: StateFactsRow
  facts: StateFacts
  state: DerivedState
  /** Why the state is unknown, if that is known. */
  cause: LocatedCause | null
}

/** In the order of the list of checks. */
export async function readCheckStates(
  client: Client,
  which: Parameters<typeof listStateFacts>[1],
  now: number,
): Promise<StatedCheck[]> {
  return deriveStates(client, await listStateFacts(client, which, now), now)
}

export async function deriveStates(
  client: Client,
  rows: readonly StateFactsRow[],
  now: number,
): Promise<StatedCheck[]> {
  const keys = rows.flatMap(({ id, accountId, hasPauses }) => (hasPauses ? [{ checkId: id, accountId }] : []))
  const windows = await listPausingWindows(client, keys, now - longestLookBackMs, now + 1)
  const pausesOf = pausesAt(now)
  const checks = rows.map((row): StatedCheck => {
    const facts = { ...factsOf(row), ...pausesOf(windows.get(row.id) ?? []) }
    return { row, facts, state: checkState(facts, now), cause: null }
  })
  const unknown = checks.filter(({ state, facts }) => state.state === 'unknown' && facts.heartbeat === null)
  await explain(client, unknown, now)
  return checks
}

/** Adds the causes of unknown states. Reads nothing if all states are known. */
async function explain(client: Client, unknown: readonly StatedCheck[], now: number): Promise<void> {
  if (unknown.length === 0) return
  const assigned = await listAssignedLocations(
    client,
    unknown.map(({ row }) => row),
  )
  const assignedOf = Map.groupBy(assigned, ({ checkId }) => checkId)
  const locationKeys = [...new Set(assigned.map(({ locationKey }) => locationKey))]
  const agents = await listPresentAgents(client, locationKeys, now - agentGoneAfterMs)
  const since = Math.min(...unknown.map(({ facts }) => facts.knownAt ?? facts.changedAt))
  const outages = await listOutages(client, since, now)
  const none: AssignedLocation[] = []
  for (const check of unknown) {
    const assigned = assignedOf.get(check.row.id) ?? none
    const isOverdue = check.state.overdueSince !== null
    check.cause = causeOf(check.facts, isOverdue, { assigned, agents, outages, now })
    check.state = checkState(check.facts, now, check.cause)
  }
}

type UnpausedFacts = Omit<StateFacts, 'pause' | 'pausedUntil'>

export function factsOf(row: StateFactsRow): UnpausedFacts {
  const { checkType, lastPingAt, deadlineAt, heartbeatDueAt, lanes } = row
  return {
    ...row,
    periodMs: row.periodMs ?? periodOf(row),
    phaseMs: row.phaseMs ?? 0,
    isPlanned: lanes !== null,
    lanes: lanes ?? [],
    heartbeat: checkType === 'HEARTBEAT' ? { lastPingAt, deadlineAt, dueAt: heartbeatDueAt } : null,
  }
}

/** For checks that aren't planned. */
function periodOf({ frequency, frequencyOffset }: StateFactsRow): number {
  return Math.max(1, frequency === 0 ? (frequencyOffset ?? 60) : frequency * 60) * 1000
}
