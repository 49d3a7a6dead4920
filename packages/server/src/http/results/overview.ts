import { getOverview, listOverviewChecks } from '@vedette/contracts'
import { readHome } from '../../overview/home.ts'
import { serializeOverviewCheck } from '../../overview/overview-entry.ts'
import { selectChecks } from '../../overview/select-checks.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

export function overviewRoutes({ overviews, store }: Deps): Mounted[] {
  return [
    handle(getOverview, async ({ account }) => readHome(store, await overviews.read(account.id))),
    handle(listOverviewChecks, async ({ account, query }) => {
      const overview = await overviews.read(account.id, query.maxAge)
      const { entries, ...selection } = selectChecks(overview.entries, query)
      const runsOf = await overview.readRuns(entries)
      return {
        ...selection,
        entries: entries.map((entry) => serializeOverviewCheck(entry, runsOf(entry), overview.now)),
      }
    }),
  ]
}
