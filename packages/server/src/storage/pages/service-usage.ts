// Where the services of an account are used.
import { sql } from 'kysely'
import type { Db } from '../core/db.ts'

export interface ServiceUsage {
  serviceId: string
  statusPages: { id: string; name: string; url: string }[]
  checkCount: number
  checks: { id: string; name: string }[]
  automationRules: { id: string; name: string; statusPageId: string }[]
  openIncidents: number
}

const listedChecks = 20

/** Rules that name a group count for all services in it. */
export async function listServiceUsage(db: Db, accountId: string): Promise<ServiceUsage[]> {
  const { rows } = await sql<ServiceUsage>`
    with recursive named (rule_id, component_id) as (
      select rule_id, component_id from status_page_rule_components where account_id = ${accountId}
      union
      select named.rule_id, inner_one.id from named
      join status_page_components inner_one
        on inner_one.account_id = ${accountId} and inner_one.parent_id = named.component_id
    ), shown as (
      select service_id, jsonb_agg(distinct jsonb_build_object('id', page.id, 'name', page.name, 'url', page.url)) as pages
      from status_page_components component
      join status_pages page on page.account_id = component.account_id and page.id = component.status_page_id
      where component.account_id = ${accountId} and service_id is not null
      group by service_id
    ), ruled as (
      select component.service_id,
        jsonb_agg(distinct jsonb_build_object('id', rule.id, 'name', rule.name, 'statusPageId', rule.status_page_id)) as rules
      from named
      join status_page_components component
        on component.account_id = ${accountId} and component.id = named.component_id and component.service_id is not null
      join status_page_automation_rules rule on rule.account_id = ${accountId} and rule.id = named.rule_id
      group by component.service_id
    ), driven as (
      select trigger_incident ->> 'serviceId' as service_id, count(*)::int as total,
        (array_agg(jsonb_build_object('id', id, 'name', name) order by name, id))[1:${sql.lit(listedChecks)}] as checks
      from checks
      where account_id = ${accountId} and trigger_incident is not null
      group by 1
    ), affected as (
      select link.service_id, count(*)::int as total
      from incident_services link
      where link.account_id = ${accountId} and (
        select status from incident_updates u where u.incident_id = link.incident_id
        order by public_incident_update_date desc, created_at desc, id limit 1) <> 'RESOLVED'
      group by link.service_id
    )
    select service.id as "serviceId", coalesce(shown.pages, '[]') as "statusPages",
      coalesce(driven.total, 0) as "checkCount", coalesce(to_jsonb(driven.checks), '[]') as checks,
      coalesce(ruled.rules, '[]') as "automationRules", coalesce(affected.total, 0) as "openIncidents"
    from status_page_services service
    left join shown on shown.service_id = service.id
    left join driven on driven.service_id = service.id::text
    left join ruled on ruled.service_id = service.id
    left join affected on affected.service_id = service.id
    where service.account_id = ${accountId} and service.deleted_at is null
    order by service.created_at desc, service.id`.execute(db)
  return rows
}
