// The details of results. Those of ordinary passes that aren't in the sample are in a table of their own, which keeps them for a day.
import { type RawBuilder, sql } from 'kysely'
import type { Db, Pool } from '../core/db.ts'
import { columnKinds, insertMany } from '../core/insert-many.ts'
import type { Client } from '../core/transaction.ts'
import type { ResultRow } from './result-writes.ts'

export interface DetailRow
  extends Pick<ResultRow, 'accountId' | 'checkId' | 'scheduledAt' | 'runId' | 'attempt'> {
  detail: string
}

const detailTables = ['result_details', 'unsampled_details'] as const
type DetailTable = (typeof detailTables)[number]

const detail = columnKinds<DetailRow>()

const insertInto = (table: DetailTable) =>
  insertMany(
    `insert_${table}`,
    table,
    {
      account_id: detail.uuid((row) => row.accountId),
      check_id: detail.uuid((row) => row.checkId),
      scheduled_at: detail.instant((row) => row.scheduledAt),
      run_id: detail.uuid((row) => row.runId),
      attempt: detail.smallint((row) => row.attempt),
      detail: detail.text((row) => row.detail),
    },
    { onConflict: 'do nothing' },
  )

const insertKept = insertInto('result_details')
const insertUnsampled = insertInto('unsampled_details')

export async function insertDetails(
  client: Client,
  { kept, unsampled }: { kept: readonly DetailRow[]; unsampled: readonly DetailRow[] },
): Promise<void> {
  await insertKept(client, kept)
  await insertUnsampled(client, unsampled)
}

interface StoredKey {
  account_id: string
  check_id: string
  scheduled_at: string
  run_id: string
  attempt: number
}

/** A page contains at most this much evidence: the rest is read result by result. */
const maxBytesPerPage = 32 * 1024 * 1024

/** `rows`: of one account, the newest first. Evidence beyond `maxBytes` is left out. */
export async function addDetails<Row extends StoredKey>(
  db: Db,
  rows: readonly Row[],
  maxBytes: number = maxBytesPerPage,
): Promise<(Row & { detail: string | null })[]> {
  if (rows.length === 0) return []
  const found = await Promise.all(detailTables.map((table) => readDetails(db, table, rows, maxBytes)))
  const byKey = new Map(found.flat().map((row) => [keyOf(row), row]))
  let total = 0
  return rows.map((row) => {
    const { bytes = 0, detail = null } = byKey.get(keyOf(row)) ?? {}
    total += bytes
    return { ...row, detail: total <= maxBytes ? detail : null }
  })
}

const keyOf = ({ run_id, attempt }: Pick<StoredKey, 'run_id' | 'attempt'>) => `${run_id} ${attempt}`

/** One statement for each table: a cluster can't join tables of which only some are distributed. */
async function readDetails(db: Db, table: DetailTable, keys: readonly StoredKey[], maxBytes: number) {
  const checkIds = keys.map((key) => key.check_id)
  // A lateral subquery with "group by" isn't flattened: each row looks up its detail by key.
  const { rows } = await sql<{ run_id: string; attempt: number; bytes: number; detail: string | null }>`
    select d.run_id, d.attempt, octet_length(d.detail) as bytes,
      case when sum(octet_length(d.detail)) over (order by d.scheduled_at desc, d.run_id desc, d.attempt desc) <= ${maxBytes}
        then d.detail end as detail
    from unnest(${checkIds}::uuid[], ${keys.map((key) => key.scheduled_at)}::timestamptz[],
      ${keys.map((key) => key.run_id)}::uuid[], ${keys.map((key) => key.attempt)}::smallint[])
      as k (check_id, scheduled_at, run_id, attempt)
    cross join lateral (
      select d.* from ${sql.table(table)} d
      where d.check_id = k.check_id and d.scheduled_at = k.scheduled_at and d.run_id = k.run_id and d.attempt = k.attempt
        and d.check_id = any(${[...new Set(checkIds)]}::uuid[]) and d.account_id = ${keys[0]?.account_id}
      group by d.check_id, d.scheduled_at, d.run_id, d.attempt
    ) d`.execute(db)
  return rows
}

/** A condition on a result `r` of the check: its details are kept for longer than a day. */
export function hasKeptDetail(checkId: string): RawBuilder<unknown> {
  return sql`exists (select from result_details d
    where d.check_id = r.check_id and d.check_id = ${checkId} and d.scheduled_at = r.scheduled_at and d.run_id = r.run_id
      and d.attempt = r.attempt)`
}

/** The latest of a check, the latest first. */
export async function listLatestDetails(
  pool: Pool,
  { accountId, checkId, from, to, limit }: LatestDetails,
): Promise<string[]> {
  const found = await Promise.all(
    detailTables.map((table) =>
      pool.query<{ at: string; detail: string }>({
        text: `select scheduled_at as at, detail from ${table}
          where check_id = $2 and scheduled_at >= to_timestamp($3 / 1000.0) and scheduled_at < to_timestamp($4 / 1000.0)
            and account_id = $1
          order by scheduled_at desc, run_id, attempt desc limit $5`,
        values: [accountId, checkId, from, to, limit],
      }),
    ),
  )
  return found
    .flatMap(({ rows }) => rows)
    .sort((a, b) => Date.parse(b.at) - Date.parse(a.at))
    .slice(0, limit)
    .map((row) => row.detail)
}

interface LatestDetails {
  accountId: string
  checkId: string
  from: number
  to: number
  limit: number
}
