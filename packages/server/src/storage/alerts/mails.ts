// The outbox of mails to subscribers of status pages and owners of accounts. A mail is a row until a server took it.
import type { Pool } from '../core/db.ts'
import type { Client } from '../core/transaction.ts'

export type MailKind = 'subscription_verification' | 'incident_update' | 'location_alarm'

export interface NewMail {
  accountId: string
  kind: MailKind
  recipient: string
  /** What its words are made of when it is sent: as it was when it was decided. */
  facts: object
  /** It goes with the subscription: who unsubscribes gets nothing that still waits. */
  subscriptionId?: string
}

export interface MailRow {
  id: string
  kind: MailKind
  recipient: string
  facts: unknown
  /** This try included. */
  attempts: number
  /** The end of the claim. */
  due_at: string
  created_at: string
}

export async function insertMails(client: Client, mails: readonly NewMail[], now: number): Promise<void> {
  if (mails.length === 0) return
  await client.query(
    `insert into mails (id, account_id, kind, recipient, facts, subscription_id, status, due_at, created_at)
     select gen_random_uuid(), sent."accountId", sent.kind, sent.recipient, sent.facts, sent."subscriptionId",
       'IN_PROGRESS', $2, $2
     from jsonb_to_recordset($1) as sent
       ("accountId" uuid, kind text, recipient text, facts jsonb, "subscriptionId" uuid)`,
    [JSON.stringify(mails), new Date(now)],
  )
}

/** A claim ends by itself: what a killed server held comes due again. */
export async function claimMails(
  client: Client,
  { now, limit, leaseMs }: { now: number; limit: number; leaseMs: number },
): Promise<MailRow[]> {
  const { rows } = await client.query<MailRow & Record<string, unknown>>({
    name: 'claim-mails',
    text: `
      update mails set due_at = $2, attempts = attempts + 1
      where id in (select id from mails where due_at <= $1 order by due_at limit $3 for update skip locked)
      returning id, kind, recipient, facts, attempts, due_at, created_at`,
    values: [new Date(now), new Date(now + leaseMs), limit],
  })
  return rows
}

export async function finishMail(
  client: Client,
  id: string,
  outcome: { status: 'SUCCESS' | 'FAILURE'; result: string },
): Promise<void> {
  await client.query('update mails set status = $2, result = $3, due_at = null where id = $1', [
    id,
    outcome.status,
    outcome.result,
  ])
}

/** Not if the claim ended meanwhile: then it is another's to say. */
export async function retryMail(
  client: Client,
  mail: Pick<MailRow, 'id' | 'due_at'>,
  again: { at: number; result: string },
): Promise<void> {
  await client.query('update mails set due_at = $3, result = $4 where id = $1 and due_at = $2', [
    mail.id,
    mail.due_at,
    new Date(again.at),
    again.result,
  ])
}

/** After a start as the only server there is: whatever was claimed before was claimed by a process that is gone. */
export async function releaseMails(pool: Pool, now: number): Promise<void> {
  await pool.query(
    `update mails set due_at = to_timestamp($1 / 1000.0) where due_at > to_timestamp($1 / 1000.0)`,
    [now],
  )
}
