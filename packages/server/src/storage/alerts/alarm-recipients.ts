// The recipients of an account's alarms, its owners and admins, and the names that messages use.
import type { Client } from '../core/transaction.ts'

export interface AlarmAudience {
  account: string
  /** Mail addresses. */
  recipients: string[]
  locationName: string
  isPrivate: boolean
  /** Whether any check is scheduled in that location. */
  isAssigned: boolean
}

export async function readAlarmAudience(
  client: Client,
  accountId: string,
  locationKey: string,
): Promise<AlarmAudience> {
  const { rows } = await client.query<AlarmAudience & Record<string, unknown>>(
    `select a.name as account, coalesce(l.name, $2) as "locationName", l.id is not null as "isPrivate",
       array(select distinct u.email from memberships m join users u on u.id = m.user_id
         where m.account_id = a.id and m.role in ('OWNER', 'ADMIN') order by 1) as recipients,
       exists (select from schedule s where s.account_id = a.id and s.period_ms is not null
         and s.queues && array[$2, $2 || '/code']) as "isAssigned"
     from accounts a left join private_locations l on l.account_id = a.id and l.id::text = $2
     where a.id = $1`,
    [accountId, locationKey],
  )
  const audience = rows[0]
  if (audience === undefined) throw new Error(`no account ${accountId}`)
  return audience
}
