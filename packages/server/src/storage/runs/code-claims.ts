// Claims of code runs, shared between accounts: a run uses the scarce capacity of its agent for up to half an hour, so with
// the oldest run first one account could fill an agent.
import { arrayText } from '../core/array-text.ts'
import type { Client } from '../core/transaction.ts'
import { type Lane, laneColumns, laneTables, laneType } from './schedule.ts'

export interface CodeClaim {
  agentId: string
  /** Regions, or the id of one private location. */
  locationKeys: readonly string[]
  queues: readonly string[]
  checkTypes: readonly string[]
  /** Free capacity of the agent. */
  freeSlots: number
  /** The whole capacity. Null: an agent of an earlier release; its leases count as used, also those of unreported runs. */
  allSlots: number | null
  limit: number
  leaseMs: number
  now: number
}

// `held`: leases end at most leaseMs from now; doubled because clocks of servers differ.
// `slots`: the limit per account. None, or the capacity of the agent minus one while another account has a code check there.
// A deactivated check counts for a day after it was changed or run, since it can be run on demand.
// `ranked`: fewest runs on this agent first, then the account that has waited longest for its turn, then the oldest run.
const text = `
  with due as materialized (
    select s.id, s.account_id, s.due_at, row_number() over (partition by s.account_id order by s.due_at, s.id) as nth
    from ${laneTables}
    where s.queue = any($1::text[]) and s.due_at <= to_timestamp($2 / 1000.0)
      and ${laneType} = any($3::text[])
  ), held as materialized (
    select account_id, count(*) as runs from schedule
    where queue = any($1::text[]) and due_at > to_timestamp($2 / 1000.0)
      and due_at <= to_timestamp(($2 + 2 * $4) / 1000.0) and agent_id = $5::uuid and lease_id is not null
    group by account_id
  ), one as materialized (
    select account_id from due limit 1
  ), slots as materialized (
    select case when
      exists (select from due join one on due.account_id <> one.account_id)
      or exists (select from held join one on held.account_id <> one.account_id)
      or exists (
        select from one join accounts a on a.id <> one.account_id where exists (
          select from checks c
            left join check_groups g on g.account_id = c.account_id and g.id = c.group_id
            left join check_statuses t on t.check_id = c.id
          where c.account_id = a.id and c.check_type = any($3::text[])
            and (c.locations && $6::text[] or g.locations && $6::text[])
            and (c.activated or greatest(c.created_at, c.updated_at, t.updated_at)
              > to_timestamp($2 / 1000.0) - interval '1 day')))
      then greatest(total - 1, 1) else 1000000 end as runs
    from (select coalesce($9::int, $7::int + coalesce(sum(runs), 0)) as total from held) agent
  ), ranked as materialized (
    select due.id, row_number() over (
      order by coalesce(held.runs, 0) + due.nth, turns.claimed_at nulls first, due.due_at, due.id) as position
    from due cross join slots left join held using (account_id) left join code_turns turns using (account_id)
    where coalesce(held.runs, 0) + due.nth <= slots.runs
  ), locked as materialized (
    select s.id, ranked.position from ranked join schedule s on s.id = ranked.id
    where s.queue = any($1::text[]) and s.due_at <= to_timestamp($2 / 1000.0)
    order by ranked.position limit $8 for update of s skip locked
  )
  select ${laneColumns} from ${laneTables} join locked on locked.id = s.id
  order by locked.position`

/** Lanes with due code runs that this agent may claim, locked. */
export async function lockDueCodeLanes(client: Client, claim: CodeClaim): Promise<Lane[]> {
  if (claim.limit <= 0 || claim.queues.length === 0) return []
  const { rows } = await client.query<Lane>({
    name: 'lock_due_code_lanes',
    text,
    values: [
      claim.queues,
      claim.now,
      claim.checkTypes,
      claim.leaseMs,
      claim.agentId,
      claim.locationKeys,
      claim.freeSlots,
      claim.limit,
      claim.allSlots,
    ],
  })
  return rows
}

/** Sorted: transactions that lock the same rows lock them in the same order. */
export async function recordCodeTurns(
  client: Client,
  accountIds: readonly string[],
  now: number,
): Promise<void> {
  if (accountIds.length === 0) return
  await client.query({
    name: 'note_code_turns',
    text: `insert into code_turns (account_id, claimed_at)
      select a.id, to_timestamp($2 / 1000.0) from accounts a where a.id = any($1::uuid[]) order by a.id
      on conflict (account_id) do update set claimed_at = greatest(code_turns.claimed_at, excluded.claimed_at)`,
    values: [arrayText([...new Set(accountIds)].sort()), now],
  })
}
