import {
  type CheckAlert,
  checkTypeNames,
  definitionOf,
  listAlerts,
  listAlertsOfCheck,
} from '@vedette/contracts'
import type { z } from 'zod'
import { orNotFound } from '../../core/or-not-found.ts'
import * as alerts from '../../storage/alerts/check-alerts.ts'
import { findCheckName } from '../../storage/checks/check-names.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { windowOf } from '../transport/time-window.ts'

export function checkAlertRoutes({ store: { db }, clock }: Deps): Mounted[] {
  const list = async (accountId: string, filter: alerts.AlertFilter) => {
    const { items, total } = await alerts.listAlerts(db, accountId, filter)
    return { items: items.map(serializeAlert), total }
  }
  return [
    handle(listAlerts, ({ account, query }) =>
      list(account.id, { ...query, ...windowOf(query, clock.now()) }),
    ),
    handle(listAlertsOfCheck, async ({ account, params, query }) => {
      const window = windowOf(query, clock.now())
      const { id: checkId } = orNotFound(await findCheckName(db, account.id, params.checkId))
      return list(account.id, { ...query, ...window, checkId })
    }),
  ]
}

function serializeAlert(row: alerts.CheckAlertRow): z.output<typeof CheckAlert> {
  return {
    id: row.id,
    name: row.name,
    checkId: row.check_id,
    alertType: row.alert_type,
    checkType: row.check_type,
    runLocation: row.run_location,
    ranAt: row.ran_at,
    // spec §2.9: a number; 0 if the run wasn't measured.
    responseTime: row.response_time ?? 0,
    error: row.error,
    statusCode: hasStatusCode(row.check_type) && row.status_code !== null ? `${row.status_code}` : null,
    created_at: row.created_at,
    startedAt: row.started_at,
  }
}

const httpTypes: readonly string[] = checkTypeNames.filter(
  (type) => definitionOf(type).result?.kind === 'http',
)

const hasStatusCode = (type: string) => httpTypes.includes(type)
