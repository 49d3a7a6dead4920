import { search, searchKinds } from '@vedette/contracts'
import { searchChecks } from '../../overview/search-checks.ts'
import { searchNames } from '../../storage/results/search-names.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

export function searchRoutes({ overviews, store: { pool } }: Deps): Mounted[] {
  return [
    handle(search, async ({ account, query }) => {
      const [overview, others] = await Promise.all([
        overviews.read(account.id),
        searchNames(pool, account.id, query),
      ])
      const hits = [...searchChecks(overview.entries, query), ...others]
      return hits.sort((a, b) => searchKinds.indexOf(a.kind) - searchKinds.indexOf(b.kind))
    }),
  ]
}
