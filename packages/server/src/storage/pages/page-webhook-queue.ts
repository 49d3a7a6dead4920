// The queue of deliveries to webhooks of status pages, in order per webhook and incident. Finished rows are the log.
import type { StatusPageWebhookEvent } from '@vedette/contracts'
import type { Selectable } from 'kysely'
import type { z } from 'zod'
import type { Db, Pool } from '../core/db.ts'
import type { Tables } from '../core/tables.generated.ts'
import type { Client } from '../core/transaction.ts'
import type { Sealed } from '../core/vault.ts'

export interface DeliveryFacts {
  statusPage: { id: string; name: string; slug: string }
  incident: { id: string; name: string; severity: string; services: { id: string; name: string }[] }
  update: {
    id: string
    status: string
    description: string
    publicIncidentUpdateDate: string
    notifySubscribers: boolean
  }
}

export interface ClaimedDelivery {
  id: string
  accountId: string
  webhookId: string
  event: z.output<typeof StatusPageWebhookEvent>
  facts: DeliveryFacts
  /** Including this attempt. */
  attempts: number
  createdAt: string
  url: string
  secret: Sealed
  isActivated: boolean
}

/** At most one per webhook. An unfinished delivery blocks later ones of the same incident. A claim expires. */
export async function claimWebhookDeliveries(
  pool: Pool,
  { now, limit, busy, leaseMs }: { now: number; limit: number; busy: readonly string[]; leaseMs: number },
): Promise<ClaimedDelivery[]> {
  const { rows } = await pool.query<ClaimedDelivery>({
    name: 'claim_webhook_deliveries',
    text: `
      with first as (
        select distinct on (d.webhook_id) d.id
        from page_webhook_deliveries d
        where d.due_at <= $1 and d.webhook_id <> all($3::uuid[]) and not exists (
          select from page_webhook_deliveries earlier
          where earlier.webhook_id = d.webhook_id and earlier.incident_id = d.incident_id
            and earlier.due_at is not null and earlier.position < d.position)
        order by d.webhook_id, d.position
      ), claimed as (
        update page_webhook_deliveries set due_at = $4, attempts = attempts + 1
        where id in (
          select id from page_webhook_deliveries
          where id in (select id from first) and due_at <= $1 limit $2 for update skip locked)
        returning *
      )
      select d.id, d.account_id as "accountId", d.webhook_id as "webhookId", d.event, d.facts, d.attempts,
        d.created_at as "createdAt", hook.url, hook.secret, hook.activated as "isActivated"
      from claimed d join page_webhooks hook on hook.account_id = d.account_id and hook.id = d.webhook_id`,
    values: [new Date(now), limit, busy, new Date(now + leaseMs)],
  })
  return rows
}

/** `attempts` guards against claims that have expired: another server may have claimed the row since. */
type Claim = Pick<ClaimedDelivery, 'accountId' | 'id' | 'attempts'>

export async function finishWebhookDelivery(
  client: Client,
  { accountId, id, attempts }: Claim,
  { status, result }: { status: 'SUCCESS' | 'FAILURE'; result: string },
): Promise<void> {
  await client.query(
    `update page_webhook_deliveries set status = $4, result = $5, due_at = null
     where account_id = $1 and id = $2 and attempts = $3 and due_at is not null`,
    [accountId, id, attempts, status, result],
  )
}

export async function retryWebhookDelivery(
  client: Client,
  { accountId, id, attempts }: Claim,
  { at, result }: { at: number; result: string },
): Promise<void> {
  await client.query(
    `update page_webhook_deliveries set due_at = $4, result = $5
     where account_id = $1 and id = $2 and attempts = $3 and due_at is not null`,
    [accountId, id, attempts, new Date(at), result],
  )
}

/** For the start of the only server: earlier claims belong to processes that have ended. */
export async function releaseWebhookDeliveries(pool: Pool, now: number): Promise<void> {
  await pool.query('update page_webhook_deliveries set due_at = $1 where due_at > $1', [new Date(now)])
}

export async function listWebhookDeliveries(
  db: Db,
  accountId: string,
  webhookId: string,
  limit: number,
): Promise<Selectable<Tables['page_webhook_deliveries']>[]> {
  return db
    .selectFrom('page_webhook_deliveries')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('webhook_id', '=', webhookId)
    .orderBy('position', 'desc')
    .limit(limit)
    .execute()
}
