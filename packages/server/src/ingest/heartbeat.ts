// Heartbeats. In: a ping, or deadlines that have passed. Out: an event and a result in one transaction, and the next deadline.
// A ping and an expiry lock the same row, so a monitor doesn't fail while it is pinged.
import { randomUUID } from 'node:crypto'
import {
  dayMs,
  type Failure,
  type HeartbeatState,
  hourMs,
  minuteMs,
  type RunDetail,
} from '@vedette/contracts'
import type { DecisionContext } from '../alerting/decision/decision-context.ts'
import { insertHeartbeatEvents } from '../storage/checks/heartbeat-events.ts'
import {
  type HeartbeatRow,
  lockExpired,
  lockHeartbeat,
  type PingTarget,
  type TimerChange,
  updateTimers,
} from '../storage/checks/heartbeats.ts'
import { listPausingWindows } from '../storage/checks/maintenance.ts'
import type { Pool } from '../storage/core/db.ts'
import { type Client, inTransaction } from '../storage/core/transaction.ts'
import { outageAfterMs } from '../storage/runs/servers.ts'
import { extendDeadline, stateOfPing, timerFrom } from './heartbeat-state.ts'
import { recordResults } from './record.ts'
import { resultIdOf } from './result-id.ts'
import type { RunResult } from './run-result.ts'

export interface Ping {
  source: string
  userAgent: string | null
}

interface Event extends Omit<Ping, 'source'> {
  at: number
  state: HeartbeatState
  source: string | null
}

/** False: the monitor isn't active, and the ping is ignored. */
export function recordPing(
  pool: Pool,
  target: PingTarget,
  ping: Ping,
  context: DecisionContext,
): Promise<boolean> {
  return inTransaction(pool, async (client) => {
    const row = await lockHeartbeat(client, target)
    if (row === null || !row.isActive) return false
    // Events of a monitor are in the order of its lock, even if the clocks of servers differ.
    const at = Math.max(context.now, (row.previousAt ?? 0) + 1)
    const state = stateOfPing(await withExtendedDeadline(client, row, at), at, row.previousState)
    await updateTimers(client, [{ checkId: row.checkId, pingedAt: at, ...timerFrom(at, row) }])
    await recordEvents(client, [{ row, event: { ...ping, at, state } }], context)
    return true
  })
}

/** Fails the monitors whose deadline has passed. Returns the number of rows: if that is `limit`, there may be more. */
export function expireHeartbeats(pool: Pool, context: DecisionContext, limit: number): Promise<number> {
  const { now } = context
  return inTransaction(pool, async (client) => {
    const rows = await lockExpired(client, { now, limit, aliveSince: now - outageAfterMs })
    if (rows.length === 0) return 0
    const windows = await listPausingWindows(client, rows, firstStart(rows, now), now + 1)
    const changes: TimerChange[] = []
    const failed: RecordedEvent[] = []
    for (const row of rows) {
      const deadlineAt = extendDeadline(row, windows.get(row.checkId) ?? [], now)
      if (!row.isActive) changes.push({ checkId: row.checkId, dueAt: null, deadlineAt: null })
      else if (deadlineAt > now) changes.push({ checkId: row.checkId, dueAt: row.dueAt, deadlineAt })
      else {
        changes.push({ checkId: row.checkId, ...timerFrom(now, row) })
        const at = Math.max(deadlineAt, (row.previousAt ?? 0) + 1)
        failed.push({ row, event: { state: 'FAILING', at, source: null, userAgent: null } })
      }
    }
    await updateTimers(client, changes)
    await recordEvents(client, failed, context)
    return rows.length
  })
}

/** A deadline that has passed may have been extended by a maintenance window since it was set. */
async function withExtendedDeadline(client: Client, row: HeartbeatRow, at: number): Promise<HeartbeatRow> {
  if (row.deadlineAt === null || at <= row.deadlineAt) return row
  const windows = await listPausingWindows(client, [row], firstStart([row], at), at + 1)
  return { ...row, deadlineAt: extendDeadline(row, windows.get(row.checkId) ?? [], at) }
}

/** When the first of these timers started. */
function firstStart(rows: readonly HeartbeatRow[], now: number): number {
  return Math.min(...rows.map(({ dueAt, periodMs }) => (dueAt ?? now) - periodMs))
}

interface RecordedEvent {
  row: HeartbeatRow
  event: Event
}

async function recordEvents(
  client: Client,
  recorded: RecordedEvent[],
  context: DecisionContext,
): Promise<void> {
  const events = recorded.map(({ row, event }) => ({ event, result: resultOf(row, event) }))
  await insertHeartbeatEvents(
    client,
    events.map(({ event: { state, source, userAgent }, result }) => {
      const { accountId, checkId, runId, scheduledAt, attempt } = result
      const id = resultIdOf(scheduledAt, runId, attempt)
      return { id, accountId, checkId, state, occurredAt: scheduledAt, source, userAgent }
    }),
  )
  await recordResults(
    client,
    events.map(({ result }) => result),
    context,
  )
}

function resultOf(row: HeartbeatRow, { state, at, source, userAgent }: Event): RunResult {
  const failure = state === 'FAILING' ? missedPing(row) : null
  const detail: RunDetail = { failure, assertions: [], observed: { state, source, userAgent } }
  return {
    accountId: row.accountId,
    checkId: row.checkId,
    checkType: 'HEARTBEAT',
    runId: randomUUID(),
    attempt: 1,
    scheduledAt: at,
    source: 'heartbeat',
    resultType: 'FINAL',
    location: '',
    ranAt: null,
    startedAt: at,
    stoppedAt: at,
    responseTimeMs: null,
    hasFailures: failure !== null,
    hasErrors: false,
    isDegraded: false,
    isCancelled: false,
    overMaxResponseTime: false,
    statusCode: null,
    metrics: [],
    sslDaysRemaining: null,
    failure,
    detail: JSON.stringify(detail),
    checkSessionId: null,
    parallel: null,
  }
}

function missedPing({ periodMs, graceMs }: HeartbeatRow): Failure {
  const message = `No ping came in time: one is expected every ${formatDuration(periodMs)}, with ${formatDuration(graceMs)} of grace`
  return { kind: 'missed_ping', message, phase: 'wait' }
}

const units = [
  ['day', dayMs],
  ['hour', hourMs],
  ['minute', minuteMs],
] as const

function formatDuration(durationMs: number): string {
  const [name, size] = units.find(([, size]) => durationMs >= size && durationMs % size === 0) ?? [
    'second',
    1000,
  ]
  const count = durationMs / size
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
