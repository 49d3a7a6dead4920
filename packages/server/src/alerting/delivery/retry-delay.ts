// How long to wait before a message is tried again; pure.
import { hourMs, minuteMs } from '@vedette/contracts'
import type { DeliveryError } from '../channels/transport/delivery-error.ts'

const standardDelays = [
  5_000,
  15_000,
  30_000,
  minuteMs,
  2 * minuteMs,
  5 * minuteMs,
  10 * minuteMs,
  15 * minuteMs,
] as const

/** A message that nobody took by then has lost its meaning. */
const giveUpAfterMs = 6 * hourMs

export interface Tried {
  /** This try included. */
  attempts: number
  createdAt: number
  now: number
}

/** When to try again; null: never. */
export function retryAt(
  error: Pick<DeliveryError, 'permanent' | 'retryAfterMs'> & { pauseMs?: number | null },
  { attempts, createdAt, now }: Tried,
  { delays = standardDelays, retriesRefusals = 0 }: { delays?: readonly number[]; retriesRefusals?: number },
): number | null {
  if (error.permanent && attempts > retriesRefusals) return null
  const delay = delays[Math.min(attempts, delays.length) - 1] ?? minuteMs
  const at = now + (error.pauseMs ?? Math.max(delay, error.retryAfterMs ?? 0))
  return at > createdAt + giveUpAfterMs ? null : at
}
