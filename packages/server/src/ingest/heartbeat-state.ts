// What a ping means, and when its absence means something. Pure: a monitor's timer and an instant in, a verdict out.
import { type HeartbeatState, type Occurrence, occurrences, type RepeatingPeriod } from '@vedette/contracts'

export interface HeartbeatTimer {
  periodMs: number
  graceMs: number
  /** Null: it was not pinged yet, nothing is expected. */
  dueAt: number | null
  deadlineAt: number | null
}

const second = 1000

/** choice: within 1 % of the period, at least 1 s and at most 60 s, of the expected instant is on time. */
export function toleranceOf(periodMs: number): number {
  return Math.min(60 * second, Math.max(second, periodMs / 100))
}

export function stateOfPing(
  { periodMs, dueAt, deadlineAt }: HeartbeatTimer,
  at: number,
  previous: HeartbeatState | null,
): Exclude<HeartbeatState, 'FAILING'> {
  // choice: the ping that ends a failure comes late, whatever the timer that the failure started says.
  if (previous === 'FAILING') return 'LATE'
  if (dueAt === null || deadlineAt === null) return 'RECEIVED'
  if (at > deadlineAt) return 'LATE'
  const tolerance = toleranceOf(periodMs)
  if (at < dueAt - tolerance) return 'EARLY'
  return at <= dueAt + tolerance ? 'RECEIVED' : 'GRACE'
}

export function timerFrom(
  start: number,
  { periodMs, graceMs }: Pick<HeartbeatTimer, 'periodMs' | 'graceMs'>,
): { dueAt: number; deadlineAt: number } {
  return { dueAt: start + periodMs, deadlineAt: start + periodMs + graceMs }
}

/**
 * choice: time in which the monitor is paused by maintenance windows does not count. Windows that begin after `now` are
 * left out: whoever finds the deadline passed asks again.
 */
export function heldDeadline(
  timer: HeartbeatTimer,
  windows: readonly RepeatingPeriod[],
  now: number,
): number {
  const { periodMs, graceMs, dueAt, deadlineAt } = timer
  if (dueAt === null || deadlineAt === null) return Number.POSITIVE_INFINITY
  const start = dueAt - periodMs
  const pauses = windows.flatMap((window) => occurrences(window, start, now + 1))
  return Math.max(deadlineAt, unpausedEnd(start, periodMs + graceMs, pauses))
}

/** When so much time has passed since the start, pauses not counted. */
function unpausedEnd(start: number, durationMs: number, pauses: Occurrence[]): number {
  let at = start
  let left = durationMs
  for (const pause of pauses.sort((a, b) => a.start - b.start)) {
    if (pause.end <= at) continue
    const before = Math.max(0, pause.start - at)
    if (before > left) break
    left -= before
    at = pause.end
  }
  return at + left
}
