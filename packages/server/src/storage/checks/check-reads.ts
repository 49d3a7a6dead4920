// Reads checks of every type, with their subscribed channels and what their states are derived from. Reading one is the most frequent
// statement of the API: it's named, so that PostgreSQL plans it once.
import type { ChannelType, CheckType, Page } from '@vedette/contracts'
import { type RawBuilder, sql } from 'kysely'
import type pg from 'pg'
import type { PageRequest, Store } from '../core/db.ts'
import { type Owner, ownerOfCheck } from '../projects/owners.ts'
import { type StateFactsRow, stateFacts, stateJoins } from '../results/state-facts.ts'
import type { CheckColumns } from './check-settings.ts'

export interface SubscribedChannel {
  alertChannelId: number
  activated: boolean
  /** Only for channels of the old summary (AlertChannelSummary), and only while the subscription is active. */
  type: ChannelType | null
  config: Record<string, unknown> | null
}

export interface CheckRow extends CheckColumns {
  subscriptions: SubscribedChannel[] | null
  /** The project that it belongs to. */
  owner?: Owner | null
  dependencies?: unknown
}

/** With all that its state is derived from, except what few states need. */
export interface CheckFactsRow extends CheckRow {
  facts: StateFactsRow
}

const columns = `c.id, c.account_id, c.check_type, c.name, c.description, c.activated, c.muted, c.muted_until, c.should_fail,
  c.double_check, c.locations, c.private_locations, c.tags, c.frequency, c.frequency_offset, c.run_parallel,
  c.group_id, c.group_order, c.runtime_id, c.use_global_alert_settings, c.alert_settings, c.retry_strategy,
  c.trigger_incident, c.setup_snippet_id, c.tear_down_snippet_id, c.settings, c.ping_token, c.created_at, c.updated_at`

const subscriptions = `(
    select json_agg(
      json_build_object('alertChannelId', s.alert_channel_id, 'activated', s.activated, 'type', a.type, 'config', a.config)
      order by s.alert_channel_id)
    from alert_channel_subscriptions s
    left join alert_channels a
      on a.id = s.alert_channel_id and s.activated and a.type in ('EMAIL', 'WEBHOOK', 'SLACK', 'SMS')
    where s.check_id = c.id
  ) as subscriptions`

// One JSON column for the whole row: parsing it takes a third of the time that the driver needs for 29 columns.
const asJson = (rows: string) => `select to_json(c) as row from (${rows}) c`

// "offset 0" separates the conditions on id and account: planned together on a small table, the statement may scan all
// checks of the account, and a named statement keeps its plan (measured: 2.5× slower with 10,000 checks).
const byId = (id: string) => `(select * from checks where id = ${id} offset 0) c`

const findText = asJson(
  `select ${columns}, ${subscriptions}, ${ownerOfCheck} from ${byId('$2')} where c.account_id = $1`,
)

export async function findCheck(
  { reader }: Pick<Store, 'reader'>,
  accountId: string,
  id: string,
): Promise<CheckRow | null> {
  const { rows } = await reader.query<JsonRow>({
    name: 'find_check',
    text: findText,
    values: [accountId, id],
  })
  return rows[0] === undefined ? null : readRow(rows[0].row)
}

// $1 is the present time, as the facts require.
const columnsWithFacts = `${columns}, ${subscriptions}, ${ownerOfCheck}, ${stateFacts}`
const findFactsText = (columns: string) =>
  asJson(`select ${columns} from ${byId('$3')} ${stateJoins} where c.account_id = $2`)
const factsText = findFactsText(columnsWithFacts)

export async function findCheckFacts(
  { pool, reader }: Pick<Store, 'pool' | 'reader'>,
  accountId: string,
  id: string,
  { now, includeDependencies = false }: { now: number; includeDependencies?: boolean | undefined },
): Promise<CheckFactsRow | null> {
  const values = [now, accountId, id]
  // Files may be megabytes: they must not block other reads.
  const { rows } = includeDependencies
    ? await pool.query<JsonFactsRow>({ text: findFactsText(`${columnsWithFacts}, c.dependencies`), values })
    : await reader.query<JsonFactsRow>({
        name: 'find_check_facts',
        text: factsText,
        values,
      })
  return rows[0] === undefined ? null : readRow(rows[0].row)
}

interface JsonRow {
  row: CheckRow
}

interface JsonFactsRow {
  row: CheckFactsRow
}

