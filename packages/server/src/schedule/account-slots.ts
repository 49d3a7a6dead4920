// Counts slots that passed as missed or skipped. A missed slot is due to the servers if none was alive, else to the agents.
import type { Client } from '../storage/core/transaction.ts'
import type { CoverageEntry } from '../storage/runs/coverage.ts'
import type { Lane } from '../storage/runs/schedule.ts'
import { listOutagesUpTo } from '../storage/runs/servers.ts'
import { passedSlots, type Span, slotAtOrBefore, timingOf } from './lane.ts'

/** For idle lanes: from the slot that they wait for to the latest one, which can still run. */
export function missedSlots(client: Client, lanes: readonly Lane[], now: number): Promise<CoverageEntry[]> {
  return countSlots(client, lanes, (lane) => ({
    from: lane.slotAt,
    to: slotAtOrBefore(timingOf(lane), now).at,
  }))
}

/** For lanes whose plan ends or changes: from the slot that they wait for until now. */
export function abandonedSlots(
  client: Client,
  lanes: readonly Lane[],
  now: number,
): Promise<CoverageEntry[]> {
  return countSlots(client, lanes, (lane) => ({ from: lane.slotAt, to: now }))
}

/** The slots that passed while a run was in progress until now. */
export function skippedSlots(client: Client, lanes: readonly Lane[], now: number): Promise<CoverageEntry[]> {
  return countSlots(client, lanes, (lane) => ({ from: uncountedFrom(lane), to: now + 1 }), 'in_progress')
}

/** The slots after that of a run that was given up, to the latest one, which can still run. */
export function givenUpSlots(client: Client, lanes: readonly Lane[], now: number): Promise<CoverageEntry[]> {
  return countSlots(client, lanes, (lane) => ({
    from: uncountedFrom(lane),
    to: slotAtOrBefore(timingOf(lane), now).at,
  }))
}

function uncountedFrom({ slotAt, countedTo }: Lane): number {
  return Math.max(slotAt, countedTo ?? slotAt) + 1
}

async function countSlots(
  client: Client,
  lanes: readonly Lane[],
  spanOf: (lane: Lane) => Span,
  otherwise: 'in_progress' | 'agent' = 'agent',
): Promise<CoverageEntry[]> {
  const spans = lanes.map((lane) => ({ lane, span: spanOf(lane) }))
  const passed = spans.filter(({ lane, span }) => slotAtOrBefore(timingOf(lane), span.to - 1).at >= span.from)
  if (passed.length === 0) return []
  const from = Math.min(...passed.map(({ span }) => span.from))
  const to = Math.max(...passed.map(({ span }) => span.to))
  const outages = await listOutagesUpTo(client, from, to)
  return passed.flatMap(({ lane, span }) =>
    passedSlots(timingOf(lane), span, outages).map(({ hour, location, count, isInOutage }) => {
      const entry = { accountId: lane.accountId, checkId: lane.checkId, hourMs: hour, location }
      if (isInOutage) return { ...entry, missed: count, reason: 'server' as const }
      return otherwise === 'in_progress'
        ? { ...entry, skipped: count, reason: otherwise }
        : { ...entry, missed: count, reason: otherwise }
    }),
  )
}
