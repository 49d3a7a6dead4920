// Logos and favicons of pages: which addresses are fetched, and what came of it.
import { sql } from 'kysely'
import type { Db, Pool } from '../core/db.ts'
import type { Client } from '../core/transaction.ts'

/** An image that can be shown. */
export interface PageImage {
  hash: string
  type: string
}

export interface ImageBytes extends PageImage {
  bytes: Buffer
}

export interface ClaimedImage {
  id: string
  account_id: string
  url: string
  failures: number
}

/** Where pages have addresses of images. */
const referredUrls = `
  select account_id, unnest(array[settings ->> 'logo', settings ->> 'logoDark', settings ->> 'favicon']) as url
  from status_pages
  union
  select account_id, unnest(array[settings ->> 'logo', settings ->> 'favicon']) from dashboards`

/** New addresses are due at once, and so are those that failed. */
export async function requestPageImages(
  tx: Db,
  accountId: string,
  urls: readonly string[],
  now: Date,
): Promise<void> {
  if (urls.length === 0) return
  await sql`
    insert into page_images (account_id, url, due_at, wanted_at)
    select distinct ${accountId}::uuid, url, ${now}::timestamptz, ${now}::timestamptz
    from unnest(${urls}::text[]) as sent (url) order by url
    on conflict (account_id, md5(url)) do update set wanted_at = excluded.wanted_at,
      due_at = case when page_images.failure is null then page_images.due_at else excluded.due_at end`.execute(
    tx,
  )
}

/** By address. Those that were never fetched are left out. */
export async function listPageImages(
  db: Db,
  accountId: string,
  urls: readonly (string | null | undefined)[],
): Promise<Map<string, PageImage>> {
  const wanted = urls.filter((url) => url)
  if (wanted.length === 0) return new Map()
  const { rows } = await sql<PageImage & { url: string }>`
    select url, hash, type from page_images
    where account_id = ${accountId} and url = any(${wanted}::text[]) and hash is not null`.execute(db)
  return new Map(rows.map(({ url, hash, type }) => [url, { hash, type }]))
}

export async function findImageBytes(db: Db, accountId: string, hash: string): Promise<ImageBytes | null> {
  const { rows } = await sql<ImageBytes>`
    select hash, type, bytes from page_images where account_id = ${accountId} and hash = ${hash} limit 1`.execute(
    db,
  )
  return rows[0] ?? null
}

export interface ImageFailure {
  url: string
  failure: string
  /** An earlier attempt gave an image. */
  hasImage: boolean
}

export async function listImageFailures(
  db: Db,
  accountId: string,
  urls: readonly string[],
): Promise<ImageFailure[]> {
  if (urls.length === 0) return []
  const { rows } = await sql<ImageFailure>`
    select url, failure, hash is not null as "hasImage" from page_images
    where account_id = ${accountId} and url = any(${urls}::text[]) and failure is not null`.execute(db)
  return rows
}

/** A claim ends by itself, so the images of a killed server become due again. Accounts take turns. */
export async function claimPageImages(
  pool: Pool,
  { now, limit, leaseMs }: { now: number; limit: number; leaseMs: number },
): Promise<ClaimedImage[]> {
  const { rows } = await pool.query<ClaimedImage>({
    name: 'claim-page-images',
    text: `
      with due as (
        select id, due_at, row_number() over (partition by account_id order by due_at) as turn
        from page_images where due_at <= $1 order by turn, due_at limit $3
      )
      update page_images set due_at = $2
      where id in (
        select image.id from page_images image join due using (id)
        where image.due_at <= $1 order by image.id for update of image skip locked)
      returning id, account_id, url, failures`,
    values: [new Date(now), new Date(now + leaseMs), limit],
  })
  return rows
}

export async function recordImage(
  pool: Pool,
  { id, account_id }: ClaimedImage,
  { bytes, type, hash }: ImageBytes,
  { now, dueAt }: { now: number; dueAt: number },
): Promise<void> {
  await pool.query(
    `update page_images set bytes = $3, type = $4, hash = $5, fetched_at = $6, due_at = $7, failure = null, failures = 0
     where account_id = $1 and id = $2`,
    [account_id, id, bytes, type, hash, new Date(now), new Date(dueAt)],
  )
}

export async function recordImageFailure(
  pool: Pool,
  { id, account_id }: ClaimedImage,
  { failure, dueAt }: { failure: string; dueAt: number },
): Promise<void> {
  await pool.query(
    `update page_images set failure = $3, failures = failures + 1, due_at = $4 where account_id = $1 and id = $2`,
    [account_id, id, failure, new Date(dueAt)],
  )
}

/** Pages that an earlier release saved have addresses that were never requested. */
export async function requestMissingImages(client: Client, now: number): Promise<void> {
  await client.query(
    `insert into page_images (account_id, url, due_at, wanted_at)
     select account_id, url, $1, $1 from (${referredUrls}) referred where url <> '' on conflict do nothing`,
    [new Date(now)],
  )
}

/** Those that no page refers to. A page that is being saved isn't visible yet, but has set `wanted_at`. */
export async function deleteUnusedImages(client: Client, before: number): Promise<number> {
  const { rows } = await client.query<{ deleted: number }>(
    `with gone as (
       delete from page_images image where wanted_at < $1 and not exists (
         select from (${referredUrls}) referred
         where referred.account_id = image.account_id and referred.url = image.url)
       returning 1)
     select count(*)::int as deleted from gone`,
    [new Date(before)],
  )
  return rows[0]?.deleted ?? 0
}
