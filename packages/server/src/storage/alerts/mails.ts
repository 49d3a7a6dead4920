// The outbox of mails to subscribers of status pages, owners of accounts and users.
import type { Pool } from '../core/db.ts'
import type { Client } from '../core/transaction.ts'
import type { LocationAlarmFacts } from './location-alarms.ts'

/** Of the mails that ask an address to confirm a subscription, or a change of one. */
export interface ConfirmationFacts {
  subscriptionId: string
  page: string
  slug: string
  /** Null, or absent in mails of earlier releases: all services. */
  chosen?: { id: string; name: string }[] | null
}

export interface IncidentUpdateFacts {
  subscriptionId: string
  page: string
  slug: string
  incidentId: string
  incident: string
  severity: string
  /** Those of the incident that the page shows. */
  services: string[]
  status: string
  description: string
  at: string
}

export interface MaintenanceNoticeFacts {
  subscriptionId: string
  page: string
  slug: string
  /** Of the occurrence, in addresses. */
  key: string
  notice: 'before' | 'start' | 'end'
  maintenance: string
  description: string | null
  severity: string | null
  /** Those that it affects and the page shows; none if its owner hides them. */
  services: string[]
  startsAt: string
  endsAt: string
}

export interface PasswordResetFacts {
  linkId: string
}

export interface InvitationFacts {
  linkId: string
  account: string
  role: string
  /** Empty: a service key invited. */
  inviter: string
}

export interface EmailConfirmationFacts {
  linkId: string
  oldEmail: string
}

export interface EmailChangeNoticeFacts {
  newEmail: string
}

interface MailFacts {
  subscription_verification: ConfirmationFacts
  subscription_change: ConfirmationFacts
  incident_update: IncidentUpdateFacts
  maintenance_notice: MaintenanceNoticeFacts
  location_alarm: LocationAlarmFacts
  password_reset: PasswordResetFacts
  invitation: InvitationFacts
  email_confirmation: EmailConfirmationFacts
  email_change_notice: EmailChangeNoticeFacts
}

type MailKind = keyof MailFacts

export interface NewMail {
  accountId: string
  kind: MailKind
  recipient: string
  /** The content of the mail, as of the time when it was decided. */
  facts: object
  /** Deleted with the subscription: after unsubscribing, pending mails aren't sent. */
  subscriptionId?: string
}

/** Each kind has its own facts. */
export type MailRow = { [K in MailKind]: MailRowOf<K> }[MailKind]

interface MailRowOf<K extends MailKind> {
  id: string
  kind: K
  recipient: string
  facts: MailFacts[K]
  /** Including this attempt. */
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

/** A claim expires: mails of a killed server become due again. */
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

/** Does nothing if the claim has expired. */
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

/** For the start of the only server: earlier claims belong to processes that have ended. */
export async function releaseMails(pool: Pool, now: number): Promise<void> {
  await pool.query(
    `update mails set due_at = to_timestamp($1 / 1000.0) where due_at > to_timestamp($1 / 1000.0)`,
    [now],
  )
}
