// The overviews of the accounts that are being looked at.
import type { Clock } from '../core/clock.ts'
import type { Pool } from '../storage/core/db.ts'
import { AccountOverview } from './account-overview.ts'

/** Checks in memory; each takes at most 8 kB. The overview that is asked for is kept in any case. */
const maxChecks = 50_000
const idleMs = 10 * 60_000

export class Overviews {
  readonly #store: { pool: Pool; clock: Clock }
  /** The least recently used first. */
  readonly #known = new Map<string, { overview: AccountOverview; usedAt: number }>()

  constructor(store: { pool: Pool; clock: Clock }) {
    this.#store = store
  }

  /** As the store is now, or was at most `maxAgeMs` ago. */
  async read(accountId: string, maxAgeMs = 0): Promise<AccountOverview> {
    const overview = this.#known.get(accountId)?.overview ?? new AccountOverview(accountId, this.#store)
    this.#known.delete(accountId)
    this.#known.set(accountId, { overview, usedAt: performance.now() })
    if (!overview.isYoungerThan(maxAgeMs)) await overview.refresh()
    this.#forget()
    return overview
  }

  #forget(): void {
    const oldest = performance.now() - idleMs
    let total = 0
    for (const [accountId, { overview, usedAt }] of [...this.#known].reverse()) {
      total += overview.size
      const isLatest = total === overview.size
      if (usedAt < oldest || (total > maxChecks && !isLatest)) this.#known.delete(accountId)
    }
  }
}
