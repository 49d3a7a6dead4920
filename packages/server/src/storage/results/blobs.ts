// The blobs of accounts. A row is inserted before its bytes are stored and deleted after them, so that its lock serializes
// uploads and deletions of all servers.
import type { Pool } from '../core/db.ts'
import type { Client } from '../core/transaction.ts'

export interface BlobKey {
  accountId: string
  sha256: string
}

/** The time between an upload and the result that refers to it. */
const uploadGraceMs = 3_600_000

/** Call it before storing the bytes; returns whether they are already stored. */
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

/** False: the row was deleted, and its bytes too. */
export async function markBlobStored(pool: Pool, { accountId, sha256 }: BlobKey): Promise<boolean> {
  const { rowCount } = await pool.query(
    'update blobs set is_stored = true where account_id = $1 and sha256 = $2',
    [accountId, sha256],
  )
  return rowCount === 1
}

/** Null: the account doesn't have these bytes. */
export async function findBlobSize(pool: Pool, { accountId, sha256 }: BlobKey): Promise<number | null> {
  const { rows } = await pool.query<{ size: number }>(
    'select size_bytes::float8 as size from blobs where account_id = $1 and sha256 = $2',
    [accountId, sha256],
  )
  return rows[0]?.size ?? null
}

/** Its bytes are missing: the next upload stores them again. */
export async function markBlobLost(pool: Pool, { accountId, sha256 }: BlobKey): Promise<void> {
  await pool.query('update blobs set is_stored = false where account_id = $1 and sha256 = $2', [
    accountId,
    sha256,
  ])
}

/** Returns those that are stored, and protects them from deletion for a while. */
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

/** Blobs due for examination, locked so that no use of them is recorded meanwhile. */
export async function lockDueBlobs(client: Client, now: number, limit: number): Promise<BlobKey[]> {
  const { rows } = await client.query<BlobKey>(
    `select account_id as "accountId", sha256 from blobs where ${isDue} and is_stored
     order by examine_at limit $3 for update skip locked`,
    [now, now - uploadGraceMs, limit],
  )
  return rows
}

export interface BlobUse extends BlobKey {
  /** The slot of the newest run that refers to it; null: none does. */
  newestAt: number | null
  isUploaded: boolean
}

/** Whether anything still refers to it. */
export function isUsed({ newestAt, isUploaded }: BlobUse): boolean {
  return newestAt !== null || isUploaded
}

/** Call it after locking the blobs. */
export async function listBlobUses(client: Client, blobs: readonly BlobKey[]): Promise<BlobUse[]> {
  const newest = await client.query<BlobKey & { newestAt: number }>(
    `select a.account_id as "accountId", a.sha256, (extract(epoch from max(a.scheduled_at)) * 1000)::float8 as "newestAt"
     from unnest($1::uuid[], $2::text[]) b (account_id, sha256)
     join artifacts a on a.account_id = b.account_id and a.sha256 = b.sha256 group by 1, 2`,
    columnsOf(blobs),
  )
  const newestAt = new Map(newest.rows.map((row) => [`${row.accountId} ${row.sha256}`, row.newestAt]))
  const { rows } = await client.query<BlobKey & { isAccount: boolean; isUploaded: boolean }>(
    `select b.account_id as "accountId", b.sha256, exists (select from accounts c where c.id = b.account_id) as "isAccount",
       exists (select from code_bundles c where c.account_id = b.account_id and c.sha256 = b.sha256) as "isUploaded"
     from unnest($1::uuid[], $2::text[]) b (account_id, sha256)`,
    columnsOf(blobs),
  )
  return rows.map(({ isAccount, ...blob }) => ({
    ...blob,
    newestAt: isAccount ? (newestAt.get(`${blob.accountId} ${blob.sha256}`) ?? null) : null,
  }))
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

/** After this, nothing can refer to them. */
export async function giveUpBlobs(client: Client, blobs: readonly BlobKey[]): Promise<void> {
  await client.query(
    `update blobs b set is_stored = false from unnest($1::uuid[], $2::text[]) r (account_id, sha256)
     where b.account_id = r.account_id and b.sha256 = r.sha256`,
    columnsOf(blobs),
  )
}

/** For an account that is being deleted: makes its blobs due for examination. */
export async function examineBlobsOfAccount(client: Client, accountId: string): Promise<void> {
  await client.query(`update blobs set examine_at = '-infinity' where account_id = $1`, [accountId])
}

/** Blobs that were given up or never completed, locked until their bytes are deleted. */
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
