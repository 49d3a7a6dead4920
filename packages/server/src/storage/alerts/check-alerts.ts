// Reads alerts.
import type { Page } from '@vedette/contracts'
import type { Selectable } from 'kysely'
import { firstIdOf } from '../../core/time-ordered-id.ts'
import { countAll, type Db, type PageRequest, pageOf } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'

export type CheckAlertRow = Pick<
  Selectable<Tables['check_alerts']>,
  | 'id'
  | 'name'
  | 'check_id'
  | 'alert_type'
  | 'check_type'
  | 'run_location'
  | 'ran_at'
  | 'response_time'
  | 'error'
  | 'status_code'
  | 'created_at'
  | 'started_at'
>

/** Milliseconds; `to` is exclusive. */
export interface AlertFilter extends PageRequest {
  from: number
  to: number
  checkId?: string
}

/** The latest first, including those that were held back. */
export function listAlerts(
  db: Db,
  accountId: string,
  { from, to, checkId, ...page }: AlertFilter,
): Promise<Page<CheckAlertRow>> {
  let all = db
    .selectFrom('check_alerts')
    .where('account_id', '=', accountId)
    .where('created_at', '>=', new Date(from).toISOString())
    .where('created_at', '<', new Date(to).toISOString())
  if (checkId !== undefined) {
    // Ids begin with their time, so the primary key can be used.
    all = all
      .where('check_id', '=', checkId)
      .where('id', '>=', firstIdOf(from))
      .where('id', '<', firstIdOf(to))
  }
  const rows = all
    .select(['id', 'name', 'check_id', 'alert_type', 'check_type', 'run_location', 'ran_at', 'response_time'])
    .select(['error', 'status_code', 'created_at', 'started_at'])
    .orderBy('created_at', 'desc')
    .orderBy('id')
  return pageOf(rows, all.select(countAll), page)
}
