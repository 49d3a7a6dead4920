// Stores checks of every type: inserts, changes and deletes them, and reads their columns for that.
import { type CheckType, type CheckValues, keysOf } from '@vedette/contracts'
import { type Selectable, sql } from 'kysely'
import { countAll, type Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import { clientOf } from '../core/transaction.ts'
import type { Vault } from '../core/vault.ts'
import { deleteHistoryOf } from '../results/delete-history.ts'
import { type CheckColumns, type PackedCheck, packCheck } from './check-settings.ts'

export async function countChecks(db: Db, accountId: string, types: CheckType[]): Promise<number> {
  const all = db.selectFrom('checks').where('account_id', '=', accountId).where('check_type', 'in', types)
  return (await all.select(countAll).executeTakeFirstOrThrow()).total
}

type LockedCheck = Selectable<Tables['checks']>

/** For updates that read before they write: locked until the transaction ends. By id; unknown ids are absent. */
export async function lockChecks(
  tx: Db,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, LockedCheck>> {
  const rows = await tx
    .selectFrom('checks')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .orderBy('id')
    .forNoKeyUpdate()
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** By id, without a lock. */
export async function findChecks(
  db: Db,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, CheckColumns>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('checks')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute()
  return new Map(rows.map((row) => [row.id, row]))
}

/** By id: what decides how a check can be changed. */
export async function listCheckPlacements(
  db: Db,
  accountId: string,
  ids: readonly string[],
): Promise<Map<string, { checkType: CheckType; privateLocations: string[] | null }>> {
  const rows = await db
    .selectFrom('checks')
    .select(['id', 'check_type', 'private_locations'])
    .where('account_id', '=', accountId)
    .where('id', '=', sql<string>`any(${ids}::uuid[])`)
    .execute()
  return new Map(
    rows.map(({ id, check_type: checkType, private_locations: privateLocations }) => [
      id,
      { checkType, privateLocations },
    ]),
  )
}

export interface NewCheck {
  id: string
  type: CheckType
  values: CheckValues
}

/** Columns that the type of a check doesn't use, but that can't be null. */
const requiredColumns = {
  should_fail: false,
  double_check: false,
  run_parallel: false,
  frequency: 10,
  name: '',
  activated: true,
  muted: false,
  tags: [],
  use_global_alert_settings: true,
}

// Rows are passed as JSON: unnest() can't have array columns, and a statement has at most 65,535 parameters.
export async function insertChecks(
  tx: Db,
  vault: Vault,
  accountId: string,
  checks: readonly NewCheck[],
): Promise<void> {
  if (checks.length === 0) return
  const rows = checks.map(({ id, type, values }) => {
    const { columns: own, settings } = packCheck(vault, accountId, values)
    return { ...requiredColumns, ...own, id, account_id: accountId, check_type: type, settings }
  })
  const columns = sql.join(namesOf(rows).map((name) => sql.ref(name)))
  await sql`insert into checks (${columns})
    select ${columns} from json_populate_recordset(null::checks, ${JSON.stringify(rows)}::json)`.execute(tx)
}

/** `row` is the locked row: columns and settings that aren't sent keep their values. */
export async function updateChecks(
  tx: Db,
  accountId: string,
  changes: readonly { row: LockedCheck; packed: PackedCheck }[],
  updatedAt: Date,
): Promise<void> {
  if (changes.length === 0) return
  const sent = namesOf(changes.map(({ packed }) => packed.columns))
  const rows = changes.map(({ row, packed: { columns: own, settings } }) => ({
    ...Object.fromEntries(sent.map((name) => [name, row[name]])),
    ...own,
    id: row.id,
    settings: { ...row.settings, ...settings },
    ...mergeHookFiles(row, own),
    activation_changed_at:
      own.activated === undefined || own.activated === row.activated ? row.activation_changed_at : updatedAt,
  }))
  const changed = [...sent, 'settings', 'activation_changed_at']
  await sql`update checks c
    set ${sql.join(changed.map((name) => sql`${sql.ref(name)} = n.${sql.ref(name)}`))}, updated_at = ${updatedAt}
    from json_populate_recordset(null::checks, ${JSON.stringify(rows)}::json) n
    where c.account_id = ${accountId} and c.id = n.id`.execute(tx)
}

/** A change may have the files of only one of the two scripts. */
function mergeHookFiles(
  { check_type, dependencies }: LockedCheck,
  own: PackedCheck['columns'],
): { dependencies?: unknown } {
  if (check_type !== 'API' || own.dependencies === undefined) return {}
  return { dependencies: { ...Object(dependencies), ...Object(own.dependencies) } }
}

function namesOf<T extends object>(rows: readonly T[]): (keyof T & string)[] {
  return [...new Set(rows.flatMap((row) => keysOf(row)))]
}

/** Returns the ids that the account had. */
export async function deleteChecks(tx: Db, accountId: string, ids: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    delete from checks where id in (
      select id from checks where account_id = ${accountId} and id = any(${ids}::uuid[]) order by id for update
    ) returning id`.execute(tx)
  // They refer to checks and to location alarms, so the database can't cascade.
  await tx
    .deleteFrom('alert_notifications')
    .where('account_id', '=', accountId)
    .where('check_id', '=', sql<string>`any(${rows.map(({ id }) => id)}::uuid[])`)
    .execute()
  await deleteHistoryOf(
    clientOf(tx),
    rows.map(({ id }) => id),
  )
  return rows.map(({ id }) => id)
}

/** Whether some of these are heartbeat monitors of the account, and none is a check of another type. */
export async function areHeartbeats(db: Db, accountId: string, ids: string[]): Promise<boolean> {
  if (ids.length === 0) return false
  const rows = await db
    .selectFrom('checks')
    .select('check_type')
    .where('account_id', '=', accountId)
    .where('id', 'in', ids)
    .execute()
  return rows.length > 0 && rows.every(({ check_type }) => check_type === 'HEARTBEAT')
}
