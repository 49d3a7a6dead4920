// The mails that ask an address to confirm its subscription, written into the outbox in the transaction of the request.
import { type ConfirmationFacts, insertMails } from '../alerts/mails.ts'
import type { Client } from '../core/transaction.ts'
import type { StatusPageSubscriptionRow } from './status-page-subscriptions.ts'
import type { StatusPageRow } from './status-pages.ts'

/** Asks the addresses to confirm a new subscription, or a change of services. */
export async function insertConfirmationMails(
  client: Client,
  kind: 'subscription_verification' | 'subscription_change',
  page: Pick<StatusPageRow, 'account_id' | 'name' | 'url'>,
  subscriptions: readonly Pick<StatusPageSubscriptionRow, 'id' | 'address'>[],
  chosen: ConfirmationFacts['chosen'],
  now: number,
): Promise<void> {
  const mails = subscriptions.map(({ id, address }) => ({
    accountId: page.account_id,
    kind,
    recipient: address,
    facts: { subscriptionId: id, page: page.name, slug: page.url, chosen } satisfies ConfirmationFacts,
    subscriptionId: id,
  }))
  await insertMails(client, mails, now)
}

export async function wasAskedSince(
  client: Client,
  { account_id, id }: Pick<StatusPageSubscriptionRow, 'account_id' | 'id'>,
  since: number,
): Promise<boolean> {
  const { rows } = await client.query(
    `select from mails
     where account_id = $1 and subscription_id = $2 and created_at > $3
       and kind in ('subscription_verification', 'subscription_change')
     limit 1`,
    [account_id, id, new Date(since)],
  )
  return rows.length > 0
}
