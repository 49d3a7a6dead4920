// The incidents that failing checks open. Many checks at once, inside the transaction that records their results:
// what others delete meanwhile is left out, never a reason to fail.
import type { Client } from '../core/transaction.ts'

export interface CheckRef {
  accountId: string
  checkId: string
}

export interface NewTriggeredIncident extends CheckRef {
  incidentId: string
  updateId: string
  serviceId: string
  name: string
  severity: string
  description: string
  notifySubscribers: boolean
}

/** The order of updates in the history of an incident; the first one is the current status. */
export const latestFirst = 'public_incident_update_date desc, created_at desc, id'

/** The checks that may open one: their service exists, and what they opened before is over. */
export async function listChecksWithoutIncident(
  client: Client,
  checks: readonly (CheckRef & { serviceId: string })[],
): Promise<Set<string>> {
  const { rows } = await client.query<{ id: string }>(
    `select c.id
     from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as asked (account_id, check_id, service_id)
     join checks c on c.account_id = asked.account_id and c.id = asked.check_id
     join status_page_services service
       on service.account_id = asked.account_id and service.id = asked.service_id and service.deleted_at is null
     where not exists (
       select from triggered_incidents opened
       where opened.account_id = asked.account_id and opened.check_id = c.id and (
         select status from incident_updates where incident_id = opened.incident_id order by ${latestFirst} limit 1
       ) <> 'RESOLVED')
     order by service.id, c.id
     for key share of service, c`,
    [
      checks.map(({ accountId }) => accountId),
      checks.map(({ checkId }) => checkId),
      checks.map(({ serviceId }) => serviceId),
    ],
  )
  return new Set(rows.map(({ id }) => id))
}

export async function insertTriggeredIncidents(
  client: Client,
  incidents: readonly NewTriggeredIncident[],
  now: number,
): Promise<void> {
  await client.query(
    `with asked as (
       select * from jsonb_to_recordset($1) as asked (
         "accountId" uuid, "checkId" uuid, "incidentId" uuid, "updateId" uuid, "serviceId" uuid,
         name text, severity text, description text, "notifySubscribers" boolean)
     ), opened as (
       insert into incidents (id, account_id, name, severity, created_at)
       select "incidentId", "accountId", name, severity, $2 from asked
     ), touched as (
       insert into incident_services (account_id, incident_id, service_id)
       select "accountId", "incidentId", "serviceId" from asked
     ), posted as (
       insert into incident_updates
         (id, account_id, incident_id, status, description, public_incident_update_date, notify_subscribers, created_at)
       select "updateId", "accountId", "incidentId", 'INVESTIGATING', description, $2, "notifySubscribers", $2 from asked
     )
     insert into triggered_incidents (check_id, account_id, incident_id)
     select "checkId", "accountId", "incidentId" from asked
     on conflict (check_id) do update set incident_id = excluded.incident_id`,
    [JSON.stringify(incidents), new Date(now)],
  )
}

/** Takes the checks' open incidents from them; held until the transaction ends, so that no human resolves them too. */
export async function takeTriggeredIncidents(
  client: Client,
  checks: readonly CheckRef[],
): Promise<(CheckRef & { incidentId: string })[]> {
  const { rows } = await client.query<CheckRef & { incidentId: string }>({
    name: 'take-triggered-incidents',
    text: `
      select opened.account_id as "accountId", opened.check_id as "checkId", incident.id as "incidentId"
      from unnest($1::uuid[], $2::uuid[]) as asked (account_id, check_id)
      join triggered_incidents opened
        on opened.account_id = asked.account_id and opened.check_id = asked.check_id
      join incidents incident
        on incident.account_id = opened.account_id and incident.id = opened.incident_id
      order by incident.id
      for update of incident`,
    values: [checks.map(({ accountId }) => accountId), checks.map(({ checkId }) => checkId)],
  })
  if (rows.length > 0) {
    await client.query(
      `delete from triggered_incidents opened
       using unnest($1::uuid[], $2::uuid[]) as asked (account_id, incident_id)
       where opened.account_id = asked.account_id and opened.incident_id = asked.incident_id`,
      [rows.map(({ accountId }) => accountId), rows.map(({ incidentId }) => incidentId)],
    )
  }
  return rows
}

/**
 * Adds a RESOLVED update to those that are still open, and returns the updates. Subscribers are notified if they were
 * notified of the beginning and the trigger of the check still notifies subscribers.
 */
export async function resolveIncidents(
  client: Client,
  incidents: readonly (CheckRef & { incidentId: string; updateId: string; description: string })[],
  now: number,
): Promise<{ accountId: string; id: string }[]> {
  // Later than updates with a date in the future, so that it's the latest.
  const { rows } = await client.query<{ accountId: string; id: string }>(
    `with asked as (
       select * from jsonb_to_recordset($1) as asked (
         "accountId" uuid, "checkId" uuid, "incidentId" uuid, "updateId" uuid, description text)
     ), posted as (
       insert into incident_updates
         (id, account_id, incident_id, status, description, public_incident_update_date, notify_subscribers, created_at)
       select asked."updateId", asked."accountId", asked."incidentId", 'RESOLVED', asked.description,
         greatest($2::timestamptz, latest.public_incident_update_date),
         first.notify_subscribers and coalesce(
           c.trigger_incident->'notifySubscribers' = 'true'::jsonb
             and c.trigger_incident->>'serviceId' in (
               select service_id::text from incident_services where incident_id = asked."incidentId"),
           false),
         greatest($2::timestamptz, latest.created_at + interval '1 ms')
       from asked
       left join checks c on c.account_id = asked."accountId" and c.id = asked."checkId"
       cross join lateral (
         select * from incident_updates where incident_id = asked."incidentId" order by ${latestFirst} limit 1
       ) latest
       cross join lateral (
         select * from incident_updates where incident_id = asked."incidentId" order by created_at, id limit 1
       ) first
       where latest.status <> 'RESOLVED'
       returning account_id, incident_id, id
     ), shown as (
       update incidents set updated_at = $2 from posted
       where incidents.account_id = posted.account_id and incidents.id = posted.incident_id
     )
     select account_id as "accountId", id from posted`,
    [JSON.stringify(incidents), new Date(now)],
  )
  return rows
}
