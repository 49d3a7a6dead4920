// The state of a ping, and the deadline of the next one. Pure. In: the timer of a monitor and an instant.
import { type HeartbeatState, type Occurrence, occurrences, type RepeatingPeriod } from '@vedette/contracts'

export interface HeartbeatTimer {
  periodMs: number
  graceMs: number
  /** Null: it wasn't pinged yet, so no ping is expected. */
  dueAt: number | null
  deadlineAt: number | null
}

const second = 1000

/** choice: a ping is on time within 1 % of the period, at least 1 s and at most 60 s. */
export function toleranceOf(periodMs: number): number {
  return Math.min(60 * second, Math.max(second, periodMs / 100))
}

export function stateOfPing(
  { periodMs, dueAt, deadlineAt }: HeartbeatTimer,
  at: number,
  previous: HeartbeatState | null,
): Exclude<HeartbeatState, 'FAILING'> {
  // choice: the ping that ends a failure is late, even if it is on time for the timer that the failure started.
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
 * choice: time in which maintenance windows pause the monitor doesn't count. Windows that begin after `now` are left out:
 * the caller extends the deadline again when it passes.
 */
export function extendDeadline(
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

/** When the duration has passed since the start, without the pauses. */
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
