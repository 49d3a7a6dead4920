// The incidents of automation rules, inside the transaction that decides alerts: what others delete meanwhile is left out,
// never a reason to fail. A rule is locked before anything of it is read, so that two servers open one incident.
import type { ComponentImpact, StatusPageIncidentSeverity } from '@vedette/contracts'
import type { z } from 'zod'
import type { Client } from '../core/transaction.ts'
import { type CheckRef, latestFirst } from './triggered-incidents.ts'

export interface LockedRule {
  accountId: string
  id: string
  name: string
  firstUpdate: string
  lastUpdate: string
  notifySubscribers: boolean
  coolDownMinutes: number
}

const ruleColumns = `r.account_id as "accountId", r.id, r.name, r.first_update as "firstUpdate",
  r.last_update as "lastUpdate", r.notify_subscribers as "notifySubscribers", r.cool_down_minutes as "coolDownMinutes"`

/** Of the check `c` in the group `g`, or without one. */
const matches = '(r.tags && c.tags or r.tags && g.tags)'

const askedChecks = `unnest($1::uuid[], $2::uuid[]) as asked (account_id, check_id)
  join checks c on c.account_id = asked.account_id and c.id = asked.check_id
  left join check_groups g on g.account_id = c.account_id and g.id = c.group_id`

const countingChecks = `join checks c on c.account_id = held.account_id and c.id = held.check_id
  left join check_groups g on g.account_id = c.account_id and g.id = c.group_id`

const counts = `c.activated and coalesce(g.activated, true) and ${matches}`

/** Locks the rules that match failed checks, and those whose incident the ended ones keep open. */
export async function lockRulesOfChecks(
  client: Client,
  failed: readonly CheckRef[],
  ended: readonly CheckRef[],
): Promise<LockedRule[]> {
  const { rows } = await client.query<LockedRule>(
    `select ${ruleColumns} from status_page_automation_rules r
     where r.id in (
       select r.id from ${askedChecks}
       join status_page_automation_rules r on r.account_id = c.account_id and r.enabled and ${matches}
       union
       select held.rule_id from unnest($3::uuid[], $4::uuid[]) as ended (account_id, check_id)
       join status_page_rule_failures held
         on held.account_id = ended.account_id and held.check_id = ended.check_id
     )
     order by r.id
     for no key update of r`,
    [...columnsOf(failed), ...columnsOf(ended)],
  )
  return rows
}

/**
 * Locks rules with an open incident that no check keeps open: its checks were deleted, deactivated, or no longer have a tag
 * of the rule. Rules that another server has locked are left for later.
 */
export async function lockIdleRules(client: Client, limit: number): Promise<LockedRule[]> {
  const { rows } = await client.query<LockedRule>(
    `select ${ruleColumns} from status_page_rule_incidents last
     join status_page_automation_rules r on r.account_id = last.account_id and r.id = last.rule_id
     where last.is_open and not exists (
       select from status_page_rule_failures held ${countingChecks} where held.rule_id = r.id and ${counts})
     order by r.id
     limit $1
     for no key update of r skip locked`,
    [limit],
  )
  return rows
}

/** The rules among the locked ones that these failed checks match. The checks keep their incidents open from now on. */
export async function insertRuleFailures(
  client: Client,
  rules: readonly LockedRule[],
  failed: readonly CheckRef[],
): Promise<Set<string>> {
  const { rows } = await client.query<{ accountId: string; ruleId: string; checkId: string }>(
    `select c.account_id as "accountId", r.id as "ruleId", c.id as "checkId" from ${askedChecks}
     join status_page_automation_rules r
       on r.account_id = c.account_id and r.id = any($3::uuid[]) and r.enabled and ${matches}
     order by c.id, r.id
     for key share of c`,
    [...columnsOf(failed), rules.map(({ id }) => id)],
  )
  await client.query(
    `insert into status_page_rule_failures (account_id, rule_id, check_id)
     select * from unnest($1::uuid[], $2::uuid[], $3::uuid[]) on conflict do nothing`,
    [
      rows.map(({ accountId }) => accountId),
      rows.map(({ ruleId }) => ruleId),
      rows.map(({ checkId }) => checkId),
    ],
  )
  return new Set(rows.map(({ ruleId }) => ruleId))
}

export async function deleteRuleFailures(
  client: Client,
  rules: readonly LockedRule[],
  checks: readonly CheckRef[],
): Promise<void> {
  await client.query(
    `delete from status_page_rule_failures held
     using unnest($1::uuid[], $2::uuid[]) as asked (account_id, check_id)
     where held.account_id = asked.account_id and held.check_id = asked.check_id and held.rule_id = any($3::uuid[])`,
    [...columnsOf(checks), rules.map(({ id }) => id)],
  )
}

/** Deletes those of checks that don't count any more. */
export async function deleteIdleFailures(client: Client, rules: readonly LockedRule[]): Promise<void> {
  await client.query(
    `delete from status_page_rule_failures held
     where held.rule_id = any($1::uuid[]) and not exists (
       select from status_page_automation_rules r ${countingChecks} where r.id = held.rule_id and ${counts})`,
    [rules.map(({ id }) => id)],
  )
}

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

function columnsOf(checks: readonly CheckRef[]): [string[], string[]] {
  return [checks.map(({ accountId }) => accountId), checks.map(({ checkId }) => checkId)]
}
