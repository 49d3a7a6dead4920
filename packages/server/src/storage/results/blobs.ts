// Which bytes the blob store holds for an account. The row comes before the bytes and goes after them, so that whoever
// deletes and whoever uploads at the same time meet at its lock, in however many servers.
import type { Pool } from '../core/db.ts'
import type { Client } from '../core/transaction.ts'

export interface BlobKey {
  accountId: string
  sha256: string
}

/** Whoever uploads has this long until the result that names it is recorded. */
const uploadGraceMs = 3_600_000

/** Before its bytes are put in place; it says whether they are there already. */
export async function claimBlob(
  pool: Pool,
  { accountId, sha256, sizeBytes }: BlobKey & { sizeBytes: number },
  now: number,
): Promise<{ isStored: boolean }> {
  const { rows } = await pool.query<{ isStored: boolean }>(
    `insert into blobs (account_id, sha256, size_bytes, last_used_at, examine_at)
     values ($1, $2, $3, to_timestamp($4 / 1000.0), to_timestamp($4 / 1000.0))
     on conflict (account_id, sha256) do update set last_used_at = excluded.last_used_at
     returning is_stored as "isStored"`,
    [accountId, sha256, sizeBytes, now],
  )
  return { isStored: rows[0]?.isStored === true }
}

/** False: the row is gone, and with it the bytes. */
export async function markBlobStored(pool: Pool, { accountId, sha256 }: BlobKey): Promise<boolean> {
  const { rowCount } = await pool.query(
    'update blobs set is_stored = true where account_id = $1 and sha256 = $2',
    [accountId, sha256],
  )
  return rowCount === 1
}

/** Null: the account has no such bytes. */
export async function findBlobSize(pool: Pool, { accountId, sha256 }: BlobKey): Promise<number | null> {
  const { rows } = await pool.query<{ size: number }>(
    'select size_bytes::float8 as size from blobs where account_id = $1 and sha256 = $2',
    [accountId, sha256],
  )
  return rows[0]?.size ?? null
}

/** Its bytes were not where they should be: the next upload brings them back. */
export async function markBlobLost(pool: Pool, { accountId, sha256 }: BlobKey): Promise<void> {
  await pool.query('update blobs set is_stored = false where account_id = $1 and sha256 = $2', [
    accountId,
    sha256,
  ])
}

/** Those of them that are stored: nobody deletes them for a while. */
export async function touchKnownBlobs(
  pool: Pool,
  accountId: string,
  sha256: readonly string[],
  now: number,
): Promise<Set<string>> {
  if (sha256.length === 0) return new Set()
  const { rows } = await pool.query<{ sha256: string }>(
    `with known as (
       select sha256 from blobs where account_id = $1 and sha256 = any($2::text[]) and is_stored order by sha256 for update
     )
     update blobs b set last_used_at = to_timestamp($3 / 1000.0)
     from known where b.account_id = $1 and b.sha256 = known.sha256 returning b.sha256`,
    [accountId, [...sha256], now],
  )
  return new Set(rows.map((row) => row.sha256))
}

const isDue = 'examine_at <= to_timestamp($1 / 1000.0) and last_used_at < to_timestamp($2 / 1000.0)'

/** Due to be looked at, and locked: nobody records a use of them meanwhile. */
export async function lockDueBlobs(client: Client, now: number, limit: number): Promise<BlobKey[]> {
  const { rows } = await client.query<BlobKey>(
    `select account_id as "accountId", sha256 from blobs where ${isDue} and is_stored
     order by examine_at limit $3 for update skip locked`,
    [now, now - uploadGraceMs, limit],
  )
  return rows
}

export interface BlobUse extends BlobKey {
  /** When the newest run that left it was scheduled; null: none is known. */
  newestAt: number | null
  isUploaded: boolean
}

/** Whether anything still refers to it. */
export function isUsed({ newestAt, isUploaded }: BlobUse): boolean {
  return newestAt !== null || isUploaded
}

/** As of now, which is after they were locked. */
export async function listBlobUses(client: Client, blobs: readonly BlobKey[]): Promise<BlobUse[]> {
  const { rows } = await client.query<BlobUse>(
    `select b.account_id as "accountId", b.sha256,
       (select (extract(epoch from max(a.scheduled_at)) * 1000)::float8 from artifacts a
        where a.account_id = b.account_id and a.sha256 = b.sha256
          and exists (select from accounts c where c.id = b.account_id)) as "newestAt",
       exists (select from code_bundles c where c.account_id = b.account_id and c.sha256 = b.sha256) as "isUploaded"
     from unnest($1::uuid[], $2::text[]) b (account_id, sha256)`,
    columnsOf(blobs),
  )
  return rows
}

export async function postponeBlobs(
  client: Client,
  blobs: readonly (BlobKey & { examineAt: number })[],
): Promise<void> {
  await client.query(
    `update blobs b set examine_at = to_timestamp(r.examine_at / 1000.0)
     from unnest($1::uuid[], $2::text[], $3::float8[]) r (account_id, sha256, examine_at)
     where b.account_id = r.account_id and b.sha256 = r.sha256`,
    [...columnsOf(blobs), blobs.map(({ examineAt }) => examineAt)],
  )
}

/** From here on nothing can refer to them any more. */
export async function giveUpBlobs(client: Client, blobs: readonly BlobKey[]): Promise<void> {
  await client.query(
    `update blobs b set is_stored = false from unnest($1::uuid[], $2::text[]) r (account_id, sha256)
     where b.account_id = r.account_id and b.sha256 = r.sha256`,
    columnsOf(blobs),
  )
}

/** Of an account that is being deleted: looked at next, and nothing counts as a use of them any more. */
export async function examineBlobsOfAccount(client: Client, accountId: string): Promise<void> {
  await client.query(`update blobs set examine_at = '-infinity' where account_id = $1`, [accountId])
}

/** Given up, or never brought to an end; locked until their bytes are gone. */
export async function lockGivenUpBlobs(client: Client, now: number, limit: number): Promise<BlobKey[]> {
  const { rows } = await client.query<BlobKey>(
    `select account_id as "accountId", sha256 from blobs where ${isDue} and not is_stored
     order by examine_at limit $3 for update skip locked`,
    [now, now - uploadGraceMs, limit],
  )
  return rows
}

export async function deleteBlobRows(client: Client, blobs: readonly BlobKey[]): Promise<void> {
  await client.query(
    `delete from blobs b using unnest($1::uuid[], $2::text[]) r (account_id, sha256)
     where b.account_id = r.account_id and b.sha256 = r.sha256`,
    columnsOf(blobs),
  )
}

function columnsOf(blobs: readonly BlobKey[]): [string[], string[]] {
  return [blobs.map(({ accountId }) => accountId), blobs.map(({ sha256 }) => sha256)]
}
