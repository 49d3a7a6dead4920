// Finds resources of an account by name. An account has few of them, so names are compared one by one: an index for parts of
// names needs the extension pg_trgm, which many hosted databases don't offer.
import type { SearchHit } from '@vedette/contracts'
import type { Client } from '../core/transaction.ts'

const sources: Record<Exclude<SearchHit['kind'], 'check'>, string> = {
  group: `select id::text, name, null::text as detail from check_groups where account_id = $1`,
  incident: `select i.id::text, i.name, (select lower(u.status) from incident_updates u
      where u.account_id = i.account_id and u.incident_id = i.id order by u.public_incident_update_date desc limit 1) as detail
    from incidents i where i.account_id = $1`,
  'status-page': `select id::text, name, url as detail from status_pages where account_id = $1`,
  dashboard: `select dashboard_id as id, coalesce(settings ->> 'header', custom_url, dashboard_id) as name, custom_url as detail
    from dashboards where account_id = $1`,
  'alert-channel': `select id::text, coalesce(config ->> 'name', case when type = 'EMAIL' then config ->> 'address' end, type) as name,
    type as detail from alert_channels where account_id = $1`,
  'private-location': `select id::text, name, slug_name as detail from private_locations where account_id = $1`,
  'maintenance-window': `select id::text, name, null::text as detail from maintenance_windows where account_id = $1`,
}

const text = Object.entries(sources)
  .map(
    ([kind, source]) => `(
      select '${kind}' as kind, id, name, detail from (${source}) s
      where position(lower($2) in lower(name)) > 0 or id = lower($2)
      order by position(lower($2) in lower(name)) <> 1, position(' ' || lower($2) in lower(name)) = 0, lower(name), id limit $3
    )`,
  )
  .join(' union all ')

/** At most `limit` of each kind, the best first. */
export async function searchNames(
  client: Client,
  accountId: string,
  { query, limit }: { query: string; limit: number },
): Promise<SearchHit[]> {
  const { rows } = await client.query<SearchHit & Record<string, unknown>>({
    name: 'search_names',
    text,
    values: [accountId, query, limit],
  })
  return rows
}
