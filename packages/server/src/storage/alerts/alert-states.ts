// Alert states of checks that aren't passing. They're written only while the status of the check is locked, or by the
// process that claimed the row because it is due.
import type { RanAt } from '@vedette/contracts'
import { arrayText } from '../core/array-text.ts'
import type { Pool } from '../core/db.ts'
import { columnKinds, insertMany } from '../core/insert-many.ts'
import type { Client } from '../core/transaction.ts'

/** What deciding remembers of a check; alerting/alert-state.ts says what it means. */
export interface AlertStateFields {
  state: 'passing' | 'degraded' | 'failing'
  previousState: 'passing' | 'degraded' | 'failing'
  rawState: 'passing' | 'degraded' | 'failing'
  runs: number
  since: number | null
  episodeAt: number
  decided: 'none' | 'degraded' | 'failure'
  isNotified: boolean
  remindersSent: number
  remindAt: number | null
  settleAt: number | null
}

/** The result that stands for a run in what people read. */
export interface TriggeringResult {
  resultId: string | null
  location: string
  /** Absent in what earlier releases stored. */
  ranAt?: RanAt | null
  responseTimeMs: number | null
  statusCode: number | null
  error: string | null
  scheduledAt: number
  startedAt: number
  errorGroupId: string | null
}

export interface AlertStateRow extends AlertStateFields {
  accountId: string
  checkId: string
  /** The alert that reminders repeat. */
  alertId: string | null
  dueAt: number | null
  lead: TriggeringResult
}

const columns = `account_id as "accountId", check_id as "checkId", state, previous_state as "previousState",
  raw_state as "rawState", runs, since, episode_at as "episodeAt", decided, is_told as "isNotified", alert_id as "alertId",
  reminders_sent as "remindersSent", remind_at as "remindAt", settle_at as "settleAt", due_at as "dueAt", lead`

/** In the order of the ids, like the locks of statuses. */
export async function lockAlertStates(
  client: Client,
  checkIds: readonly string[],
): Promise<Map<string, AlertStateRow>> {
  const { rows } = await client.query<StoredRow>({
    name: 'lock_alert_states',
    // Most checks have no row: a join reads the few rows once instead of looking up each check.
    text: `select ${columns} from unnest($1::uuid[]) as c (id) join alert_states on check_id = c.id
      order by check_id for update of alert_states`,
    values: [arrayText(checkIds)],
  })
  return new Map(rows.map((row) => [row.checkId, rowOf(row)]))
}

/** Due states that no other process has claimed. */
export async function claimDueAlertStates(
  client: Client,
  { now, limit }: { now: number; limit: number },
): Promise<AlertStateRow[]> {
  const { rows } = await client.query<StoredRow>({
    name: 'claim_due_alert_states',
    text: `select ${columns} from alert_states where due_at <= to_timestamp($1 / 1000.0)
      order by due_at limit $2 for update skip locked`,
    values: [now, limit],
  })
  return rows.map(rowOf).sort((a, b) => (a.checkId < b.checkId ? -1 : 1))
}

const column = columnKinds<AlertStateRow>()

const upsertRows = insertMany(
  'upsert_alert_states',
  'alert_states',
  {
    account_id: column.uuid((row) => row.accountId),
    check_id: column.uuid((row) => row.checkId),
    state: column.word((row) => row.state),
    previous_state: column.word((row) => row.previousState),
    raw_state: column.word((row) => row.rawState),
    runs: column.integer((row) => row.runs),
    since: column.instant((row) => row.since),
    episode_at: column.instant((row) => row.episodeAt),
    decided: column.word((row) => row.decided),
    is_told: column.boolean((row) => row.isNotified),
    alert_id: column.uuid((row) => row.alertId),
    reminders_sent: column.integer((row) => row.remindersSent),
    remind_at: column.instant((row) => row.remindAt),
    settle_at: column.instant((row) => row.settleAt),
    due_at: column.instant((row) => row.dueAt),
    lead: column.json((row) => row.lead),
  },
  {
    onConflict: `(check_id) do update set state = excluded.state, previous_state = excluded.previous_state,
      raw_state = excluded.raw_state, runs = excluded.runs, since = excluded.since, episode_at = excluded.episode_at,
      decided = excluded.decided, is_told = excluded.is_told, alert_id = excluded.alert_id,
      reminders_sent = excluded.reminders_sent, remind_at = excluded.remind_at, settle_at = excluded.settle_at,
      due_at = excluded.due_at, lead = excluded.lead`,
  },
)

export async function upsertAlertStates(client: Client, rows: readonly AlertStateRow[]): Promise<void> {
  await upsertRows(client, rows)
}

export async function deleteAlertStates(client: Client, checkIds: readonly string[]): Promise<void> {
  if (checkIds.length === 0) return
  await client.query({
    name: 'delete_alert_states',
    text: 'delete from alert_states where check_id = any($1::uuid[])',
    values: [arrayText(checkIds)],
  })
}

/** While alerting is off, states become stale: they would cause alerts and reminders of checks that have recovered. */
export async function forgetAlertStates(pool: Pool, now: number): Promise<void> {
  await pool.query('delete from alert_states')
  // Told episodes have no row: their last alert speaks for them, unless it is older than this.
  await pool.query(
    `insert into instance (key, value) values ('alerts_forgotten_at', to_jsonb($1::float8))
      on conflict (key) do update set value = excluded.value`,
    [now],
  )
}

type NullableInstants = 'since' | 'remindAt' | 'settleAt' | 'dueAt'
type StoredRow = Omit<AlertStateRow, NullableInstants | 'episodeAt'> &
  Record<NullableInstants, string | null> & { episodeAt: string }

function rowOf(row: StoredRow): AlertStateRow {
  const instant = (text: string | null) => (text === null ? null : Date.parse(text))
  return {
    ...row,
    since: instant(row.since),
    episodeAt: Date.parse(row.episodeAt),
    remindAt: instant(row.remindAt),
    settleAt: instant(row.settleAt),
    dueAt: instant(row.dueAt),
  }
}
