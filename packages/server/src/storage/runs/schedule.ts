// Lanes: rows with the next slot of a check, and the lease of the run in progress.
import type { CheckType } from '@vedette/contracts'
import { hasPauses } from '../checks/maintenance.ts'
import { arrayText } from '../core/array-text.ts'
import { columnsOf } from '../core/columns-of.ts'
import type { Client } from '../core/transaction.ts'

export interface Lane {
  id: number
  accountId: string
  /** Of the check or the draft. */
  checkId: string
  draftId: string | null
  checkType: CheckType
  lane: string
  locations: string[]
  queues: string[]
  /** Null: an on-demand run. */
  periodMs: number | null
  phaseMs: number | null
  turn: number
  slotAt: number
  location: string
  queue: string
  dueAt: number
  runId: string | null
  attempt: number
  runStartedAt: number | null
  /** Slots before this are already counted, although the run is in progress. */
  countedTo: number | null
  leaseId: string | null
  agentId: string | null
  checkSessionId: string | null
  testSessionId: string | null
  giveUpAt: number | null
  /** Whether the operator limits any account; if not, claims don't read quotas. */
  hasQuotas: boolean
  /** Whether its account has maintenance windows that pause checks. */
  hasPauses: boolean
}

const epochMs = (column: string) => `(extract(epoch from s.${column}) * 1000)::float8`

/** Of `laneTables`. Drafts are looked up only for their own lanes: a join would be planned for an empty table. */
export const laneType = `coalesce(c.check_type, (select d.check_type from drafts d where d.id = s.draft_id))`

/** Of `laneTables`. */
export const laneColumns = `s.id, s.account_id as "accountId", coalesce(s.check_id, s.draft_id) as "checkId",
  s.draft_id as "draftId", ${laneType} as "checkType", s.lane,
  s.locations, s.queues, s.period_ms as "periodMs", s.phase_ms as "phaseMs", s.turn, ${epochMs('slot_at')} as "slotAt",
  s.location, s.queue, ${epochMs('due_at')} as "dueAt", s.run_id as "runId", s.attempt,
  ${epochMs('run_started_at')} as "runStartedAt", ${epochMs('counted_to')} as "countedTo", s.lease_id as "leaseId", s.agent_id as "agentId",
  s.check_session_id as "checkSessionId", s.test_session_id as "testSessionId", ${epochMs('give_up_at')} as "giveUpAt",
  (select exists (select from quotas)) as "hasQuotas", ${hasPauses('s.account_id')} as "hasPauses"`

/** Lanes with the stored check that they belong to; those of drafts have none. */
export const laneTables = 'schedule s left join checks c on c.id = s.check_id'

/** Of a queue with more due lanes than that, the rest isn't counted. */
const maxCounted = 1_000

/** The queues that have lanes, with the time of the first one and how many are due. */
export async function countQueuedRuns(
  client: Client,
  queues: string[],
  now: number,
): Promise<{ queue: string; dueAt: number; due: number }[]> {
  const { rows } = await client.query<{ queue: string; dueAt: number; due: number }>({
    name: 'count_queued_runs',
    // Values that the planner doesn't know: otherwise it makes a new plan each time, which costs more than the reading.
    text: `with asked as materialized (select $1::text[] as queues, to_timestamp($2 / 1000.0) as until)
      select q as queue, ${epochMs('due_at')} as "dueAt",
        case when s.due_at <= until then (
          select count(*) from (select from schedule where queue = q and due_at <= until limit ${maxCounted}) c
        ) else 0 end::int as due
      from asked cross join unnest(queues) q cross join lateral (
        select due_at from schedule where queue = q order by due_at limit 1) s`,
    values: [queues, now],
  })
  return rows
}

/** In the order of their ids, those that still exist. */
export async function lockLanes(client: Client, ids: readonly number[]): Promise<Map<number, Lane>> {
  const { rows } = await client.query<Lane>({
    name: 'lock_lanes',
    text: `select ${laneColumns} from ${laneTables} where s.id = any($1::bigint[]) order by s.id for update of s`,
    values: [arrayText(ids)],
  })
  return new Map(rows.map((row) => [row.id, row]))
}

