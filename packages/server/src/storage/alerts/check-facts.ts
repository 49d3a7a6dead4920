// Facts about a check for messages, read when its channels are notified.
import type { Client } from '../core/transaction.ts'
import type { AlertFacts } from './alert-writes.ts'

export interface CheckFacts {
  checkId: string
  /** The settings and subscriptions of the group apply. */
  isEnforced: boolean
  facts: AlertFacts
}

/** By check id; deleted checks are absent. */
export async function readCheckFacts(
  client: Client,
  checkIds: readonly string[],
): Promise<Map<string, CheckFacts>> {
  const { rows } = await client.query<AlertFacts & Omit<CheckFacts, 'facts'>>({
    name: 'read_check_facts',
    text: `
      select c.id as "checkId", a.name as "accountName", c.description, c.tags || coalesce(g.tags, '{}') as tags,
        c.group_id as "groupId", g.name as "groupName", ${isEnforced} as "isEnforced"
      from checks c
      join accounts a on a.id = c.account_id
      left join check_groups g on g.account_id = c.account_id and g.id = c.group_id
      where c.id = any($1::uuid[])`,
    values: [checkIds],
  })
  return new Map(rows.map(({ checkId, isEnforced, ...facts }) => [checkId, { checkId, isEnforced, facts }]))
}

/** Of the group `g`, if there is one. */
export const isEnforced =
  '(g.id is not null and (g.use_global_alert_settings is true or g.alert_settings is not null))'
