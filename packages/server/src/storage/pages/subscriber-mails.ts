// What is mailed to subscribers of status pages: written into the outbox in the transaction that gives the reason.
import { insertMails, type VerificationFacts } from '../alerts/mails.ts'
import type { Client } from '../core/transaction.ts'
import type { StatusPageSubscriptionRow } from './status-page-subscriptions.ts'
import type { StatusPageRow } from './status-pages.ts'

export async function insertVerificationMails(
  client: Client,
  page: Pick<StatusPageRow, 'account_id' | 'name' | 'url'>,
  subscriptions: readonly Pick<StatusPageSubscriptionRow, 'id' | 'address'>[],
  now: number,
): Promise<void> {
  const mails = subscriptions.map(({ id, address }) => ({
    accountId: page.account_id,
    kind: 'subscription_verification' as const,
    recipient: address,
    facts: { subscriptionId: id, page: page.name, slug: page.url } satisfies VerificationFacts,
    subscriptionId: id,
  }))
  await insertMails(client, mails, now)
}

/**
 * For updates that notify subscribers. choice: an address that is subscribed to two pages with the incident receives two
 * mails, since these are separate subscriptions.
 */
export async function insertIncidentMails(
  client: Client,
  updates: readonly { accountId: string; id: string }[],
  now: number,
): Promise<void> {
  if (updates.length === 0) return
  // A service that the page does not show is none of its readers' business. The lock: a subscriber who leaves at this
  // moment must not fail the transaction.
  await client.query(
    `insert into mails (id, account_id, kind, recipient, facts, subscription_id, status, due_at, created_at)
     select gen_random_uuid(), reader.account_id, 'incident_update', reader.address,
       jsonb_build_object(
         'subscriptionId', reader.id, 'page', page.name, 'slug', page.url,
         'incidentId', incident.id, 'incident', incident.name, 'severity', incident.severity,
         'services', shown.services,
         'status', posted.status, 'description', posted.description, 'at', posted.public_incident_update_date),
       reader.id, 'IN_PROGRESS', $3, $3
     from unnest($1::uuid[], $2::uuid[]) as asked (account_id, id)
     join incident_updates posted
       on posted.account_id = asked.account_id and posted.id = asked.id and posted.notify_subscribers
     join incidents incident
       on incident.account_id = posted.account_id and incident.id = posted.incident_id
     cross join lateral (
       select placed.status_page_id, jsonb_agg(distinct placed.name order by placed.name) as services
       from incident_services touched
       join status_page_shown_services placed on placed.service_id = touched.service_id
       where touched.account_id = asked.account_id and touched.incident_id = incident.id
         and placed.account_id = asked.account_id
       group by placed.status_page_id
     ) shown
     join status_pages page on page.account_id = asked.account_id and page.id = shown.status_page_id
     join status_page_subscriptions reader
       on reader.account_id = asked.account_id and reader.status_page_id = page.id
       and reader.type = 'EMAIL' and reader.status = 'VERIFIED'
     order by reader.id
     for key share of reader`,
    [updates.map(({ accountId }) => accountId), updates.map(({ id }) => id), new Date(now)],
  )
}
