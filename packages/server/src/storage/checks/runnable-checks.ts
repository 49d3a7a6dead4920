// Checks for sessions: what decides whether and where they run, with the settings of their group.
import type { CheckType } from '@vedette/contracts'
import type { Client } from '../core/transaction.ts'

export interface RunnableCheck {
  id: string
  checkType: CheckType
  name: string
  activated: boolean
  tags: string[]
  locations: string[] | null
  privateLocations: string[] | null
  groupId: number | null
  group: {
    activated: boolean
    tags: string[]
    locations: string[]
    privateLocations: string[] | null
  } | null
}

export interface RunnableFilter {
  checkIds?: readonly string[] | undefined
  groupId?: number | undefined
}

const listText = `
  select c.id, c.check_type as "checkType", c.name, c.activated, c.tags, c.locations,
    c.private_locations as "privateLocations", c.group_id as "groupId",
    case when g.id is not null then json_build_object('activated', g.activated, 'tags', g.tags,
      'locations', g.locations, 'privateLocations', g.private_locations) end as "group"
  from checks c left join check_groups g on g.account_id = c.account_id and g.id = c.group_id
  where c.account_id = $1 and c.check_type <> 'HEARTBEAT'
    and ($2::uuid[] is null or c.id = any($2::uuid[])) and ($3::integer is null or c.group_id = $3)
  order by c.group_order nulls last, c.name, c.id
  for key share of c`

/** In the order of their group, locked against deletion. Without heartbeat monitors, which don't run. */
export async function listRunnableChecks(
  client: Client,
  accountId: string,
  { checkIds, groupId }: RunnableFilter,
): Promise<RunnableCheck[]> {
  const values = [accountId, checkIds ?? null, groupId ?? null]
  return (await client.query<RunnableCheck>({ text: listText, values })).rows
}
