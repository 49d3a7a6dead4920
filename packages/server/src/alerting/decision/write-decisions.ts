// What was decided, as rows: the state of each check, alerts, a notification for each channel that hears of one, incidents.
import { randomUUID } from 'node:crypto'
import { metrics } from '../../metrics.ts'
import type { AlertPolicy } from '../../storage/alert-policies.ts'
import {
  listAlertedChannels,
  listSubscribedChannels,
  listToldChannels,
  type SubscribedChannel,
} from '../../storage/alert-recipients.ts'
import {
  type AlertStateRow,
  deleteAlertStates,
  type RunLead,
  upsertAlertStates,
} from '../../storage/alert-states.ts'
import {
  type AlertRow,
  insertAlerts,
  insertNotifications,
  type NotificationRow,
} from '../../storage/alert-writes.ts'
import { deleteWaitingReminders } from '../../storage/notification-queue.ts'
import type { Client } from '../../storage/transaction.ts'
import type { AlertState } from './alert-state.ts'
import type { Decision } from './decide.ts'
import { openTriggeredIncidents, resolveTriggeredIncidents } from './incidents.ts'
import { channelsOf, type Recipient, recipientsOf } from './recipients.ts'

/** What an automatic analysis is given before the alert goes without it. */
const analysisMs = 3_000

export interface CheckDecision {
  policy: AlertPolicy
  before: AlertStateRow | null
  decision: Decision
  lead: RunLead
}

export async function writeDecisions(
  client: Client,
  decisions: readonly CheckDecision[],
  now: number,
): Promise<void> {
  const alerts = decisions.flatMap(alertRowOf)
  const alertIds = new Map(
    alerts.flatMap(({ checkId, id, heldBy }) => (heldBy === null ? [[checkId, id]] : [])),
  )
  await writeStates(client, decisions, alertIds)
  await insertAlerts(client, alerts, now)
  const notifications = [
    ...(await alertNotifications(client, decisions, alerts, now)),
    ...(await reminderNotifications(client, decisions, now)),
  ]
  await insertNotifications(client, notifications, now)
  await follow(client, decisions, now)
  for (const { alertType } of alerts) metrics.alertsDecided.add(1, { type: alertType })
}

function alertRowOf({ policy, before, decision, lead }: CheckDecision): AlertRow[] {
  const { alert } = decision
  if (alert === null) return []
  const { accountId, checkId, checkType, name, accountName, description, groupId, groupName, tags } = policy
  return [
    {
      id: randomUUID(),
      accountId,
      checkId,
      checkType,
      alertType: alert.type,
      kind: alert.kind,
      heldBy: alert.heldBy,
      name,
      episodeAt: episodeOf(before, decision),
      lead,
      facts: { accountName, description, groupId, groupName, tags, errorGroupId: lead.errorGroupId },
    },
  ]
}

/** A recovery belongs to the episode that it ends. */
function episodeOf(before: AlertState | null, { alert, state }: Decision): number | null {
  if (alert?.kind === 'recovery') return before?.episodeAt ?? null
  return state?.episodeAt ?? before?.episodeAt ?? null
}

async function writeStates(
  client: Client,
  decisions: readonly CheckDecision[],
  alertIds: ReadonlyMap<string, string>,
): Promise<void> {
  const kept: AlertStateRow[] = []
  const gone: string[] = []
  for (const { policy, before, decision, lead } of decisions) {
    const { accountId, checkId } = policy
    if (decision.state === null) {
      if (before !== null) gone.push(checkId)
      continue
    }
    const alertId = alertIds.get(checkId) ?? before?.alertId ?? null
    kept.push({ ...decision.state, accountId, checkId, alertId, dueAt: decision.dueAt, lead })
  }
  await upsertAlertStates(client, kept)
  await deleteAlertStates(client, gone)
}

