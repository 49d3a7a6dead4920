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
  // Both at once where the checks are known: reading a check waits for this.
  const [rows, windows] = await Promise.all([
    listStateFacts(client, which, now),
    'checkIds' in which ? listWindows(client, keysOf(which), now) : null,
  ])
  return derive(client, rows, windows ?? (await listWindows(client, rows.map(keyOf), now)), now)
}

export async function deriveStates(
  client: Client,
  rows: readonly StateFactsRow[],
  now: number,
): Promise<StatedCheck[]> {
  return derive(client, rows, await listWindows(client, rows.map(keyOf), now), now)
}

type CheckKeys = Parameters<typeof listPausingWindows>[1]
type Windows = Awaited<ReturnType<typeof listPausingWindows>>

function keysOf({ accountId, checkIds }: { accountId: string; checkIds: readonly string[] }): CheckKeys {
  return checkIds.map((checkId) => ({ accountId, checkId }))
}

function keyOf({ id, accountId }: StateFactsRow): CheckKeys[number] {
  return { accountId, checkId: id }
}

function listWindows(client: Client, keys: CheckKeys, now: number): Promise<Windows> {
  return listPausingWindows(client, keys, now - longestLookBackMs, now + 1)
}

async function derive(
  client: Client,
  rows: readonly StateFactsRow[],
  windows: Windows,
  now: number,
): Promise<StatedCheck[]> {
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
  const ids = unknown.map(({ row }) => row.id)
  const since = Math.min(...unknown.map(({ facts }) => facts.knownAt ?? facts.changedAt))
  const [locations, agents, outages] = await Promise.all([
    listAssignedLocations(client, ids),
    listPresentAgents(client, now, agentGoneAfterMs),
    listOutages(client, since, now),
  ])
  const assignedOf = Map.groupBy(locations, ({ checkId }) => checkId)
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