// A lane is overdue if it's still unclaimed at its next slot, or a period after its lease has expired. An on-demand run that
// was claimed may be long past give_up_at: after its lease has expired, other agents have a minute to claim it.
const overdueText = `
  with overdue as materialized (
    select s.id from unnest($1::text[]) q cross join lateral (
      select id from schedule where queue = q and due_at <= to_timestamp($2 / 1000.0) and (
        (period_ms is null and give_up_at <= to_timestamp($2 / 1000.0)
          and (run_id is null or due_at <= to_timestamp(($2 - 60000) / 1000.0)))
        or (period_ms is not null and run_id is null and slot_at <= to_timestamp(($2 - period_ms) / 1000.0))
        or (period_ms is not null and run_id is not null and due_at <= to_timestamp(($2 - greatest(period_ms, 60000)) / 1000.0))
      ) order by due_at limit $3
    ) s
  )
  select ${laneColumns} from ${laneTables} join overdue on overdue.id = s.id order by s.id limit $3 for update of s skip locked`

export async function lockOverdueLanes(
  client: Client,
  { queues, now, limit }: { queues: string[]; now: number; limit: number },
): Promise<Lane[]> {
  const values = [queues, now, limit]
  return (await client.query<Lane>({ name: 'lock_overdue_lanes', text: overdueText, values })).rows
}

const updateText = `
  update schedule s set slot_at = to_timestamp(r.slot_at / 1000.0), location = r.location, queue = r.queue,
    due_at = to_timestamp(r.due_at / 1000.0), run_id = r.run_id, attempt = r.attempt,
    run_started_at = to_timestamp(r.run_started_at / 1000.0), counted_to = to_timestamp(r.counted_to / 1000.0), lease_id = r.lease_id, agent_id = r.agent_id,
    served = case when r.served_at is null then s.served else s.served || jsonb_build_object(r.served_in, r.served_at) end
  from unnest($1::bigint[], $2::float8[], $3::text[], $4::text[], $5::float8[], $6::uuid[], $7::smallint[],
    $8::float8[], $9::float8[], $10::uuid[], $11::uuid[], $12::text[], $13::float8[]) as
    r (id, slot_at, location, queue, due_at, run_id, attempt, run_started_at, counted_to, lease_id, agent_id, served_in, served_at)
  where s.id = r.id`

/** Where and when a run of a lane ended. */
export interface ServedRun {
  location: string
  at: number
}

/** Writes lanes, and by lane id the runs that ended. The caller has locked them. */
export async function updateLanes(
  client: Client,
  lanes: readonly Lane[],
  served: ReadonlyMap<number, ServedRun> = new Map(),
): Promise<void> {
  if (lanes.length === 0) return
  const { plain, text } = columnsOf(lanes)
  const values = [
    plain(({ id }) => id),
    plain(({ slotAt }) => slotAt),
    text(({ location }) => location),
    text(({ queue }) => queue),
    plain(({ dueAt }) => dueAt),
    plain(({ runId }) => runId),
    plain(({ attempt }) => attempt),
    plain(({ runStartedAt }) => runStartedAt),
    plain(({ countedTo }) => countedTo),
    plain(({ leaseId }) => leaseId),
    plain(({ agentId }) => agentId),
    text(({ id }) => served.get(id)?.location ?? null),
    plain(({ id }) => served.get(id)?.at ?? null),
  ]
  await client.query({ name: 'update_lanes', text: updateText, values })
}

export async function deleteLanes(client: Client, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await client.query({
    name: 'delete_lanes',
    text: 'delete from schedule where id = any($1::bigint[])',
    values: [arrayText(ids)],
  })
}

/** Extends leases. Returns those that are still valid; the others' runs have ended or belong to another agent. */
export async function renewLeases(
  client: Client,
  leases: readonly { laneId: number; leaseId: string }[],
  until: number,
): Promise<Set<string>> {
  if (leases.length === 0) return new Set()
  const { plain } = columnsOf(leases)
  const { rows } = await client.query<{ lease_id: string }>({
    name: 'renew_leases',
    text: `
      with held as materialized (
        select s.id from schedule s join unnest($1::bigint[], $2::uuid[]) r (id, lease_id)
        on s.id = r.id and s.lease_id = r.lease_id order by s.id for no key update of s
      )
      update schedule s set due_at = to_timestamp($3 / 1000.0) from held where held.id = s.id returning s.lease_id`,
    values: [plain(({ laneId }) => laneId), plain(({ leaseId }) => leaseId), until],
  })
  return new Set(rows.map((row) => row.lease_id))
}

/** The queues of private locations. */
export async function listPrivateQueues(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>('select id::text from private_locations')
  return rows.map(({ id }) => id)
}

/** How many lanes the scheduled runs of a check have: more than one when it runs in parallel. */
export async function countLanes(client: Client, checkId: string): Promise<number> {
  const { rows } = await client.query<{ lanes: number }>(
    'select count(*) as lanes from schedule where check_id = $1 and period_ms is not null',
    [checkId],
  )
  return rows[0]?.lanes ?? 0
}
