// The incidents of automation rules, inside the transaction that decides alerts: what others delete meanwhile is left out,
// never a reason to fail.
import type { ComponentImpact, StatusPageIncidentSeverity } from '@vedette/contracts'
import type { z } from 'zod'
import type { Client } from '../core/transaction.ts'
import type { LockedRule } from './rule-failures.ts'
import { latestFirst } from './triggered-incidents.ts'

export interface RuleState {
  ruleId: string
  /** Whether a failing check keeps its incident open. */
  isFailing: boolean
  /** Its last incident; null: it has none, or a user deleted it. */
  incident: { id: string; status: string; updatedAt: number } | null
}

/** Locks their incidents, so that no user resolves them at the same time. */
export async function readRuleStates(
  client: Client,
  rules: readonly LockedRule[],
): Promise<Map<string, RuleState>> {
  const ids = rules.map(({ id }) => id)
  await client.query(
    `select from status_page_rule_incidents last
     join incidents incident on incident.account_id = last.account_id and incident.id = last.incident_id
     where last.rule_id = any($1::uuid[])
     order by incident.id
     for update of incident`,
    [ids],
  )
  const { rows } = await client.query<{
    ruleId: string
    isFailing: boolean
    incidentId: string | null
    status: string
    updatedAt: number
  }>(
    `select r.id as "ruleId", exists (select from status_page_rule_failures held where held.rule_id = r.id) as "isFailing",
       last.incident_id as "incidentId", latest.status, extract(epoch from latest.created_at) * 1000 as "updatedAt"
     from status_page_automation_rules r
     left join status_page_rule_incidents last on last.account_id = r.account_id and last.rule_id = r.id
     left join lateral (
       select status, created_at from incident_updates where incident_id = last.incident_id order by ${latestFirst} limit 1
     ) latest on true
     where r.id = any($1::uuid[])`,
    [ids],
  )
  return new Map(
    rows.map(({ ruleId, isFailing, incidentId, status, updatedAt }) => [
      ruleId,
      {
        ruleId,
        isFailing,
        incident: incidentId === null ? null : { id: incidentId, status, updatedAt: Number(updatedAt) },
      },
    ]),
  )
}

export interface ImpactedService {
  ruleId: string
  serviceId: string
  impact: z.output<typeof ComponentImpact>
}

/** The services of the rules' components; a service may occur several times. They can't be deleted until the end. */
export async function holdServicesOfRules(
  client: Client,
  rules: readonly LockedRule[],
): Promise<ImpactedService[]> {
  const { rows } = await client.query<ImpactedService>(
    `with recursive touched as (
       select account_id, rule_id, component_id as id, impact
       from status_page_rule_components where rule_id = any($1::uuid[])
       union
       select touched.account_id, touched.rule_id, inside.id, touched.impact
       from touched
       join status_page_components inside
         on inside.account_id = touched.account_id and inside.parent_id = touched.id
     )
     select touched.rule_id as "ruleId", service.id as "serviceId", touched.impact
     from touched
     join status_page_components component on component.account_id = touched.account_id and component.id = touched.id
     join status_page_services service
       on service.account_id = component.account_id and service.id = component.service_id and service.deleted_at is null
     order by service.id
     for key share of service`,
    [rules.map(({ id }) => id)],
  )
  return rows
}

export interface NewRuleIncident {
  accountId: string
  ruleId: string
  incidentId: string
  updateId: string
  name: string
  severity: z.output<typeof StatusPageIncidentSeverity>
  description: string
  notifySubscribers: boolean
  services: { id: string; severity: z.output<typeof StatusPageIncidentSeverity> }[]
}

export async function insertRuleIncidents(
  client: Client,
  incidents: readonly NewRuleIncident[],
  now: number,
): Promise<void> {
  await client.query(
    `with asked as (
       select * from jsonb_to_recordset($1) as asked (
         "accountId" uuid, "ruleId" uuid, "incidentId" uuid, "updateId" uuid, name text, severity text,
         description text, "notifySubscribers" boolean, services jsonb)
     ), opened as (
       insert into incidents (id, account_id, name, severity, created_at)
       select "incidentId", "accountId", name, severity, $2 from asked
     ), touched as (
       insert into incident_services (account_id, incident_id, service_id, severity)
       select "accountId", "incidentId", service.id, service.severity
       from asked, jsonb_to_recordset(asked.services) as service (id uuid, severity text)
     ), posted as (
       insert into incident_updates
         (id, account_id, incident_id, status, description, public_incident_update_date, notify_subscribers, created_at)
       select "updateId", "accountId", "incidentId", 'INVESTIGATING', description, $2, "notifySubscribers", $2 from asked
     )
     insert into status_page_rule_incidents (rule_id, account_id, incident_id, is_open)
     select "ruleId", "accountId", "incidentId", true from asked
     on conflict (rule_id) do update set incident_id = excluded.incident_id, is_open = true`,
    [JSON.stringify(incidents), new Date(now)],
  )
}

export interface RuleUpdate {
  accountId: string
  ruleId: string
  incidentId: string
  updateId: string
  status: 'INVESTIGATING' | 'RESOLVED'
  description: string
  notifySubscribers: boolean
}

/** Adds updates that open or resolve the rules' incidents again. */
export async function insertRuleUpdates(
  client: Client,
  updates: readonly RuleUpdate[],
  now: number,
): Promise<void> {
  // Later than updates with a date in the future, so that it's the latest.
  await client.query(
    `with asked as (
       select * from jsonb_to_recordset($1) as asked (
         "accountId" uuid, "ruleId" uuid, "incidentId" uuid, "updateId" uuid, status text, description text,
         "notifySubscribers" boolean)
     ), posted as (
       insert into incident_updates
         (id, account_id, incident_id, status, description, public_incident_update_date, notify_subscribers, created_at)
       select asked."updateId", asked."accountId", asked."incidentId", asked.status, asked.description,
         greatest($2::timestamptz, latest.public_incident_update_date), asked."notifySubscribers",
         greatest($2::timestamptz, latest.created_at + interval '1 ms')
       from asked
       cross join lateral (
         select * from incident_updates where incident_id = asked."incidentId" order by ${latestFirst} limit 1
       ) latest
     ), shown as (
       update incidents set updated_at = $2 from asked
       where incidents.account_id = asked."accountId" and incidents.id = asked."incidentId"
     )
     update status_page_rule_incidents last set is_open = asked.status <> 'RESOLVED' from asked
     where last.account_id = asked."accountId" and last.rule_id = asked."ruleId"`,
    [JSON.stringify(updates), new Date(now)],
  )
}

/** Users have resolved their incidents. */
export async function closeRuleIncidents(client: Client, rules: readonly LockedRule[]): Promise<void> {
  await client.query(
    `update status_page_rule_incidents last set is_open = false
     from unnest($1::uuid[], $2::uuid[]) as rule (account_id, id)
     where last.account_id = rule.account_id and last.rule_id = rule.id and last.is_open`,
    [rules.map(({ accountId }) => accountId), rules.map(({ id }) => id)],
  )
}
