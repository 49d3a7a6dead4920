import { listAlerts, listAlertsOfCheck } from '@vedette/contracts'
import { findCheckName } from '../../storage/check-names.ts'
import type { Deps } from '../deps.ts'
import { found, handle, type Mounted } from '../mount.ts'
import { windowOf } from '../time-window.ts'

/** No room decides alerts yet, so every window is empty. */
export function checkAlertRoutes({ store: { db }, clock }: Deps): Mounted[] {
  return [
    handle(listAlerts, async ({ query }) => {
      windowOf(query, clock.now())
      return { items: [], total: 0 }
    }),
    handle(listAlertsOfCheck, async ({ account, params, query }) => {
      windowOf(query, clock.now())
      found(await findCheckName(db, account.id, params.checkId))
      return { items: [], total: 0 }
    }),
  ]
}
