// When a message is retried. Pure.
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

/** Older messages are obsolete. */
const giveUpAfterMs = 6 * hourMs

export interface Tried {
  /** Including this one. */
  attempts: number
  createdAt: number
  now: number
}

/** When to retry; null: never. */
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
