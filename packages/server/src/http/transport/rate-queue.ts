// Lets requests over a limit wait for the next window instead of refusing them, for clients that give up at the first 429.
import { setTimeout as delay } from 'node:timers/promises'
import type { RateLimit } from '@vedette/contracts'
import type { Clock } from '../../core/clock.ts'
import type { Verdict } from './rate-limit.ts'

const longestWaitMs = 30_000
const maxWaitingPerBucket = 50

/** Returns when the time is over or the signal is aborted. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>

const sleepFor: Sleep = async (ms, signal) => {
  await delay(ms, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}

interface Limiter {
  take(bucket: string, rule: RateLimit): Verdict | Promise<Verdict>
}

export class RateQueue {
  private readonly waiting = new Map<string, number>()
  private readonly limiter: Limiter
  private readonly clock: Clock
  private readonly sleep: Sleep

  constructor(limiter: Limiter, clock: Clock, sleep: Sleep = sleepFor) {
    this.limiter = limiter
    this.clock = clock
    this.sleep = sleep
  }

  /** A refusal: the wait would be too long, too many wait already, or the client has disconnected. */
  async take(bucket: string, rule: RateLimit, signal: AbortSignal): Promise<Verdict> {
    const deadline = this.clock.now() + longestWaitMs
    for (;;) {
      const verdict = await this.limiter.take(bucket, rule)
      const waitMs = verdict.resetSeconds * 1000
      if (verdict.allowed || signal.aborted || this.clock.now() + waitMs > deadline) return verdict
      if (this.countWaiting(bucket) >= maxWaitingPerBucket) return verdict
      await this.wait(bucket, waitMs, signal)
      if (signal.aborted) return verdict
    }
  }

  private async wait(bucket: string, waitMs: number, signal: AbortSignal): Promise<void> {
    this.waiting.set(bucket, this.countWaiting(bucket) + 1)
    try {
      await this.sleep(waitMs, signal)
    } finally {
      const others = this.countWaiting(bucket) - 1
      if (others === 0) this.waiting.delete(bucket)
      else this.waiting.set(bucket, others)
    }
  }

  private countWaiting(bucket: string): number {
    return this.waiting.get(bucket) ?? 0
  }
}
