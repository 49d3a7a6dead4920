import type { Page } from '@vedette/contracts'
import type { Selectable } from 'kysely'
import { countAll, type Db, type PageRequest, pageOf } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import { unsealDeep, type Vault } from '../core/vault.ts'

/** A variable with its value unsealed. */
export type VariableRow = Omit<Selectable<Tables['variables']>, 'value'> & { value: string }

export interface VariableValues {
  value: string
  locked: boolean
  secret: boolean
}

export async function listVariables(
  db: Db,
  vault: Vault,
  accountId: string,
  page: PageRequest,
): Promise<Page<VariableRow>> {
  const all = db.selectFrom('variables').where('account_id', '=', accountId)
  const { items, total } = await pageOf(all.selectAll().orderBy('key'), all.select(countAll), page)
  return { items: items.map((row) => open(vault, row)), total }
}

export async function findVariable(
  db: Db,
  vault: Vault,
  accountId: string,
  key: string,
  options: { lock?: boolean } = {},
): Promise<VariableRow | null> {
  const row = await db
    .selectFrom('variables')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('key', '=', key)
    .$if(options.lock === true, (query) => query.forUpdate())
    .executeTakeFirst()
  return row === undefined ? null : open(vault, row)
}

export async function insertVariable(
  db: Db,
  vault: Vault,
  accountId: string,
  { key, ...values }: VariableValues & { key: string },
): Promise<void> {
  const row = { ...values, account_id: accountId, key, value: sealValue(vault, accountId, values) }
  await db.insertInto('variables').values(row).execute()
}

export async function updateVariable(
  db: Db,
  vault: Vault,
  accountId: string,
  key: string,
  values: VariableValues & { updated_at: Date },
): Promise<void> {
  await db
    .updateTable('variables')
    .set({ ...values, value: sealValue(vault, accountId, values) })
    .where('account_id', '=', accountId)
    .where('key', '=', key)
    .execute()
}

export async function deleteVariable(db: Db, accountId: string, key: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('variables')
    .where('account_id', '=', accountId)
    .where('key', '=', key)
    .executeTakeFirst()
  return numDeletedRows > 0n
}

function sealValue(vault: Vault, accountId: string, { value, locked, secret }: VariableValues): string {
  return JSON.stringify(locked || secret ? vault.seal(accountId, value) : value)
}

function open(vault: Vault, row: Selectable<Tables['variables']>): VariableRow {
  return { ...row, value: unsealDeep(vault, row.account_id, row.value) }
}

/** Which of these names the account defines. */
export async function listVariableKeys(db: Db, accountId: string, keys: string[]): Promise<string[]> {
  const rows = await db
    .selectFrom('variables')
    .select('key')
    .where('account_id', '=', accountId)
    .where('key', 'in', keys)
    .execute()
  return rows.map(({ key }) => key)
}