async function alertNotifications(
  client: Client,
  decisions: readonly CheckDecision[],
  alerts: readonly AlertRow[],
  now: number,
): Promise<NotificationRow[]> {
  const sent = alerts.filter(({ heldBy }) => heldBy === null)
  if (sent.length === 0) return []
  const channels = await readChannels(client, decisions, new Set(sent.map(({ checkId }) => checkId)))
  const ends = sent.flatMap(({ kind, checkId, episodeAt }) =>
    kind === 'recovery' && episodeAt !== null ? [{ checkId, episodeAt }] : [],
  )
  const analysed = new Set(
    decisions.filter(({ policy }) => policy.isAnalysed).map(({ policy }) => policy.checkId),
  )
  const told = ends.length === 0 ? new Map<string, Set<number>>() : await listToldChannels(client, ends)
  return sent.flatMap((alert) => {
    const kind = alert.kind as 'failure' | 'degraded' | 'recovery'
    const recipients = recipientsOf(
      kind,
      channels.get(alert.checkId) ?? [],
      told.get(alert.checkId) ?? nobody,
    )
    const dueAt = now + (kind === 'failure' && analysed.has(alert.checkId) ? analysisMs : 0)
    return recipients.map((recipient) => notificationOf(alert, recipient, { kind, dueAt }))
  })
}

/** A reminder repeats an alert to who was sent it and still wants to hear. It is no alert of its own. */
async function reminderNotifications(
  client: Client,
  decisions: readonly CheckDecision[],
  now: number,
): Promise<NotificationRow[]> {
  const due = decisions.flatMap((decided) => {
    const { policy, before, decision, lead } = decided
    const alertId = before?.alertId ?? null
    if (decision.reminder === null || before === null || alertId === null) return []
    return [{ policy, before, lead, alertId, reminder: decision.reminder, checkId: policy.checkId }]
  })
  if (due.length === 0) return []
  const channels = await readChannels(client, decisions, new Set(due.map(({ checkId }) => checkId)))
  const alerted = await listAlertedChannels(client, due)
  return due.flatMap(({ policy, before, lead, alertId, reminder, checkId }) => {
    const kind = before.decided === 'failure' ? 'failure' : 'degraded'
    const reached = alerted.get(alertId) ?? nobody
    return recipientsOf(kind, channels.get(checkId) ?? [], nobody)
      .filter(({ channelId }) => reached.has(channelId))
      .map((recipient) =>
        notificationOf({ ...policy, id: alertId, episodeAt: before.episodeAt, lead }, recipient, {
          kind,
          dueAt: now,
          reminder,
        }),
      )
  })
}

const nobody: ReadonlySet<number> = new Set()

async function readChannels(
  client: Client,
  decisions: readonly CheckDecision[],
  wanted: ReadonlySet<string>,
): Promise<Map<string, SubscribedChannel[]>> {
  const subscriptions = await listSubscribedChannels(client, [...wanted])
  const byCheck = Map.groupBy(subscriptions, ({ checkId }) => checkId)
  return new Map(
    decisions
      .filter(({ policy }) => wanted.has(policy.checkId))
      .map(({ policy }) => [
        policy.checkId,
        channelsOf(byCheck.get(policy.checkId) ?? [], policy.isEnforced),
      ]),
  )
}

function notificationOf(
  alert: Pick<AlertRow, 'id' | 'accountId' | 'checkId' | 'checkType' | 'episodeAt' | 'lead'>,
  { channelId, type }: Recipient,
  { kind, dueAt, reminder }: { kind: string; dueAt: number; reminder?: number },
): NotificationRow {
  return {
    id: randomUUID(),
    accountId: alert.accountId,
    checkId: alert.checkId,
    checkType: alert.checkType,
    alertId: alert.id,
    channelId,
    type,
    kind,
    resultId: alert.lead.resultId,
    episodeAt: alert.episodeAt,
    isReminder: reminder !== undefined,
    reminderSequence: reminder ?? 0,
    dueAt,
  }
}

/** Incidents open and end with the trouble; whoever silences alerts still wants the page to say that it is over. */
async function follow(client: Client, decisions: readonly CheckDecision[], now: number): Promise<void> {
  const opened = decisions.flatMap(({ policy, decision }) => {
    const { accountId, checkId, triggerIncident: trigger } = policy
    return decision.alert?.kind === 'failure' && trigger !== null ? [{ accountId, checkId, trigger }] : []
  })
  const ended = decisions.filter(({ before, decision }) => {
    const isPassing = decision.state === null || decision.state.state === 'passing'
    return before !== null && before.decided !== 'none' && isPassing && decision.state?.settleAt == null
  })
  await deleteWaitingReminders(
    client,
    ended.filter(({ before }) => (before?.remindersSent ?? 0) > 0).map(({ policy }) => policy.checkId),
  )
  await openTriggeredIncidents(client, opened, now)
  await resolveTriggeredIncidents(
    client,
    ended.map(({ policy: { accountId, checkId } }) => ({ accountId, checkId })),
    now,
  )
}
