// The data that the state of a check is derived from: one statement for any number of checks.
import type { CheckType, RanAt, Verdict } from '@vedette/contracts'
import { hasPauses } from '../checks/maintenance.ts'
import type { Client } from '../core/transaction.ts'

interface StatedLane {
  locations: string[]
  /** Of the locations, in their order. */
  queues: string[]
  plannedAt: number | null
  served: Record<string, number>
  runningIn: string | null
}

/** Instants are epoch milliseconds. */
export interface StateFactsRow {
  id: string
  accountId: string
  name: string
  checkType: CheckType
  activated: boolean
  isGroupActivated: boolean
  isMuted: boolean
  /** Null: for good, or not muted. */
  mutedUntil: number | null
  createdAt: number
  changedAt: number
  activationChangedAt: number | null
  groupActivationChangedAt: number | null
  verdict: Verdict | null
  hasErrors: boolean
  stateSince: number | null
  knownAt: number | null
  lastRunAt: number | null
  failureMessage: string | null
  frequency: number
  frequencyOffset: number | null
  periodMs: number | null
  phaseMs: number | null
  runningSince: number | null
  lanes: StatedLane[] | null
  unknownAfterMissedRuns: number
  /** Its account has maintenance windows that pause checks. */
  hasPauses: boolean
  lastPingAt: number | null
  heartbeatDueAt: number | null
  deadlineAt: number | null
  longestRun: number | null
  shortestRun: number | null
  lastRunLocation: string | null
  ranAt: RanAt | null
  lastCheckRunId: string | null
  sslDaysRemaining: number | null
  /** Of the status, in any notation of PostgreSQL; null: it has none yet. */
  statusCreatedAt: string | null
  statusUpdatedAt: string | null
}

