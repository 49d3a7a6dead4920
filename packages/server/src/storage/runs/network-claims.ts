// Claims of network runs: the oldest first; if they are late, each account gets a share of the claim.
import type { Client } from '../core/transaction.ts'
import { type Lane, laneColumns, laneTables } from './schedule.ts'

export interface NetworkClaim {
  queues: readonly string[]
  /** Null: all types. */
  checkTypes: readonly string[] | null
  limit: number
  now: number
  /** Those that are due until then are claimed too. */
  until: number
}

/** Up to then, oldest first delays no account for long, and a claim doesn't look for the runs of each. */
const lateMs = 2_000

/** Limits the cost of a claim that is shared; with more accounts, a claim looks for the runs of some, chosen at random. */
const maxAccounts = 1_000

const isDue = 's.due_at <= to_timestamp($2 / 1000.0)'

// "materialized": rows are selected by the index of the queue and locked before the joins. "any(array(…))": PostgreSQL then looks
// up the locked rows by key, however many rows it expects.
const oldestText = (isInQueue: string) => (isOfType: string) =>
  `
  with due as materialized (
    select s.id from schedule s where ${isInQueue} and ${isDue} and ${isOfType}
    order by s.due_at limit $3 for update skip locked
  )
  select ${laneColumns} from ${laneTables} where s.id = any(array(select id from due)) order by s.due_at, s.id`

// Of one queue, the index returns the oldest runs. Of several, all due runs are read and sorted.
const oldestOfQueue = statementsOf('lock_due_lanes_of_queue', oldestText('s.queue = ($1::text[])[1]'))
const oldestOfQueues = statementsOf('lock_due_lanes', oldestText('s.queue = any($1::text[])'))

// `waiting`: accounts that have due runs, no more than the claim can serve. Each gets its oldest runs, up to its share. The order
// of accounts is random, so that none starves. None gets anything if only one waits.
// ">= and <=" instead of "=": otherwise PostgreSQL may read the due runs of all accounts.
const shares = statementsOf(
  'lock_shared_lanes',
  (isOfType) => `
  with waiting as materialized (
    select a.id, q.queue
    from (select id from accounts order by random() limit ${maxAccounts}) a
      cross join unnest($1::text[]) q (queue) cross join lateral (
        select from schedule s where s.queue = q.queue and s.account_id >= a.id and s.account_id <= a.id and ${isDue}
        order by s.account_id, s.due_at limit 1) s
    limit $3 + 1
  ), share as materialized (
    select greatest($3 / accounts, 1) as runs from (select count(distinct id) as accounts from waiting) w where accounts > 1
  ), due as materialized (
    select s.id from (
      select s.id, row_number() over (partition by waiting.id order by s.due_at) as nth
      from share cross join waiting cross join lateral (
        select s.id, s.due_at from schedule s
        where s.queue = waiting.queue and s.account_id >= waiting.id and s.account_id <= waiting.id and ${isDue} and ${isOfType}
        order by s.account_id, s.due_at limit share.runs for update skip locked) s
    ) s order by s.nth, random() limit $3
  )
  select ${laneColumns} from ${laneTables} where s.id = any(array(select id from due)) order by s.due_at, s.id`,
)

const oldestOfEach = statementsOf(
  'lock_due_lanes_of_each',
  (isOfType) => `
  with due as materialized (
    select s.id from unnest($1::text[], $3::int[]) q (queue, most) cross join lateral (
      select s.id from schedule s where s.queue = q.queue and ${isDue} and ${isOfType}
      order by s.due_at limit q.most for update skip locked) s
  )
  select ${laneColumns} from ${laneTables} where s.id = any(array(select id from due)) order by s.due_at, s.id`,
)

/** The same for several queues, each with its own limit. Null: runs are late, so that accounts have to share them. */
export async function lockDueLanesOfEach(
  client: Client,
  limits: ReadonlyMap<string, number>,
  claim: Omit<NetworkClaim, 'queues' | 'limit'>,
): Promise<Lane[] | null> {
  const asked = { ...claim, queues: [...limits.keys()], limit: [...limits.values()] }
  const lanes = await lockLanes(client, oldestOfEach, asked, claim.until)
  return lanes.some(({ dueAt }) => claim.now - dueAt > lateMs) ? null : lanes
}

/** Locks due lanes of these queues, except those that other servers have locked. */
export async function lockDueLanes(client: Client, claim: NetworkClaim): Promise<Lane[]> {
  const { queues, limit, now } = claim
  if (limit <= 0 || queues.length === 0) return []
  const oldest = await lockLanes(
    client,
    queues.length === 1 ? oldestOfQueue : oldestOfQueues,
    claim,
    claim.until,
  )
  const last = oldest[limit - 1]
  if (last === undefined || now - last.dueAt <= lateMs) return oldest
  const shared = await lockLanes(client, shares, claim, now)
  const ids = new Set(shared.map(({ id }) => id))
  return [...shared, ...oldest.filter(({ id }) => !ids.has(id))].slice(0, limit)
}

interface Statements {
  ofAllTypes: { name: string; text: string }
  ofTypes: { name: string; text: string }
}

function statementsOf(name: string, textOf: (isOfType: string) => string): Statements {
  // Not "exists": PostgreSQL may then read all checks for each claim (measured: 1 ms more with 3,000).
  const isOfType = `coalesce((select c.check_type from checks c where c.id = s.check_id),
    (select d.check_type from drafts d where d.id = s.draft_id)) = any($4::text[])`
  return {
    ofAllTypes: { name, text: textOf('true') },
    ofTypes: { name: `${name}_by_type`, text: textOf(isOfType) },
  }
}

async function lockLanes(
  client: Client,
  { ofAllTypes, ofTypes }: Statements,
  { queues, limit, checkTypes }: Pick<NetworkClaim, 'queues' | 'checkTypes'> & { limit: number | number[] },
  until: number,
): Promise<Lane[]> {
  const { rows } = await client.query<Lane>(
    checkTypes === null
      ? { ...ofAllTypes, values: [queues, until, limit] }
      : { ...ofTypes, values: [queues, until, limit, checkTypes] },
  )
  return rows
}
