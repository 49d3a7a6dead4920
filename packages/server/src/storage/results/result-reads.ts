// Reads results, newest first: in the order of their key, so that a page is the end of an index.
import { dayMs, type Page, type RanAt } from '@vedette/contracts'
import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Db, PageRequest } from '../core/db.ts'
import { groupByShard } from '../core/shards.ts'
import type { Tables } from '../core/tables.generated.ts'
import { addDetails, hasKeptDetail } from './result-details.ts'

export interface ResultRow extends Selectable<Tables['results']> {
  /** Null: there is none, it was deleted, or it wasn't requested. */
  detail: string | null
}

/** Null: no agent ran it, or the agent is unknown. */
export function ranAtOf(row: Pick<ResultRow, 'agent_id' | 'agent_name' | 'is_built_in_agent'>): RanAt | null {
  const { agent_id: agentId, agent_name: agentName, is_built_in_agent: isBuiltIn } = row
  return agentId === null ? null : { agentId, agentName, isBuiltIn: isBuiltIn === true }
}

export interface ResultFilters {
  /** Milliseconds; started at or after `from`, and before `to`. */
  from?: number | undefined
  to?: number | undefined
  location?: string | undefined
  checkType?: string | undefined
  hasFailures?: boolean | undefined
  resultType: 'FINAL' | 'ATTEMPT' | 'ALL'
}

export interface ResultsOf {
  accountId: string
  checkId: string
  withDetail: boolean
  /** Older evidence beyond it is left out; absent: 32 MB. */
  maxDetailBytes?: number
}

/** The key of a result within its check. */
export interface ResultKey {
  scheduledAt: string
  runId: string
  attempt: number
}

export async function listResults(
  db: Db,
  of: ResultsOf,
  filters: ResultFilters & PageRequest,
): Promise<Page<ResultRow>> {
  const where = conditionsOf(ownedBy(of), filters)
  const { limit, page } = filters
  const [items, count] = await Promise.all([
    readPage(db, pageOf(where, { limit, offset: (page - 1) * limit }), of),
    sql<{ total: number }>`select count(*) as total from results where ${where}`.execute(db),
  ])
  return { items, total: count.rows[0]?.total ?? 0 }
}

/**
 * Of all checks of the account, or of the given ones; one more than the limit, if there are more. Without ids, the index by
 * time is read from its end; with ids, the latest of each check are read by the primary key.
 */
export async function listAccountResultsAfter(
  db: Db,
  { accountId, checkIds, withDetail }: { accountId: string; checkIds: string[] | null; withDetail: boolean },
  filters: ResultFilters & { limit: number; after: ResultKey | null },
): Promise<ResultRow[]> {
  const { limit, after } = filters
  const own = conditionsOf(sql`account_id = ${accountId}`, filters)
  if (checkIds === null) {
    const rows = await readExisting(db, accountId, own, { limit: limit + 1, after })
    return withDetail ? addDetails(db, rows) : rows
  }
  const where = after === null ? own : sql`${own} and ${isAfter(after)}`
  const end = sql`order by ${order('r')} limit ${limit + 1}`
  const pages = await Promise.all(
    groupByShard(checkIds, (id) => id).map((ids) => {
      const page = sql`select r.* from unnest(${ids}::uuid[]) c (wanted) cross join lateral (
        select r.* from results r where ${where} and r.check_id = c.wanted and r.check_id = any(${ids}::uuid[]) ${end}
      ) r ${end}`
      return readPage(db, page)
    }),
  )
  const rows = pages
    .flat()
    .sort(compareNewestFirst)
    .slice(0, limit + 1)
  return withDetail ? addDetails(db, rows) : rows
}

const largestPage = 5_000

/** Without results of deleted checks. Results may be distributed and checks aren't, so they can't be joined. */
async function readExisting(
  db: Db,
  accountId: string,
  own: RawBuilder<unknown>,
  { limit, after }: { limit: number; after: ResultKey | null },
): Promise<ResultRow[]> {
  const rows: ResultRow[] = []
  let last = after
  for (let size = limit; ; size = Math.min(4 * size, largestPage)) {
    const where = last === null ? own : sql`${own} and ${isAfter(last)}`
    const page = await readPage(db, pageOf(where, { limit: size, offset: 0 }))
    const checks = await sql<{ id: string }>`
      select id from checks
      where account_id = ${accountId} and id = any(${[...new Set(page.map((row) => row.check_id))]}::uuid[])`.execute(
      db,
    )
    const existing = new Set(checks.rows.map(({ id }) => id))
    rows.push(...page.filter((row) => existing.has(row.check_id)))
    const end = page.at(-1)
    if (end === undefined || page.length < size || rows.length >= limit) return rows.slice(0, limit)
    last = { scheduledAt: end.scheduled_at, runId: end.run_id, attempt: end.attempt }
  }
}

function compareNewestFirst(a: ResultRow, b: ResultRow): number {
  if (a.scheduled_at !== b.scheduled_at) return a.scheduled_at < b.scheduled_at ? 1 : -1
  if (a.run_id !== b.run_id) return a.run_id < b.run_id ? 1 : -1
  return b.attempt - a.attempt
}

