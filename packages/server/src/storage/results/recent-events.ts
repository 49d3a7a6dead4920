// What happened in accounts: alerts that were sent, updates of incidents, deployments. For the home screen and live events.
import type { Client } from '../core/transaction.ts'

/** `from`: milliseconds. The latest first, at most `limit` of each account. */
interface RecentQuery {
  accountIds: readonly string[]
  from: number
  limit: number
}

export interface RecentAlert {
  id: string
  accountId: string
  at: string
  name: string
  kind: 'failure' | 'degraded' | 'recovery' | 'ssl'
  error: string | null
  checkId: string
}

export async function listSentAlerts(
  client: Client,
  { accountIds, from, limit }: RecentQuery,
): Promise<RecentAlert[]> {
  const { rows } = await client.query<RecentAlert & Record<string, unknown>>({
    name: 'list_sent_alerts',
    text: `select * from (
        select id, account_id as "accountId", created_at as at, name, kind, error, check_id as "checkId",
          row_number() over (partition by account_id order by created_at desc, id) as rank
        from check_alerts
        where created_at >= to_timestamp($2 / 1000.0) and account_id = any($1::uuid[]) and kind is not null
      ) a where rank <= $3 order by at desc, id`,
    values: [accountIds, from, limit],
  })
  return rows
}

export interface RecentIncidentUpdate {
  id: string
  accountId: string
  at: string
  name: string
  status: string
  incidentId: string
}

export async function listRecentIncidentUpdates(
  client: Client,
  { accountIds, from, limit }: RecentQuery,
): Promise<RecentIncidentUpdate[]> {
  const { rows } = await client.query<RecentIncidentUpdate & Record<string, unknown>>({
    name: 'list_recent_incident_updates',
    text: `select * from (
        select u.id, u.account_id as "accountId", u.created_at as at, i.name, u.status, i.id as "incidentId",
          row_number() over (partition by u.account_id order by u.created_at desc, u.id) as rank
        from incident_updates u join incidents i on i.account_id = u.account_id and i.id = u.incident_id
        where u.account_id = any($1::uuid[]) and u.created_at >= to_timestamp($2 / 1000.0)
      ) u where rank <= $3 order by at desc, id`,
    values: [accountIds, from, limit],
  })
  return rows
}

export interface RecentChange {
  at: string
  actor: string | null
  action: 'create' | 'update' | 'delete'
  kind: string
  resourceId: string | null
  name: string | null
  fields: string[]
}

/** Changes of resources that every member can read: of the kinds that are named. */
export async function listRecentChanges(
  client: Client,
  { accountId, from, kinds, limit }: { accountId: string; from: number; kinds: string[]; limit: number },
): Promise<RecentChange[]> {
  const { rows } = await client.query<RecentChange & Record<string, unknown>>({
    name: 'list_recent_changes',
    text: `select created_at as at, actor_name as actor, action, resource_kind as kind, resource_id as "resourceId",
        resource_name as name, array(select c ->> 'field' from jsonb_array_elements(changes) c limit 10) as fields
      from audit_entries
      where account_id = $1 and created_at >= to_timestamp($2 / 1000.0) and resource_kind = any($3)
        and outcome = 'done' and action in ('create', 'update', 'delete')
      order by created_at desc, id limit $4`,
    values: [accountId, from, kinds, limit],
  })
  return rows
}

export interface CoverageGaps {
  skipped: number
  missed: number
  missedByAgent: number
  missedByServer: number
}

/** Slots without a run in all checks of the account; in milliseconds. */
export async function sumCoverageGaps(
  client: Client,
  accountId: string,
  from: number,
): Promise<CoverageGaps> {
  const { rows } = await client.query<CoverageGaps & Record<string, unknown>>({
    name: 'sum_coverage_gaps',
    text: `select coalesce(sum(skipped), 0)::int as skipped, coalesce(sum(missed), 0)::int as missed,
        coalesce(sum((reasons ->> 'agent')::int), 0)::int as "missedByAgent",
        coalesce(sum((reasons ->> 'server')::int), 0)::int as "missedByServer"
      from coverage
      where account_id = $1 and hour >= to_timestamp($2 / 1000.0) and (missed > 0 or skipped > 0)`,
    values: [accountId, from],
  })
  return rows[0] ?? { skipped: 0, missed: 0, missedByAgent: 0, missedByServer: 0 }
}
