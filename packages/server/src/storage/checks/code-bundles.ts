// Uploads of clients: archives of suites, and snapshots to compare with. A path is unique and belongs to one account.
import { type Insertable, type Selectable, sql } from 'kysely'
import type { Db, Pool } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import type { Client } from '../core/transaction.ts'

export type CodeBundleRow = Selectable<Tables['code_bundles']>

export async function insertCodeBundle(
  db: Db,
  values: Insertable<Tables['code_bundles']>,
): Promise<CodeBundleRow> {
  return db.insertInto('code_bundles').values(values).returningAll().executeTakeFirstOrThrow()
}

/** Reading it counts as use. */
export async function useCodeBundle(
  db: Db,
  accountId: string,
  path: string,
  now: number,
): Promise<CodeBundleRow | null> {
  const row = await db
    .updateTable('code_bundles')
    .set({ last_used_at: new Date(now).toISOString() })
    .where('account_id', '=', accountId)
    .where('path', '=', path)
    .returningAll()
    .executeTakeFirst()
  return row ?? null
}

/** The hashes of uploads, by their path. Unknown ones are absent. Asking for them counts as use. */
export async function useUploads(
  db: Db,
  accountId: string,
  paths: readonly string[],
  now: number,
): Promise<Map<string, string>> {
  if (paths.length === 0) return new Map()
  const rows = await db
    .updateTable('code_bundles')
    .set({ last_used_at: new Date(now).toISOString() })
    .where('account_id', '=', accountId)
    .where('path', '=', sql<string>`any(${paths}::text[])`)
    .returning(['path', 'sha256'])
    .execute()
  return new Map(rows.map(({ path, sha256 }) => [path, sha256]))
}

/** The path of the archive of a suite, stored or a draft; null: it was deleted, or isn't a suite. */
export async function findCodeBundlePath(
  pool: Pool,
  accountId: string,
  checkId: string,
): Promise<string | null> {
  const { rows } = await pool.query<{ path: string | null }>(
    `select settings ->> 'codeBundlePath' as path from checks where account_id = $1 and id = $2
     union all select code_bundle_path from drafts where account_id = $1 and id = $2`,
    [accountId, checkId],
  )
  return rows[0]?.path ?? null
}

/** Those that no check and no draft refers to and that weren't used since; their bytes are deleted at the next examination. */
export async function deleteUnusedBundles(client: Client, beforeMs: number): Promise<number> {
  const { rows } = await client.query<{ deleted: number }>(
    `with gone as (
       delete from code_bundles b where last_used_at < to_timestamp($1 / 1000.0) and not exists (
         select from checks c where c.account_id = b.account_id and c.settings ? 'codeBundlePath'
           and c.settings ->> 'codeBundlePath' = b.path)
         and not exists (
           select from checks c where c.account_id = b.account_id and c.settings ? 'snapshots'
             and c.settings -> 'snapshots' @> jsonb_build_array(jsonb_build_object('key', b.path)))
         and not exists (select from drafts d where d.account_id = b.account_id and d.code_bundle_path = b.path)
       returning 1)
     select count(*) as deleted from gone`,
    [beforeMs],
  )
  return rows[0]?.deleted ?? 0
}