/** One more than the limit, if there are more. */
export async function listResultsAfter(
  db: Db,
  of: ResultsOf,
  filters: ResultFilters & { limit: number; after: ResultKey | null },
): Promise<ResultRow[]> {
  const { limit, after } = filters
  const where = conditionsOf(ownedBy(of), filters)
  const rest = after === null ? where : sql`${where} and ${isAfter(after)}`
  return readPage(db, pageOf(rest, { limit: limit + 1, offset: 0 }), of)
}

export async function findResult(
  db: Db,
  of: ResultsOf,
  { id, scheduledAt }: { id: string; scheduledAt: number },
): Promise<ResultRow | null> {
  const where = sql`${ownedBy(of)} and scheduled_at = ${new Date(scheduledAt)} and id = ${id}`
  const [row] = await readPage(db, pageOf(where, { limit: 1, offset: 0 }), of)
  return row ?? null
}

/** Runs before that say little about what has changed. */
const comparableMs = 7 * dayMs

/**
 * The last final result before this one that passed: in the same location, or if there is none, in any. If its evidence was
 * deleted, the last one of the week that has some.
 */
export async function findLastPassing(
  db: Db,
  of: Omit<ResultsOf, 'withDetail'>,
  { scheduled_at, location }: Pick<ResultRow, 'scheduled_at' | 'location'>,
): Promise<ResultRow | null> {
  const passed = sql`${ownedBy(of)} and scheduled_at < ${scheduled_at} and result_type = 'FINAL'
    and not has_failures and not has_errors and not is_degraded and not is_cancelled`
  const findLast = async (where: RawBuilder<unknown>) => {
    const [row] = await readPage(db, pageOf(where, { limit: 1, offset: 0 }), { ...of, withDetail: true })
    return row ?? null
  }
  for (const where of [sql`${passed} and location = ${location}`, passed]) {
    const row = await findLast(where)
    if (row === null) continue
    if (row.detail !== null) return row
    const earliest = instant(Date.parse(scheduled_at) - comparableMs)
    return (
      (await findLast(sql`${where} and scheduled_at >= ${earliest} and ${hasKeptDetail(of.checkId)}`)) ?? row
    )
  }
  return null
}

const order = (table: string) =>
  sql.raw(`${table}.scheduled_at desc, ${table}.run_id desc, ${table}.attempt desc`)

function pageOf(
  where: RawBuilder<unknown>,
  { limit, offset }: { limit: number; offset: number },
): RawBuilder<unknown> {
  return sql`select r.* from results r where ${where} order by ${order('r')} limit ${limit} offset ${offset}`
}

async function readPage(
  db: Db,
  page: RawBuilder<unknown>,
  { withDetail, maxDetailBytes }: Pick<ResultsOf, 'withDetail' | 'maxDetailBytes'> = { withDetail: false },
): Promise<ResultRow[]> {
  const { rows } = await sql<ResultRow>`
    select p.*, null as detail from (${page}) p order by ${order('p')}`.execute(db)
  return withDetail ? addDetails(db, rows, maxDetailBytes) : rows
}

function ownedBy({ accountId, checkId }: Pick<ResultsOf, 'accountId' | 'checkId'>): RawBuilder<unknown> {
  return sql`account_id = ${accountId} and check_id = ${checkId}`
}

/** How long after its slot a run may begin (retries, a lost agent), and the error of a corrected clock. */
const latestStartMs = 2 * 3_600_000
const clockErrorMs = 5 * 60_000

function conditionsOf(owner: RawBuilder<unknown>, filters: ResultFilters): RawBuilder<unknown> {
  const { from, to, location, checkType, hasFailures, resultType } = filters
  const conditions = [owner]
  // Also limits the slot, so that partitions of other days are skipped.
  if (from !== undefined) {
    conditions.push(
      sql`started_at >= ${instant(from)} and scheduled_at >= ${instant(Math.max(0, from - latestStartMs))}`,
    )
  }
  if (to !== undefined) {
    conditions.push(sql`started_at < ${instant(to)} and scheduled_at < ${instant(to + clockErrorMs)}`)
  }
  if (location !== undefined) conditions.push(sql`location = ${location}`)
  if (checkType !== undefined) conditions.push(sql`check_type = ${checkType}`)
  if (hasFailures !== undefined) conditions.push(sql`has_failures = ${hasFailures}`)
  if (resultType !== 'ALL') conditions.push(sql`result_type = ${resultType}`)
  return sql.join(conditions, sql` and `)
}

function isAfter({ scheduledAt, runId, attempt }: ResultKey): RawBuilder<unknown> {
  // The first comparison is redundant, but lets PostgreSQL skip partitions.
  return sql`scheduled_at <= ${scheduledAt}
    and (scheduled_at, run_id, attempt) < (${scheduledAt}, ${runId}, ${attempt}::smallint)`
}

function instant(milliseconds: number): Date {
  return new Date(milliseconds)
}
