import { type Db, transact } from '../../storage/core/db.ts'
import type { Deps } from '../transport/deps.ts'

/** A transaction that may change the hosts of pages: they change at once on this server, within seconds on others. */
export function changePages({ store, pageHosts }: Deps) {
  return async <T>(work: (tx: Db) => Promise<T>): Promise<T> => {
    const changed = await transact(store.db, work)
    // The change is stored already, and the hosts are read again in any case.
    await pageHosts?.refresh().catch(() => undefined)
    return changed
  }
}