const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::float8`

/** The previous release didn't write known_at: without it, a run without an internal error is known when it's decided. */
const knownAt = `case when s.decided_at > to_timestamp(0)
  then case when s.has_errors then s.known_at else greatest(s.known_at, s.decided_at) end end`

const isMutedForGood = '(c.muted or coalesce(g.muted, false))'
/** The later one: `greatest` ignores nulls. */
const mutedUntil = 'greatest(c.muted_until, g.muted_until)'

const isRunning = 'l.run_id is not null and l.due_at > to_timestamp($1 / 1000.0)'

/** Stored values may be invalid: the result is a number from 1 to 100. */
const missedRuns = (
  settings: string,
) => `case when jsonb_typeof(${settings} -> 'unknownAfterMissedRuns') = 'number'
  then least(greatest((${settings} ->> 'unknownAfterMissedRuns')::float8, 1), 100) end`

/** For statements whose $1 is the present time in milliseconds. */
export const stateColumns = `c.id, c.account_id as "accountId", c.name, c.check_type as "checkType", c.activated,
  coalesce(g.activated, true) as "isGroupActivated", ${isMutedForGood} or coalesce(${mutedUntil} > to_timestamp($1 / 1000.0), false) as "isMuted",
  case when not ${isMutedForGood} and ${mutedUntil} > to_timestamp($1 / 1000.0) then ${ms(mutedUntil)} end as "mutedUntil",
  ${ms('c.created_at')} as "createdAt", ${ms('greatest(c.created_at, c.updated_at, g.updated_at)')} as "changedAt",
  ${ms('c.activation_changed_at')} as "activationChangedAt", ${ms('g.activation_changed_at')} as "groupActivationChangedAt",
  case when ${knownAt} is null then null when s.has_failures then 'failing' when s.is_degraded then 'degraded'
    else 'passing' end as verdict,
  coalesce(s.has_errors, false) as "hasErrors", ${ms('s.state_since')} as "stateSince", ${ms(`(${knownAt})`)} as "knownAt",
  ${ms('nullif(s.decided_at, to_timestamp(0))')} as "lastRunAt", s.failure_message as "failureMessage",
  c.frequency, c.frequency_offset as "frequencyOffset", lane."periodMs", lane."phaseMs", lane."runningSince", lane.lanes,
  coalesce(${missedRuns('c.settings')}, ${missedRuns('a.settings')}, 3) as "unknownAfterMissedRuns",
  ${hasPauses('c.account_id')} as "hasPauses",
  ${ms('h.last_ping_at')} as "lastPingAt", ${ms('h.due_at')} as "heartbeatDueAt",
  ${ms('h.deadline_at')} as "deadlineAt", s.longest_run as "longestRun", s.shortest_run as "shortestRun",
  s.last_run_location as "lastRunLocation", s.ran_at as "ranAt", s.last_check_run_id as "lastCheckRunId",
  s.ssl_days_remaining as "sslDaysRemaining",
  case when s.decided_at > to_timestamp(0) then s.created_at end as "statusCreatedAt", s.updated_at as "statusUpdatedAt"`

export const stateJoins = `
  join accounts a on a.id = c.account_id
  left join check_groups g on g.account_id = c.account_id and g.id = c.group_id
  left join check_statuses s on s.check_id = c.id
  left join heartbeats h on h.check_id = c.id
  left join lateral (
    select min(l.period_ms) as "periodMs", min(l.phase_ms) as "phaseMs",
      ${ms(`min(l.run_started_at) filter (where ${isRunning})`)} as "runningSince",
      json_agg(json_build_object('locations', l.locations, 'queues', l.queues, 'plannedAt', ${ms('l.planned_at')}, 'served', l.served,
        'runningIn', case when ${isRunning} then l.location end)) as lanes
    from schedule l where l.check_id = c.id and l.period_ms is not null
  ) lane on true`

/** One JSON column: the driver needs longer for the names and types of 40 columns than for the values of a few rows. */
export const stateFacts = `(select to_json(f) from (select ${stateColumns}) f) as facts`

type Which =
  | { accountId: string }
  | { accountId: string; checkIds: readonly string[] }
  | { checkId: string }
  | { groupId: number }

/** In the order of the list of checks. */
export async function listStateFacts(client: Client, which: Which, now: number): Promise<StateFactsRow[]> {
  const { name, condition, values } = selectionOf(which)
  const { rows } = await client.query<{ facts: StateFactsRow }>({
    name: `state_facts_${name}_as_json`,
    text: `select ${stateFacts} from checks c ${stateJoins} where ${condition} order by c.created_at desc, c.id`,
    values: [now, ...values],
  })
  return rows.map(({ facts }) => facts)
}

function selectionOf(which: Which): { name: string; condition: string; values: unknown[] } {
  if ('checkId' in which) return { name: 'of_check', condition: 'c.id = $2', values: [which.checkId] }
  if ('groupId' in which) return { name: 'of_group', condition: 'c.group_id = $2', values: [which.groupId] }
  if ('checkIds' in which) {
    const values = [which.accountId, which.checkIds]
    return { name: 'of_checks', condition: 'c.account_id = $2 and c.id = any($3::uuid[])', values }
  }
  return { name: 'of_account', condition: 'c.account_id = $2', values: [which.accountId] }
}

/**
 * Checks of all accounts that missed a run or were never run. A superset of the unknown ones, and far fewer than all checks; see
 * `unknownFrom`.
 */
export async function listOverdueFacts(client: Client, now: number): Promise<StateFactsRow[]> {
  const { rows } = await client.query<StateFactsRow & Record<string, unknown>>({
    name: 'state_facts_overdue',
    // Selected before the joins: of 10,000 checks, few are overdue, and facts of all would take 100 ms.
    text: `with overdue as materialized (
        select distinct l.check_id from schedule l left join check_statuses s on s.check_id = l.check_id
        where l.period_ms is not null
          and coalesce(l.phase_ms + (floor((${ms(`(${knownAt})`)} - l.phase_ms) / l.period_ms) + 2) * l.period_ms, 0) <= $1)
      select ${stateColumns} from overdue o join checks c on c.id = o.check_id ${stateJoins}
      where c.activated and coalesce(g.activated, true)
      order by c.name, c.id`,
    values: [now],
  })
  return rows
}

type MissRuleRow = {
  checkId: string
  periodMs: number
  phaseMs: number
  unknownAfterMissedRuns: number
}

/** After which time without a run checks are unknown, by check; checks without lanes are absent. */
export async function readMissRules(
  client: Client,
  checkIds: readonly string[],
): Promise<Map<string, MissRuleRow>> {
  const { rows } = await client.query<MissRuleRow>({
    name: 'read_miss_rules',
    text: `
      select c.id as "checkId", l.period_ms as "periodMs", l.phase_ms as "phaseMs",
        coalesce(${missedRuns('c.settings')}, ${missedRuns('a.settings')}, 3) as "unknownAfterMissedRuns"
      from checks c join accounts a on a.id = c.account_id
      cross join lateral (
        select period_ms, phase_ms from schedule where check_id = c.id and period_ms is not null limit 1) l
      where c.id = any($1::uuid[])`,
    values: [checkIds],
  })
  return new Map(rows.map((row) => [row.checkId, row]))
}
