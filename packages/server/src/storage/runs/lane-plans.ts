// What lanes are planned from, and the planned lanes themselves.
import type { Client } from '../core/transaction.ts'
import type { Lane } from './schedule.ts'
import { laneColumns } from './schedule.ts'

/** What of a check and of its group says when and where it runs. */
export interface PlannedCheck {
  id: string
  name: string
  checkType: string
  activated: boolean
  frequency: number
  frequencyOffset: number | null
  locations: string[] | null
  privateLocations: string[] | null
  runParallel: boolean
  group: {
    activated: boolean
    locations: string[]
    privateLocations: string[] | null
    runParallel: boolean | null
  } | null
}

/** Locked, so that a plan is made of what is there when it is written. */
export async function readPlannedChecks(
  client: Client,
  accountId: string,
  of: { checkIds: readonly string[] } | { groupId: number },
): Promise<PlannedCheck[]> {
  const [condition, value] =
    'groupId' in of ? ['c.group_id = $2', of.groupId] : ['c.id = any($2::uuid[])', of.checkIds]
  if ('checkIds' in of) {
    // A change of the group must not pass between reading it and the commit.
    await client.query(
      `select from check_groups where account_id = $1 and id in
         (select group_id from checks where account_id = $1 and id = any($2::uuid[])) order by id for share`,
      [accountId, of.checkIds],
    )
  }
  const { rows } = await client.query<PlannedCheck>(
    `select c.id, c.name, c.check_type as "checkType", c.activated, c.frequency, c.frequency_offset as "frequencyOffset",
       c.locations, c.private_locations as "privateLocations", c.run_parallel as "runParallel",
       case when g.id is null then null else json_build_object('activated', g.activated, 'locations', g.locations,
         'privateLocations', g.private_locations, 'runParallel', g.run_parallel) end as group
     from checks c left join check_groups g on g.id = c.group_id and g.account_id = c.account_id
     where c.account_id = $1 and ${condition} order by c.id for no key update of c`,
    [accountId, value],
  )
  return rows
}

/** The ids of an account's private locations by slug. */
export async function readPlaces(client: Client, accountId: string): Promise<Map<string, string>> {
  const { rows } = await client.query<{ id: string; slug: string }>(
    'select id, slug_name as slug from private_locations where account_id = $1',
    [accountId],
  )
  return new Map(rows.map(({ id, slug }) => [slug, id]))
}

/** The lanes of scheduled runs, locked. */
export async function lockPlannedLanes(client: Client, checkIds: readonly string[]): Promise<Lane[]> {
  const { rows } = await client.query<Lane>(
    `select ${laneColumns} from schedule s join checks c on c.id = s.check_id
     where s.check_id = any($1::uuid[]) and s.period_ms is not null order by s.id for update of s`,
    [checkIds],
  )
  return rows
}

export type NewLane = Pick<
  Lane,
  'accountId' | 'checkId' | 'lane' | 'locations' | 'queues' | 'turn' | 'slotAt' | 'location' | 'queue'
> & { periodMs: number; phaseMs: number }

export async function insertLane(client: Client, lane: NewLane, now: number): Promise<void> {
  await client.query({
    name: 'insert_lane',
    text: `
      insert into schedule (account_id, check_id, lane, locations, queues, period_ms, phase_ms, turn, slot_at, location,
        queue, due_at, planned_at)
      values ($1, $2, $3, $4, $5, $6, $7, $8, to_timestamp($9 / 1000.0), $10, $11, to_timestamp($9 / 1000.0),
        to_timestamp($12 / 1000.0))
      on conflict (check_id, lane) do nothing`,
    values: [
      lane.accountId,
      lane.checkId,
      lane.lane,
      lane.locations,
      lane.queues,
      lane.periodMs,
      lane.phaseMs,
      lane.turn,
      lane.slotAt,
      lane.location,
      lane.queue,
      now,
    ],
  })
}

/** Another rhythm or other places; a run in progress stays where it is. */
export async function updateLanePlan(
  client: Client,
  id: number,
  {
    locations,
    queues,
    periodMs,
    phaseMs,
    turn,
  }: Pick<NewLane, 'locations' | 'queues' | 'periodMs' | 'phaseMs' | 'turn'>,
  now: number,
): Promise<void> {
  await client.query(
    `update schedule set locations = $2, queues = $3, period_ms = $4, phase_ms = $5, turn = $6,
       planned_at = to_timestamp($7 / 1000.0), served = coalesce((
         select jsonb_object_agg(key, value) from jsonb_each(served) where key = any($2::text[])), '{}')
     where id = $1`,
    [id, locations, queues, periodMs, phaseMs, turn, now],
  )
}
