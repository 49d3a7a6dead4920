import type { Clock } from '../clock.ts'
import type { Store } from '../storage/db.ts'
import type { Sign } from '../subscription-link.ts'

/** What every page may use. */
export interface PagesDeps {
  store: Store
  clock: Clock
  vault: { sign: Sign }
  publicUrl: string
  /** Multiplies the limits of forms. */
  rateLimitFactor: number
}

/** Where the site lies on its host: forms stay on the host that the visitor came by. */
export function basePath({ publicUrl }: PagesDeps): string {
  return new URL(publicUrl).pathname.replace(/\/$/, '')
}
