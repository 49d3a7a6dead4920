import type { Selectable } from 'kysely'
import { accountRows } from '../core/account-rows.ts'
import { countAll, type Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'

export type IncidentTemplateRow = Selectable<Tables['incident_templates']>

export const {
  find: findIncidentTemplate,
  insert: insertIncidentTemplate,
  update: updateIncidentTemplate,
  delete: deleteIncidentTemplate,
} = accountRows('incident_templates')

export async function listIncidentTemplates(db: Db, accountId: string): Promise<IncidentTemplateRow[]> {
  return db
    .selectFrom('incident_templates')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('name')
    .orderBy('id')
    .execute()
}

export async function countIncidentTemplates(db: Db, accountId: string): Promise<number> {
  const { total } = await db
    .selectFrom('incident_templates')
    .select(countAll)
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow()
  return total
}
