// Which checks a channel is notified of, and which of them no other channel is.
import type { Pool } from '../core/db.ts'
import { isEnforced } from './check-facts.ts'

export interface ChannelDependents {
  checks: number
  onlyHere: number
  onlyHereChecks: { id: string; name: string }[]
}

const listed = 100

// The rules of alerting/decision/recipients.ts: if the group enforces its alert settings, only its subscriptions count; otherwise those
// of the check override those of the group. Whether a channel wants failures isn't considered.
const text = `
  with subscribed as (
    select c.id, c.name, s.alert_channel_id,
      bool_or(s.activated) filter (where s.check_id is not null) as own,
      bool_or(s.activated) filter (where s.group_id is not null) as by_group,
      ${isEnforced} as is_enforced
    from checks c
    left join check_groups g on g.account_id = c.account_id and g.id = c.group_id
    join alert_channel_subscriptions s on s.account_id = c.account_id and (s.check_id = c.id or s.group_id = c.group_id)
    where c.account_id = $1
    group by c.id, c.name, s.alert_channel_id, is_enforced
  ), active as (
    select id, name, alert_channel_id from subscribed
    where case when is_enforced then by_group else coalesce(own, by_group) end
  ), mine as (
    select a.id, a.name, not exists (
      select from active other where other.id = a.id and other.alert_channel_id <> a.alert_channel_id) as is_only
    from active a where a.alert_channel_id = $2
  )
  select (select count(*)::int from mine) as checks, (select count(*)::int from mine where is_only) as "onlyHere",
    coalesce((select jsonb_agg(one) from (
      select jsonb_build_object('id', id, 'name', name) as one from mine where is_only order by name, id limit ${listed}
    ) first), '[]') as "onlyHereChecks"`

export async function readChannelDependents(
  pool: Pool,
  accountId: string,
  channelId: number,
): Promise<ChannelDependents> {
  const { rows } = await pool.query<ChannelDependents>({ text, values: [accountId, channelId] })
  return rows[0] ?? { checks: 0, onlyHere: 0, onlyHereChecks: [] }
}
