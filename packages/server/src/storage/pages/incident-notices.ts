// Who is notified of an update of an incident: subscribers by mail, and webhooks. The rows are written in the transaction of the
// update, so that nothing is lost or sent twice.
import type { Client } from '../core/transaction.ts'

/** For updates that exist. choice: an address that is subscribed to two pages with the incident receives two mails. */
export async function insertIncidentNotices(
  client: Client,
  updates: readonly { accountId: string; id: string }[],
  now: number,
): Promise<void> {
  if (updates.length === 0) return
  const values = [updates.map(({ accountId }) => accountId), updates.map(({ id }) => id), new Date(now)]
  await client.query(insertMails, values)
  await client.query(insertDeliveries, values)
}

/** The updates with each page that shows a service of their incident, and these services. */
const shownUpdates = `
  from unnest($1::uuid[], $2::uuid[]) as asked (account_id, id)
  join incident_updates posted on posted.account_id = asked.account_id and posted.id = asked.id
  join incidents incident on incident.account_id = posted.account_id and incident.id = posted.incident_id
  cross join lateral (
    select placed.status_page_id, array_agg(placed.service_id) as ids,
      jsonb_agg(distinct placed.name order by placed.name) as names,
      jsonb_agg(distinct jsonb_build_object('id', placed.service_id, 'name', placed.name)) as services
    from incident_services touched
    join status_page_shown_services placed on placed.service_id = touched.service_id
    where touched.account_id = asked.account_id and touched.incident_id = incident.id
      and placed.account_id = asked.account_id
    group by placed.status_page_id
  ) shown
  join status_pages page on page.account_id = asked.account_id and page.id = shown.status_page_id`

// The lock, here and below: a subscriber who leaves at this moment must not fail the transaction.
const insertMails = `
  insert into mails (id, account_id, kind, recipient, facts, subscription_id, status, due_at, created_at)
  select gen_random_uuid(), reader.account_id, 'incident_update', reader.address,
    jsonb_build_object(
      'subscriptionId', reader.id, 'page', page.name, 'slug', page.url,
      'updateId', posted.id, 'incidentId', incident.id, 'incident', incident.name, 'severity', incident.severity,
      'services', shown.names,
      'status', posted.status, 'description', posted.description, 'at', posted.public_incident_update_date),
    reader.id, 'IN_PROGRESS', $3, $3
  ${shownUpdates}
  join status_page_subscriptions reader
    on reader.account_id = asked.account_id and reader.status_page_id = page.id
    and reader.type = 'EMAIL' and reader.status = 'VERIFIED'
    and (reader.service_ids is null or reader.service_ids && shown.ids)
  where posted.notify_subscribers
  order by reader.id
  for key share of reader
  on conflict (subscription_id, (facts ->> 'updateId')) where kind = 'incident_update' do nothing`

// choice: webhooks receive every update, whether or not it notifies subscribers, except history that is added later.
const insertDeliveries = `
  insert into page_webhook_deliveries
    (id, account_id, webhook_id, event, incident_id, update_id, facts, status, due_at, created_at)
  select gen_random_uuid(), hook.account_id, hook.id, happened.event, incident.id, posted.id,
    jsonb_build_object(
      'statusPage', jsonb_build_object('id', page.id, 'name', page.name, 'slug', page.url),
      'incident', jsonb_build_object(
        'id', incident.id, 'name', incident.name, 'severity', incident.severity, 'services', shown.services),
      'update', jsonb_build_object(
        'id', posted.id, 'status', posted.status, 'description', posted.description,
        'publicIncidentUpdateDate', posted.public_incident_update_date,
        'notifySubscribers', posted.notify_subscribers)),
    'IN_PROGRESS', $3, $3
  ${shownUpdates}
  cross join lateral (
    select case
      when posted.status = 'RESOLVED' then 'INCIDENT_RESOLVED'
      when exists (select from incident_updates other where other.incident_id = incident.id and other.id <> posted.id)
        then 'INCIDENT_UPDATED'
      else 'INCIDENT_OPENED' end as event
  ) happened
  join page_webhooks hook
    on hook.account_id = asked.account_id and hook.status_page_id = page.id
    and hook.activated and happened.event = any(hook.events)
  where posted.notify_subscribers or posted.public_incident_update_date > posted.created_at - interval '1 day'
  order by hook.id
  for key share of hook
  on conflict (webhook_id, update_id) do nothing`
