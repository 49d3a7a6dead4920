// Writes decisions: states of checks, alerts, reminders, incidents.
import { timeOrderedId } from '../../core/time-ordered-id.ts'
import { metrics } from '../../prometheus/metrics.ts'
import type { AlertPolicy } from '../../storage/alerts/alert-policies.ts'
import { listAlertedChannels } from '../../storage/alerts/alert-recipients.ts'
import {
  type AlertStateRow,
  deleteAlertStates,
  type TriggeringResult,
  upsertAlertStates,
} from '../../storage/alerts/alert-states.ts'
import {
  type AlertRow,
  insertAlerts,
  insertNotifications,
  type NotificationRow,
} from '../../storage/alerts/alert-writes.ts'
import { deleteWaitingReminders } from '../../storage/alerts/notification-queue.ts'
import { afterCommit } from '../../storage/core/after-commit.ts'
import type { Client } from '../../storage/core/transaction.ts'
import type { AlertState } from './alert-state.ts'
import { applyAutomationRules } from './automation-rules.ts'
import type { DecidedAlert, Decision } from './decide.ts'
import { openTriggeredIncidents, resolveTriggeredIncidents } from './incidents.ts'
import { notificationOf, readChannels } from './notification-rows.ts'
import { recipientsOf } from './recipients.ts'

/** How long an alert waits for its automatic analysis. */
const analysisMs = 3_000

export interface CheckDecision {
  policy: AlertPolicy
  before: AlertStateRow | null
  /** False: `before` was derived from the last alert. */
  isStored: boolean
  decision: Decision
  lead: TriggeringResult
}

export async function writeDecisions(
  client: Client,
  decisions: readonly CheckDecision[],
  now: number,
): Promise<void> {
  const alerts = decisions.flatMap((decided) => alertRowOf(decided, now))
  const alertIds = new Map(
    alerts.flatMap(({ checkId, id, heldBy }) => (heldBy === null ? [[checkId, id]] : [])),
  )
  await writeStates(client, decisions, alertIds)
  await insertAlerts(client, alerts, now)
  await insertNotifications(client, await reminderNotifications(client, decisions, now), now)
  await syncIncidents(client, decisions, now)
  afterCommit(client, () => {
    for (const { alertType } of alerts) metrics.alertsDecided.add(1, { type: alertType })
  })
}

function alertRowOf({ policy, before, decision, lead }: CheckDecision, now: number): AlertRow[] {
  const { alert } = decision
  if (alert === null) return []
  const { accountId, checkId, checkType, name } = policy
  return [
    {
      id: timeOrderedId(now),
      accountId,
      checkId,
      checkType,
      alertType: alert.type,
      kind: alert.kind,
      heldBy: alert.heldBy,
      name,
      episodeAt: episodeOf(before, decision),
      lead,
      facts: null,
      notifyAt: notifyAtOf(policy, alert, now),
    },
  ]
}

function notifyAtOf({ isAnalyzed }: AlertPolicy, { kind }: DecidedAlert, now: number): number | null {
  if (kind === null) return null
  return isAnalyzed && kind === 'failure' ? now + analysisMs : now
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
  for (const decided of decisions) {
    const { policy, before, isStored, decision, lead } = decided
    const { accountId, checkId } = policy
    if (decision.state === null || isDerivable(decided)) {
      if (isStored) gone.push(checkId)
      continue
    }
    const alertId = alertIds.get(checkId) ?? before?.alertId ?? null
    kept.push({ ...decision.state, accountId, checkId, alertId, dueAt: decision.dueAt, lead })
  }
  await upsertAlertStates(client, kept)
  await deleteAlertStates(client, gone)
}

/** Whether storage/alerts/derived-alert-states.ts can derive the state from the last sent alert: then it isn't stored. */
function isDerivable({ before, isStored, decision }: CheckDecision): boolean {
  const { state, alert, dueAt } = decision
  if (state === null || dueAt !== null || !state.isNotified || state.settleAt !== null) return false
  if (state.remindAt !== null || state.state === 'passing' || state.rawState !== state.state) return false
  if (alert?.kind === 'failure' || alert?.kind === 'degraded') return true
  return !isStored && before !== null && before.decided === state.decided
}

/** A reminder repeats an alert to the channels that were sent it and are still subscribed. */
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
  const channels = await readChannels(
    client,
    due.map(({ policy }) => policy),
  )
  const alerted = await listAlertedChannels(client, due)
  return due.flatMap(({ policy, before, lead: { resultId }, alertId, reminder, checkId }) => {
    const kind = before.decided === 'failure' ? 'failure' : 'degraded'
    const reached = alerted.get(alertId)
    const { episodeAt } = before
    return recipientsOf(kind, channels.get(checkId) ?? [])
      .filter(({ channelId }) => reached?.has(channelId))
      .map((recipient) =>
        notificationOf({ ...policy, alertId, resultId, episodeAt, kind }, recipient, now, reminder),
      )
  })
}

/** Opens incidents with sent failures, and resolves them with the recovery, even if that alert is silenced. */
async function syncIncidents(
  client: Client,
  decisions: readonly CheckDecision[],
  now: number,
): Promise<void> {
  const failed = decisions.filter(({ decision }) => decision.alert?.kind === 'failure')
  const opened = failed.flatMap(({ policy: { accountId, checkId, triggerIncident: trigger } }) =>
    trigger === null ? [] : [{ accountId, checkId, trigger }],
  )
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
  const withRules = (decided: readonly CheckDecision[]) =>
    decided.map(({ policy }) => policy).filter(({ hasRules }) => hasRules)
  await applyAutomationRules(client, { failed: withRules(failed), ended: withRules(ended) }, now)
}
