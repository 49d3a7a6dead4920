// Drafts of pages that are shown beside their editor.
import { randomUUID } from 'node:crypto'
import { minuteMs, type PagePreviewDraft, pagePreviewLimits } from '@vedette/contracts'
import { type Selectable, sql } from 'kysely'
import { type Db, firstRow } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'

export type PagePreviewRow = Selectable<Tables['page_previews']>

const lifeMs = pagePreviewLimits.minutes * minuteMs

/** Deletes those that are over, and the oldest ones of an account that has too many. */
export async function insertPagePreview(
  db: Db,
  accountId: string,
  draft: PagePreviewDraft,
  now: number,
): Promise<{ id: string; expiresAt: string }> {
  await sql`delete from page_previews where created_at < ${new Date(now - lifeMs)} or id in (
    select id from page_previews where account_id = ${accountId}
    order by created_at desc offset ${pagePreviewLimits.perAccount - 1})`.execute(db)
  const { rows } = await sql<{ id: string }>`
    insert into page_previews (id, account_id, draft, created_at)
    values (${randomUUID()}, ${accountId}, ${JSON.stringify(draft)}, ${new Date(now)}) returning id`.execute(
    db,
  )
  return { id: firstRow(rows).id, expiresAt: new Date(now + lifeMs).toISOString() }
}

/** Of any account: the id is the secret. */
export async function findPagePreview(db: Db, id: string, now: number): Promise<PagePreviewRow | null> {
  const row = await db
    .selectFrom('page_previews')
    .selectAll()
    .where('id', '=', id)
    .where(sql<boolean>`created_at >= ${new Date(now - lifeMs)}`)
    .executeTakeFirst()
  return row ?? null
}
