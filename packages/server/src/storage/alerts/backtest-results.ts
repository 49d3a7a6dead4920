// The results of a backtest: many rows with few columns, so they're read as arrays, with instants in milliseconds.
import type { AlertType, CheckType } from '@vedette/contracts'
import { firstIdOf } from '../../core/time-ordered-id.ts'
import type { Pool } from '../core/db.ts'
import { groupByShard } from '../core/shards.ts'

export interface BacktestCheck {
  id: string
  name: string
  checkType: CheckType
  /** Its own and those of its group. */
  tags: string[]
  usesAccountSettings: boolean
}

/** By name; without ids, all checks of the account. */
export async function listBacktestChecks(
  pool: Pool,
  accountId: string,
  ids: readonly string[] | undefined,
): Promise<BacktestCheck[]> {
  const { rows } = await pool.query<BacktestCheck>({
    text: `select c.id, c.name, c.check_type as "checkType", c.tags || coalesce(g.tags, '{}') as tags,
        case
          when g.use_global_alert_settings is true then true
          when g.alert_settings is not null then false
          else c.use_global_alert_settings
        end as "usesAccountSettings"
      from checks c left join check_groups g on g.account_id = c.account_id and g.id = c.group_id
      where c.account_id = $1 and ($2::uuid[] is null or c.id = any($2))
      order by c.name, c.id`,
    values: [accountId, ids ?? null],
  })
  return rows
}

/** How many changes of state each check had, also those of which nobody was notified. Checks without any are absent. */
export async function countStateChanges(
  pool: Pool,
  accountId: string,
  { from, to }: { from: number; to: number },
): Promise<Map<string, number>> {
  const { rows } = await pool.query<{ id: string; total: number }>({
    text: `select check_id as id, count(*)::int as total from check_alerts
      where account_id = $1 and created_at >= to_timestamp($2 / 1000.0) and created_at < to_timestamp($3 / 1000.0)
      group by check_id`,
    values: [accountId, from, to],
  })
  return new Map(rows.map(({ id, total }) => [id, total]))
}

export interface ResultSpan {
  accountId: string
  checkId: string
  from: number
  to: number
}

const earlierHours = 6
const earlierResults = 100

/**
 * Per check, how far back to read to know the state at `from`: enough runs for any threshold, and enough time.
 * choice: an episode that began earlier is treated as if it had begun there.
 */
export async function backtestStarts(
  pool: Pool,
  accountId: string,
  checkIds: readonly string[],
  from: number,
): Promise<Map<string, number>> {
  const groups = await Promise.all(
    groupByShard(checkIds, (id) => id).map((ids) => readStarts(pool, accountId, ids, from)),
  )
  return new Map(groups.flat().map(({ id, start }) => [id, start]))
}

async function readStarts(pool: Pool, accountId: string, checkIds: readonly string[], from: number) {
  const { rows } = await pool.query<{ id: string; start: number }>({
    text: `
      select c.id, (extract(epoch from least(to_timestamp($3 / 1000.0) - interval '${earlierHours} hours', (
        select min(scheduled_at) from (
          select scheduled_at from results r
          where r.account_id = $1 and r.check_id = c.id and r.check_id = any($2::uuid[]) and r.scheduled_at < to_timestamp($3 / 1000.0)
            and r.scheduled_at >= to_timestamp($3 / 1000.0) - interval '30 days'
          order by r.scheduled_at desc limit ${earlierResults}
        ) latest))) * 1000)::float8 as start
      from unnest($2::uuid[]) c (id)`,
    values: [accountId, checkIds, from],
  })
  return rows
}

export interface FinalResult {
  scheduledAt: number
  stoppedAt: number
  sessionId: string | null
  location: string
  hasFailures: boolean
  isDegraded: boolean
  hasErrors: boolean
}

const resultsPerFetch = 20_000

// date_part returns a float, and is several times faster than extract; the result is rounded below.
type ArrayRow = [
  scheduledAt: number,
  stoppedAt: number,
  flags: number,
  location: string,
  sessionId: string | null,
]
const resultsText = `
  declare final_results no scroll cursor for
  select date_part('epoch', scheduled_at) * 1000, date_part('epoch', stopped_at) * 1000,
    has_failures::int + 2 * is_degraded::int + 4 * has_errors::int, location, check_session_id
  from results
  where account_id = $1 and check_id = $2 and scheduled_at >= to_timestamp($3 / 1000.0)
    and scheduled_at < to_timestamp($4 / 1000.0) and result_type = 'FINAL' and not is_cancelled
  order by scheduled_at`

/** Final results that weren't cancelled, by slot, in batches that fit into memory. */
export async function* readFinalResults(
  pool: Pool,
  { accountId, checkId, from, to }: ResultSpan,
): AsyncGenerator<FinalResult[]> {
  const client = await pool.connect()
  try {
    await client.query('begin read only')
    await client.query(resultsText, [accountId, checkId, from, to])
    for (;;) {
      const text = `fetch ${resultsPerFetch} from final_results`
      const { rows } = await client.query<ArrayRow>({ text, rowMode: 'array' })
      yield rows.map(resultOf)
      if (rows.length < resultsPerFetch) return
    }
  } finally {
    const broken = await client.query('rollback').then(
      () => undefined,
      (error: Error) => error,
    )
    // The state of the connection is unknown, so the pool must discard it.
    client.release(broken)
  }
}

function resultOf([scheduledAt, stoppedAt, flags, location, sessionId]: ArrayRow): FinalResult {
  return {
    scheduledAt: Math.round(scheduledAt),
    stoppedAt: Math.round(stoppedAt),
    sessionId,
    location,
    hasFailures: (flags & 1) > 0,
    isDegraded: (flags & 2) > 0,
    hasErrors: (flags & 4) > 0,
  }
}

export interface SentAlertRow {
  type: AlertType
  kind: 'failure' | 'degraded' | 'recovery'
  at: number
  scheduledAt: number
  episodeAt: number | null
}

/** Alerts of a check that were sent, in order; without those held back or about certificates. */
export async function listSentAlerts(
  pool: Pool,
  { accountId, checkId, from, to }: ResultSpan,
): Promise<SentAlertRow[]> {
  const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`
  const { rows } = await pool.query<SentAlertRow>({
    text: `
      select alert_type as type, kind, ${ms('created_at')} as at, ${ms('scheduled_at')} as "scheduledAt",
        ${ms('episode_at')} as "episodeAt"
      from check_alerts
      where account_id = $1 and check_id = $2 and id >= $3 and id < $4 and kind in ('failure', 'degraded', 'recovery')
      order by created_at, id`,
    values: [accountId, checkId, firstIdOf(from), firstIdOf(to)],
  })
  return rows
}
