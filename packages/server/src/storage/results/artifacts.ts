// The files of results: their names, and the blobs with their bytes.
import type { Selectable } from 'kysely'
import type { Db } from '../core/db.ts'
import { columnKinds, insertMany } from '../core/insert-many.ts'
import type { Tables } from '../core/tables.generated.ts'
import type { Client } from '../core/transaction.ts'
import type { BlobKey } from './blobs.ts'

export type ArtifactRow = Selectable<Tables['artifacts']>

export interface NewArtifact {
  accountId: string
  id: string
  scheduledAt: number
  checkId: string
  resultId: string
  type: string
  name: string
  contentType: string
  sha256: string
}

const artifact = columnKinds<NewArtifact & { sizeBytes: number }>()

const insertRows = insertMany(
  'insert_artifacts',
  'artifacts',
  {
    account_id: artifact.uuid((row) => row.accountId),
    id: artifact.uuid((row) => row.id),
    scheduled_at: artifact.instant((row) => row.scheduledAt),
    check_id: artifact.uuid((row) => row.checkId),
    result_id: artifact.uuid((row) => row.resultId),
    type: artifact.text((row) => row.type),
    name: artifact.text((row) => row.name),
    content_type: artifact.text((row) => row.contentType),
    size_bytes: artifact.bigint((row) => row.sizeBytes),
    sha256: artifact.text((row) => row.sha256),
  },
  { onConflict: 'do nothing' },
)

/** Inserts those whose bytes the account has, and ignores the others. */
export async function insertArtifacts(client: Client, rows: readonly NewArtifact[]): Promise<void> {
  if (rows.length === 0) return
  const sizes = await lockBlobs(client, rows)
  await insertRows(
    client,
    rows.flatMap((row) => {
      const sizeBytes = sizes.get(`${row.accountId} ${row.sha256}`)
      return sizeBytes === undefined ? [] : [{ ...row, sizeBytes }]
    }),
  )
}

/** By account and digest. Waits for transactions that give up one of them, which is then absent. */
async function lockBlobs(client: Client, rows: readonly BlobKey[]): Promise<Map<string, number>> {
  const blobs = await client.query<BlobKey & { sizeBytes: number }>({
    name: 'lock_blobs_of_artifacts',
    text: `select b.account_id as "accountId", b.sha256, b.size_bytes as "sizeBytes"
      from unnest($1::uuid[], $2::text[]) as r (account_id, sha256)
      join blobs b on b.account_id = r.account_id and b.sha256 = r.sha256 where b.is_stored for key share of b`,
    values: [rows.map(({ accountId }) => accountId), rows.map(({ sha256 }) => sha256)],
  })
  return new Map(blobs.rows.map(({ accountId, sha256, sizeBytes }) => [`${accountId} ${sha256}`, sizeBytes]))
}

/** By name. With `scheduledAt`, only one partition is read. */
export async function listArtifacts(
  db: Db,
  accountId: string,
  { resultId, scheduledAt }: { resultId: string; scheduledAt?: number },
): Promise<ArtifactRow[]> {
  let rows = db
    .selectFrom('artifacts')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('result_id', '=', resultId)
  if (scheduledAt !== undefined) rows = rows.where('scheduled_at', '=', new Date(scheduledAt).toISOString())
  return rows.orderBy('name').execute()
}

/** `accountId` may be omitted only if a signed link names the artifact. */
export async function findArtifact(
  db: Db,
  { id, scheduledAt, accountId }: { id: string; scheduledAt: number; accountId?: string },
): Promise<ArtifactRow | null> {
  let rows = db
    .selectFrom('artifacts')
    .selectAll()
    .where('id', '=', id)
    .where('scheduled_at', '=', new Date(scheduledAt).toISOString())
  if (accountId !== undefined) rows = rows.where('account_id', '=', accountId)
  return (await rows.executeTakeFirst()) ?? null
}

/** Makes the blobs of a partition that is about to be deleted due for examination. */
export async function examineBlobsOf(client: Client, partition: string): Promise<void> {
  const { rows } = await client.query<BlobKey>(
    `select distinct account_id as "accountId", sha256 from ${partition}`,
  )
  await client.query(
    `update blobs b set examine_at = '-infinity' from unnest($1::uuid[], $2::text[]) as a (account_id, sha256)
     where b.account_id = a.account_id and b.sha256 = a.sha256 and b.is_stored`,
    [rows.map(({ accountId }) => accountId), rows.map(({ sha256 }) => sha256)],
  )
}

/** The size of the artifacts of a partition, including bytes that other partitions share. */
export async function artifactBytes(client: Client, partition: string): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(
    `select coalesce(sum(size_bytes), 0)::float8 as bytes from ${partition}`,
  )
  return rows[0]?.bytes ?? 0
}
