// How long to wait before a message is tried again; pure.
import type { DeliveryError } from '../channels/transport/delivery-error.ts'

const second = 1_000
const minute = 60 * second

const standardDelays = [
  5 * second,
  15 * second,
  30 * second,
  minute,
  2 * minute,
  5 * minute,
  10 * minute,
  15 * minute,
] as const

/** A message that nobody took by then has lost its meaning. */
const giveUpAfterMs = 6 * 60 * minute

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
  const delay = delays[Math.min(attempts, delays.length) - 1] ?? minute
  const at = now + (error.pauseMs ?? Math.max(delay, error.retryAfterMs ?? 0))
  return at > createdAt + giveUpAfterMs ? null : at
}
