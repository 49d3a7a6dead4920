// Certificates that are about to expire: each channel is notified once per certificate, when its own threshold is reached.
import { dayMs } from '@vedette/contracts'
import { timeOrderedId } from '../../core/time-ordered-id.ts'
import { readAlertPolicies } from '../../storage/alerts/alert-policies.ts'
import { listSubscribedChannels, type SubscribedChannel } from '../../storage/alerts/alert-recipients.ts'
import type { TriggeringResult } from '../../storage/alerts/alert-states.ts'
import {
  type AlertRow,
  insertAlerts,
  insertNotifications,
  type NotificationRow,
} from '../../storage/alerts/alert-writes.ts'
import { readCheckFacts } from '../../storage/alerts/check-facts.ts'
import {
  insertSslNotices,
  listCheckAddresses,
  listSslNotices,
  type SslNotice,
} from '../../storage/alerts/ssl-notices.ts'
import { listSilencedChecks } from '../../storage/checks/maintenance.ts'
import type { Client } from '../../storage/core/transaction.ts'
import { silenceOf } from './decide.ts'
import type { DecisionContext } from './decision-context.ts'
import { notificationOf } from './notification-rows.ts'
import { channelsOf } from './recipients.ts'

export interface CertificateDays {
  accountId: string
  checkId: string
  daysRemaining: number
  /** The value before this run. */
  daysBefore: number | null
  lead: TriggeringResult
}

/** The largest threshold of a channel. */
const furthestDays = 30
/** Days are rounded, so the expiry of the same certificate varies by this much. */
const roundingMs = 2 * dayMs

export async function decideSsl(
  client: Client,
  certificates: readonly CertificateDays[],
  { now, isAlerting }: DecisionContext,
): Promise<void> {
  if (!isAlerting) return
  // Recipients are looked up once a day. A notification that is silenced on one day is sent on the next.
  const near = certificates.filter(
    ({ daysRemaining, daysBefore }) => daysRemaining <= furthestDays && daysRemaining !== daysBefore,
  )
  if (near.length === 0) return
  const ids = near.map(({ checkId }) => checkId)
  const channels = Map.groupBy(await listSubscribedChannels(client, ids), ({ checkId }) => checkId)
  const asking = near.filter(({ checkId }) => channels.get(checkId)?.some(({ sslExpiry }) => sslExpiry))
  if (asking.length > 0) await notify(client, asking, channels, now)
}

async function notify(
  client: Client,
  near: readonly CertificateDays[],
  channels: ReadonlyMap<string, SubscribedChannel[]>,
  now: number,
): Promise<void> {
  const ids = near.map(({ checkId }) => checkId)
  const policies = await readAlertPolicies(client, ids, now)
  const checks = await readCheckFacts(client, ids)
  const silenced = await listSilencedChecks(client, near, now)
  const known = Map.groupBy(await listSslNotices(client, ids), ({ checkId }) => checkId)
  const addresses = await listCheckAddresses(client, ids)
  const alerts: AlertRow[] = []
  const notifications: NotificationRow[] = []
  const notices: SslNotice[] = []
  for (const { accountId, checkId, daysRemaining, lead } of near) {
    const policy = policies.get(checkId)
    // A silence only delays the notification: the certificate still expires.
    if (policy === undefined || silenceOf(policy, silenced.has(checkId)) !== null) continue
    const expiresAt = now + daysRemaining * dayMs
    // Two servers behind one name may respond in turns, each with a certificate that expires soon: both are stored.
    const isSame = (notice: SslNotice) => Math.abs(expiresAt - notice.expiresAt) <= roundingMs
    const notified = new Set(
      known
        .get(checkId)
        ?.filter(isSame)
        .map(({ channelId }) => channelId),
    )
    const due = channelsOf(channels.get(checkId) ?? [], policy.isEnforced).filter(
      ({ channelId, sslExpiry, sslExpiryThreshold }) =>
        sslExpiry && daysRemaining <= sslExpiryThreshold && !notified.has(channelId),
    )
    if (due.length === 0) continue
    const { checkType, name } = policy
    const facts = checks.get(checkId)?.facts
    if (facts === undefined) continue
    const ssl = { daysRemaining, domain: domainOf(addresses.get(checkId) ?? null) ?? name }
    const alert: AlertRow = {
      id: timeOrderedId(now),
      accountId,
      checkId,
      checkType,
      alertType: 'ALERT_SSL',
      kind: 'ssl',
      heldBy: null,
      name,
      episodeAt: null,
      lead: { ...lead, error: null, errorGroupId: null },
      facts: { ...facts, ssl },
      // Null: the notifications are inserted below, because each channel has its own threshold.
      notifyAt: null,
    }
    alerts.push(alert)
    for (const { channelId, type } of due) {
      notices.push({ accountId, checkId, channelId, expiresAt })
      const source = { ...alert, alertId: alert.id, resultId: lead.resultId, kind: 'ssl' }
      notifications.push(notificationOf(source, { channelId, type }, now))
    }
  }
  if (alerts.length === 0) return
  await insertAlerts(client, alerts, now)
  await insertNotifications(client, notifications, now)
  await insertSslNotices(client, notices, now)
}

/** The host of a URL, or the name itself; null for templates. */
function domainOf(address: string | null): string | null {
  if (address === null || address.includes('{{')) return null
  return URL.canParse(address) ? new URL(address).hostname || address : address
}