/** JSON has instants with an offset and without trailing zeros. */
function readRow<T extends CheckRow>(row: T): T {
  row.created_at = new Date(row.created_at).toISOString()
  if (row.muted_until !== null) row.muted_until = new Date(row.muted_until).toISOString()
  if (row.updated_at !== null) row.updated_at = new Date(row.updated_at).toISOString()
  return row
}

interface CheckFilters {
  apiCheckUrlFilterPattern?: string | undefined
  tag?: string[] | undefined
  checkType?: CheckType | undefined
  search?: string | undefined
  status?: 'passing' | 'failing' | 'degraded' | undefined
  groupId?: number | undefined
}

// Limit and offset apply before the joins.
const pageOf = (checks: string) => `(select ${columnsWithFacts} from (${checks}) c ${stateJoins}) c`
const pageOrder = 'order by c.created_at desc, c.id'

// Page and total in one statement: wake-ups for a second one would cost as much as its work.
const listText = `select (select count(*) from checks where account_id = $2) as total,
  (select json_agg(to_json(c) ${pageOrder}) from ${pageOf(
    'select * from checks where account_id = $2 order by created_at desc, id limit $3 offset $4',
  )}) as rows`

/** Newest first. */
export async function listChecks(
  { db, pool }: Pick<Store, 'db' | 'pool'>,
  accountId: string,
  filters: CheckFilters & PageRequest,
  now: number,
): Promise<Page<CheckFactsRow>> {
  const { limit, page } = filters
  const offset = (page - 1) * limit
  const conditions = conditionsOf(accountId, filters)
  if (conditions.length === 0) return listAll(pool, [now, accountId, limit, offset])
  const where = sql.join([sql`account_id = ${accountId}`, ...conditions], sql` and `)
  const checks = sql`select * from checks where ${where} order by created_at desc, id limit ${limit} offset ${offset}`
  const [entries, count] = await Promise.all([
    // The present time is the first parameter, as the facts require.
    sql<JsonFactsRow>`with instant as (select ${now}::float8)
      select to_json(c) as row from (
        select ${sql.raw(columnsWithFacts)} from (${checks}) c ${sql.raw(stateJoins)}
      ) c ${sql.raw(pageOrder)}`.execute(db),
    sql<{ total: number }>`select count(*) as total from checks where ${where}`.execute(db),
  ])
  return { items: entries.rows.map(({ row }) => readRow(row)), total: count.rows[0]?.total ?? 0 }
}

async function listAll(pool: pg.Pool, values: unknown[]): Promise<Page<CheckFactsRow>> {
  const { rows } = await pool.query<{ total: number; rows: CheckFactsRow[] | null }>({
    name: 'list_checks_with_facts',
    text: listText,
    values,
  })
  return { items: (rows[0]?.rows ?? []).map(readRow), total: rows[0]?.total ?? 0 }
}

function conditionsOf(accountId: string, filters: CheckFilters): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = []
  const { apiCheckUrlFilterPattern, tag, checkType, search, status, groupId } = filters
  if (groupId !== undefined) conditions.push(sql`group_id = ${groupId}`)
  if (checkType !== undefined) conditions.push(sql`check_type = ${checkType}`)
  if (tag !== undefined) {
    // Checks also have the tags of their group.
    const ofGroups = sql`select id from check_groups where account_id = ${accountId} and tags && ${tag}::text[]`
    conditions.push(sql`(tags && ${tag}::text[] or group_id in (${ofGroups}))`)
  }
  // Not "like": the search text has no wildcards.
  if (search !== undefined) conditions.push(sql`strpos(lower(name), lower(${search})) > 0`)
  if (apiCheckUrlFilterPattern !== undefined) {
    conditions.push(
      sql`check_type = 'API' and strpos(settings -> 'request' ->> 'url', ${apiCheckUrlFilterPattern}) > 0`,
    )
  }
  if (status !== undefined) conditions.push(statusCondition(accountId, status))
  return conditions
}

/** Checks without a result have no status. */
function statusCondition(
  accountId: string,
  status: NonNullable<CheckFilters['status']>,
): RawBuilder<unknown> {
  // Reads the statuses of the account once, by index, instead of a lookup for each check.
  return sql`id in (select check_id from check_statuses where account_id = ${accountId} and ${statusFlags[status]})`
}

const statusFlags = {
  passing: sql`not has_failures and not is_degraded`,
  failing: sql`has_failures`,
  degraded: sql`is_degraded and not has_failures`,
} satisfies Record<NonNullable<CheckFilters['status']>, RawBuilder<unknown>>
