// The files of results: what each is called and which blob holds its bytes.
import type { Selectable } from 'kysely'
import type { Db } from '../core/db.ts'
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

// A blob that is being given up at this moment is waited for, and then it is not there.
const insertText = `
  with named as (
    select * from unnest($1::uuid[], $2::uuid[], $3::float8[], $4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::text[],
      $9::text[]) as r (account_id, id, scheduled_at, check_id, result_id, type, name, content_type, sha256)
  ), kept as (
    select account_id, sha256, size_bytes from blobs b
    where is_stored and (account_id, sha256) in (select account_id, sha256 from named) for key share
  )
  insert into artifacts (account_id, id, scheduled_at, check_id, result_id, type, name, content_type, size_bytes, sha256)
  select n.account_id, n.id, to_timestamp(n.scheduled_at / 1000.0), n.check_id, n.result_id, n.type, n.name,
    n.content_type, k.size_bytes, n.sha256
  from named n join kept k on k.account_id = n.account_id and k.sha256 = n.sha256
  on conflict do nothing`

/** Those whose bytes the account has; the others are as if they had never been. */
export async function insertArtifacts(client: Client, rows: readonly NewArtifact[]): Promise<void> {
  if (rows.length === 0) return
  const values = [
    rows.map((row) => row.accountId),
    rows.map((row) => row.id),
    rows.map((row) => row.scheduledAt),
    rows.map((row) => row.checkId),
    rows.map((row) => row.resultId),
    rows.map((row) => row.type),
    rows.map((row) => row.name),
    rows.map((row) => row.contentType),
    rows.map((row) => row.sha256),
  ]
  await client.query({ name: 'insert_artifacts', text: insertText, values })
}

/** By name. `scheduledAt` spares looking through the days, where it is known. */
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

/** `accountId` is left out only where a signature of ours names the artifact. */
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

/** The blobs of a day whose artifacts are about to go are looked at next. */
export async function examineBlobsOf(client: Client, partition: string): Promise<void> {
  await client.query(
    `update blobs b set examine_at = '-infinity'
     from (select distinct account_id, sha256 from ${partition}) a
     where b.account_id = a.account_id and b.sha256 = a.sha256 and b.is_stored`,
  )
}

/** How much the artifacts of a day weigh, bytes that other days have too included. */
export async function artifactBytes(client: Client, partition: string): Promise<number> {
  const { rows } = await client.query<{ bytes: number }>(
    `select coalesce(sum(size_bytes), 0)::float8 as bytes from ${partition}`,
  )
  return rows[0]?.bytes ?? 0
}
