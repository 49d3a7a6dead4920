import type { RateLimit } from '@vedette/contracts'
import type { Clock } from '../core/clock.ts'
import type { Sign } from '../links/subscription-link.ts'
import type { Store } from '../storage/core/db.ts'

interface Taken {
  allowed: boolean
  resetSeconds: number
}

/** What every page may use. */
export interface PagesDeps {
  store: Store
  clock: Clock
  vault: { sign: Sign }
  publicUrl: string
  /** Counts requests over all servers. */
  limiter: { take(bucket: string, rule: RateLimit): Taken | Promise<Taken> }
  /** Whether the store can be reached; never waits. */
  isReady(): boolean
  /** Multiplies the limits of forms. */
  rateLimitFactor: number
}

/** Where the site lies on its host: forms stay on the host that the visitor came by. */
export function basePath({ publicUrl }: PagesDeps): string {
  return new URL(publicUrl).pathname.replace(/\/$/, '')
}
