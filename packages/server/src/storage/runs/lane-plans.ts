// Reads what lanes are planned from, and writes planned lanes.
import type { CheckType } from '@vedette/contracts'
import type { Client } from '../core/transaction.ts'
import { type Lane, laneColumns, laneTables } from './schedule.ts'

/** The settings of a check and its group that decide when and where it runs. */
export interface PlannedCheck {
  id: string
  name: string
  checkType: CheckType
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

/** Locked, so that they don't change before the plan is written. */
export async function readPlannedChecks(
  client: Client,
  accountId: string,
  of: { checkIds: readonly string[] } | { groupId: number },
): Promise<PlannedCheck[]> {
  const [condition, value] =
    'groupId' in of ? ['c.group_id = $2', of.groupId] : ['c.id = any($2::uuid[])', of.checkIds]
  if ('checkIds' in of) {
    // The group must not change between reading it and the commit.
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

/** The lanes of scheduled runs, locked. */
export async function lockPlannedLanes(client: Client, checkIds: readonly string[]): Promise<Lane[]> {
  const { rows } = await client.query<Lane>(
    `select ${laneColumns} from ${laneTables}
     where s.check_id = any($1::uuid[]) and s.period_ms is not null order by s.id for update of s`,
    [checkIds],
  )
  return rows
}

export type NewLane = Pick<
  Lane,
  'accountId' | 'checkId' | 'lane' | 'locations' | 'queues' | 'turn' | 'slotAt' | 'location' | 'queue'
> & { periodMs: number; phaseMs: number }

// Rows are passed as JSON: unnest() can't have array columns.
export async function insertLanes(client: Client, lanes: readonly NewLane[], now: number): Promise<void> {
  if (lanes.length === 0) return
  const rows = lanes.map((lane) => ({
    ...planColumns(lane),
    account_id: lane.accountId,
    check_id: lane.checkId,
    lane: lane.lane,
    slot_at: new Date(lane.slotAt),
    location: lane.location,
    queue: lane.queue,
  }))
  await client.query({
    name: 'insert_lanes',
    text: `
      insert into schedule (account_id, check_id, lane, locations, queues, period_ms, phase_ms, turn, slot_at, location,
        queue, due_at, planned_at)
      select account_id, check_id, lane, locations, queues, period_ms, phase_ms, turn, slot_at, location, queue, slot_at,
        to_timestamp($2 / 1000.0)
      from json_populate_recordset(null::schedule, $1)
      on conflict (check_id, lane) do nothing`,
    values: [JSON.stringify(rows), now],
  })
}

type LanePlan = Pick<NewLane, 'locations' | 'queues' | 'periodMs' | 'phaseMs' | 'turn'>

/** Changes period or locations; a run in progress stays in its location. */
export async function updateLanePlans(
  client: Client,
  plans: readonly (LanePlan & { id: number })[],
  now: number,
): Promise<void> {
  if (plans.length === 0) return
  const rows = plans.map((plan) => ({ ...planColumns(plan), id: plan.id }))
  await client.query(
    `update schedule s set locations = n.locations, queues = n.queues, period_ms = n.period_ms, phase_ms = n.phase_ms,
       turn = n.turn, planned_at = to_timestamp($2 / 1000.0), served = coalesce((
         select jsonb_object_agg(key, value) from jsonb_each(s.served) where key = any(n.locations)), '{}')
     from json_populate_recordset(null::schedule, $1) n where s.id = n.id`,
    [JSON.stringify(rows), now],
  )
}

function planColumns({ locations, queues, periodMs, phaseMs, turn }: LanePlan) {
  return { locations, queues, period_ms: periodMs, phase_ms: phaseMs, turn }
}
