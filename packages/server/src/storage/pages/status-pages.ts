import { type StatusPageReplacement, Uuid } from '@vedette/contracts'
import { type Selectable, sql } from 'kysely'
import type { z } from 'zod'
import { accessKeys } from '../accounts/access-keys.ts'
import { accountRows } from '../core/account-rows.ts'
import { type CursorPage, type CursorRequest, cursorPageOf, isAfter, newestFirst } from '../core/cursor.ts'
import { countAll, type Db } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import type { Client } from '../core/transaction.ts'

export type StatusPageRow = Selectable<Tables['status_pages']>

// The lock: two replacements never mix their cards.
export const {
  find: findStatusPage,
  lock: lockStatusPage,
  insert: insertStatusPage,
  update: updateStatusPage,
  delete: deleteStatusPage,
} = accountRows('status_pages')

export const { list: listStatusPageKeys, insert: insertStatusPageKey } = accessKeys('status_page_keys')

/** A page as it is sent, as columns; those that depend on what is stored are left out. */
export function statusPageColumns({
  name,
  url,
  customDomain,
  isPrivate,
  version,
  cards,
  ...settings
}: z.output<typeof StatusPageReplacement>) {
  return { name, url, custom_domain: customDomain, settings }
}

export async function listStatusPages(
  db: Db,
  accountId: string,
  page: CursorRequest,
): Promise<CursorPage<StatusPageRow>> {
  const all = db.selectFrom('status_pages').where('account_id', '=', accountId)
  const entries = all.selectAll().where(isAfter(page)).orderBy(newestFirst)
  return cursorPageOf(entries, all.select(countAll), page)
}

/** Kept from being deleted until the transaction ends. */
export async function holdStatusPage(tx: Db, accountId: string, id: string): Promise<StatusPageRow | null> {
  const row = await tx
    .selectFrom('status_pages')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .forKeyShare()
    .executeTakeFirst()
  return row ?? null
}

/** Those of the given ids that exist; they cannot be deleted until the transaction ends. */
export async function holdStatusPages(tx: Db, accountId: string, ids: string[]): Promise<Set<string>> {
  if (ids.length === 0) return new Set()
  const found = await tx
    .selectFrom('status_pages')
    .select('id')
    .where('account_id', '=', accountId)
    .where('id', 'in', ids)
    .forKeyShare()
    .execute()
  return new Set(found.map((row) => row.id))
}

export async function deleteStatusPageKeys(db: Db, accountId: string, id: string): Promise<void> {
  await db
    .deleteFrom('status_page_keys')
    .where('account_id', '=', accountId)
    .where('status_page_id', '=', id)
    .execute()
}

export async function findPublicStatusPage(db: Db, slug: string): Promise<StatusPageRow | null> {
  const page = await findShownStatusPage(db, slug)
  return page?.is_private ? null : page
}

/** For visitors: by the name in its address, which is unique over all accounts, or by ~ and its id. Private ones need a key. */
export async function findShownStatusPage(db: Db, slug: string): Promise<StatusPageRow | null> {
  // PostgreSQL fails on such a text instead of not finding it.
  if (slug.includes('\0')) return null
  const all = db.selectFrom('status_pages').selectAll()
  const { data: id } = Uuid.safeParse(slug.replace(/^~/, ''))
  const row = await (slug.startsWith('~') && id !== undefined
    ? all.where('id', '=', id)
    : all.where(sql`lower(url)`, '=', slug.toLowerCase())
  ).executeTakeFirst()
  return row ?? null
}

/** Of all accounts. */
export async function listStatusPageNames(db: Db, includePrivate: boolean): Promise<string[]> {
  const all = db.selectFrom('status_pages').select('url').orderBy('url')
  const rows = await (includePrivate ? all : all.where('is_private', '=', false)).execute()
  return rows.map(({ url }) => url)
}

/** One server at a time, until the transaction ends. */
const exportLock = 727_030

export async function lockPagesExport(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_xact_lock($1) as locked', [
    exportLock,
  ])
  return rows[0]?.locked === true
}
