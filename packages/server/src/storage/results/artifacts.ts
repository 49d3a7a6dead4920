// The files of results: their names, and the blobs with their bytes.
import type { Selectable } from 'kysely'
import type { Db } from '../core/db.ts'
import { columnKinds, constant, insertMany } from '../core/insert-many.ts'
import type { Tables } from '../core/tables.generated.ts'
import type { Client } from '../core/transaction.ts'

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

const artifact = columnKinds<NewArtifact>()

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
    size_bytes: constant('b.size_bytes'),
    sha256: artifact.text((row) => row.sha256),
  },
  {
    // Waits for a transaction that gives up a blob; the blob is then skipped.
    source: `join blobs b on b.account_id = r.account_id and b.sha256 = r.sha256 where b.is_stored for key share of b`,
    onConflict: 'do nothing',
  },
)

/** Inserts those whose bytes the account has, and ignores the others. */
export async function insertArtifacts(client: Client, rows: readonly NewArtifact[]): Promise<void> {
  await insertRows(client, rows)
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
  await client.query(
    `update blobs b set examine_at = '-infinity'
     from (select distinct account_id, sha256 from ${partition}) a
     where b.account_id = a.account_id and b.sha256 = a.sha256 and b.is_stored`,
  )
}

/** The size of the artifacts of a partition, including bytes that other partitions share. */
export async function artifactBytes(client: Client, partition: string): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(
    `select coalesce(sum(size_bytes), 0)::float8 as bytes from ${partition}`,
  )
  return rows[0]?.bytes ?? 0
}
