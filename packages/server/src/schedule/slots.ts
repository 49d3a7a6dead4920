// Period and phase of a check: slot n is at phase + n × period since the epoch (see lane.ts). Whole milliseconds without
// state, so slots can't drift.
import { createHash } from 'node:crypto'
import { hourMs, minuteMs } from '@vedette/contracts'

export interface Timing {
  id: string
  /** Minutes between runs; 0 means every `frequencyOffset` seconds. */
  frequency: number
  frequencyOffset: number | null
}

export function periodOf({ frequency, frequencyOffset }: Omit<Timing, 'id'>): number {
  const period = frequency === 0 ? (frequencyOffset ?? 0) * 1000 : frequency * minuteMs
  if (Number.isSafeInteger(period) && period > 0) return period
  throw new RangeError(`no period: frequency ${frequency}, frequencyOffset ${frequencyOffset}`)
}

/** 0 ≤ phase < period. */
export function phaseOf(check: Timing): number {
  const period = periodOf(check)
  const { frequency, frequencyOffset } = check
  // Without an offset, checks are spread over the period. At frequency 0 the offset is the period.
  if (frequency === 0 || frequencyOffset === null) return spread(check.id, 'phase', period)
  // spec §4.8: up to floor(frequency × 10) steps within an hour, up to ceil(frequency / 60) above.
  return (frequencyOffset * (frequency <= 60 ? 6_000 : hourMs)) % period
}

/** A number below `limit` that is always the same for this id. Different purposes give independent numbers. */
export function spread(id: string, purpose: string, limit: number): number {
  const digest = createHash('sha256').update(`${purpose} ${id}`).digest()
  return digest.readUIntBE(0, 6) % limit
}
