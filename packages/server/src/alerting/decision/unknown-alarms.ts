// Notifies alert channels of checks that no agent runs. In: checks whose state is unknown. Out: one alarm per cause for all
// its checks, one message per channel, and one when runs resume. Rows are the source of truth, so several servers may do this.

import { deriveStates, readCheckStates, type StatedCheck } from '../../states/read-check-states.ts'
import type { LocatedCause } from '../../states/unknown-cause.ts'
import type { AlarmEnd } from '../../storage/alerts/alert-writes.ts'
import { readCheckFacts } from '../../storage/alerts/check-facts.ts'
import {
  type AlarmNotification,
  type AlarmSettings,
  insertAlarmNotifications,
  insertUnknownAlarm,
  listOpenUnknownAlarms,
  lockUnknownAlarms,
  readAlarmSettings,
  resolveUnknownAlarm,
  type UnknownAlarm,
  updateUnknownAlarm,
} from '../../storage/alerts/unknown-alarms.ts'
import { listSilencedChecks } from '../../storage/checks/maintenance.ts'
import type { Pool } from '../../storage/core/db.ts'
import { type Client, inTransaction } from '../../storage/core/transaction.ts'
import { listOverdueFacts } from '../../storage/results/state-facts.ts'
import { type Outage, steadySince } from '../../storage/runs/servers.ts'
import { readChannels } from './notification-rows.ts'

type UnservedCheck = StatedCheck & { cause: LocatedCause }

/** One turn; returns how many alarms it opened and resolved. */
export function raiseUnknownAlarms(pool: Pool, now: number): Promise<number> {
  return inTransaction(pool, async (client) => {
    if (!(await lockUnknownAlarms(client))) return 0
    const steady = (await steadySince(client, now)) ?? 0
    const unserved = (await listNotifiable(client, now)).filter(({ cause }) => cause.kind !== 'server_outage')
    const groups = Map.groupBy(unserved, keyOf)
    const open = new Map(
      (await listOpenUnknownAlarms(client)).map((alarm) => [`${alarm.accountId} ${alarm.key}`, alarm]),
    )
    const settings = await readAlarmSettings(client, [...new Set(unserved.map(({ row }) => row.accountId))])
    let changes = 0
    for (const [key, group] of groups) {
      const alarm = open.get(key) ?? null
      open.delete(key)
      const ofAccount = settings.get(group[0]?.row.accountId ?? '')
      if (ofAccount === undefined) continue
      // After an outage agents need a moment to reconnect: their absence counts from then on.
      const isDue = group.some(({ state }) => {
        const since = Math.max(Date.parse(state.since), state.overdueSince ?? now, steady)
        return now - since >= ofAccount.notifyAfterMs
      })
      // The message lists all checks of the cause, due or not: otherwise they would follow one by one.
      if (isDue && (await notifyOf(client, group, alarm, ofAccount, now))) changes += 1
    }
    for (const alarm of open.values()) {
      const end = await endOf(client, alarm, now)
      if (end !== null && (await resolveUnknownAlarm(client, alarm.id, end, now))) changes += 1
    }
    return changes
  })
}

/** Notifies of checks that were unknown for long enough during an outage, in the transaction that records it. */
export async function raiseOutageAlarms(client: Client, outage: Outage): Promise<void> {
  const now = outage.to
  const checks = (await listNotifiable(client, now)).filter(({ cause }) => cause.kind === 'server_outage')
  const settings = await readAlarmSettings(client, [...new Set(checks.map(({ row }) => row.accountId))])
  for (const [accountId, group] of Map.groupBy(checks, ({ row }) => row.accountId)) {
    const ofAccount = settings.get(accountId)
    if (ofAccount === undefined) continue
    const due = group.filter(({ state }) => now - Date.parse(state.since) >= ofAccount.notifyAfterMs)
    if (due.length > 0) await notifyOf(client, due, null, ofAccount, now)
  }
}

/** Checks that no agent runs and that are neither muted nor silenced. */
async function listNotifiable(client: Client, now: number): Promise<UnservedCheck[]> {
  const rows = (await listOverdueFacts(client, now)).filter(({ isMuted }) => !isMuted)
  const unknown = (await deriveStates(client, rows, now)).flatMap(({ cause, ...check }): UnservedCheck[] => {
    const { state, overdueSince } = check.state
    return state === 'unknown' && overdueSince !== null && cause !== null ? [{ ...check, cause }] : []
  })
  const keys = unknown.map(({ row }) => ({ accountId: row.accountId, checkId: row.id }))
  const silenced = await listSilencedChecks(client, keys, now)
  return unknown.filter(({ row }) => !silenced.has(row.id))
}

function keyOf({ row, cause }: UnservedCheck): string {
  return `${row.accountId} ${cause.kind} ${cause.locationKey}`
}

/** Returns whether an alarm was opened. Channels of checks that join an open alarm get their message then. */
async function notifyOf(
  client: Client,
  due: readonly UnservedCheck[],
  open: UnknownAlarm | null,
  settings: AlarmSettings,
  now: number,
): Promise<boolean> {
  const known = new Set(open?.checkIds)
  if (open !== null && due.every(({ row }) => known.has(row.id))) return false
  const [first] = due
  if (first === undefined) return false
  const values = valuesOf(due)
  const { accountId } = settings
  const { kind, locationKey } = first.cause
  const alarm =
    open ??
    (await insertUnknownAlarm(client, {
      ...values,
      accountId,
      key: `${kind} ${locationKey}`,
      cause: kind,
      openedAt: now,
    }))
  if (alarm === null) return false
  const checkIds = [...new Set([...alarm.checkIds, ...values.checkIds])]
  if (open !== null) await updateUnknownAlarm(client, alarm.id, { ...values, checkIds })
  await insertAlarmNotifications(client, alarm, await messagesOf(client, due, alarm, settings), now)
  return open === null
}

function valuesOf(checks: readonly UnservedCheck[]) {
  const types = checks.flatMap(({ row, cause }) => (cause.kind === 'unserved_type' ? [row.checkType] : []))
  return {
    location: [...new Set(checks.flatMap(({ cause }) => cause.locationIds))].sort().join(', '),
    checkIds: checks.map(({ row }) => row.id),
    checkNames: checks.slice(0, 10).map(({ row }) => row.name),
    unservedTypes: [...new Set(types)],
  }
}

const maxListed = 200

/** One per channel, with the checks that it is subscribed to; the selected channels get all. */
async function messagesOf(
  client: Client,
  checks: readonly UnservedCheck[],
  alarm: UnknownAlarm,
  { accountName, channels: selected }: AlarmSettings,
): Promise<AlarmNotification[]> {
  const facts = await readCheckFacts(
    client,
    checks.map(({ row }) => row.id),
  )
  const subscribed = await readChannels(client, [...facts.values()])
  const byChannel = new Map<number, { type: string; checks: UnservedCheck[] }>()
  for (const check of checks) {
    for (const { channelId, type, sendFailure } of subscribed.get(check.row.id) ?? []) {
      if (!sendFailure) continue
      const entry = byChannel.get(channelId) ?? { type, checks: [] }
      entry.checks.push(check)
      byChannel.set(channelId, entry)
    }
  }
  for (const { channelId, type } of selected) byChannel.set(channelId, { type, checks: [...checks] })
  return [...byChannel].flatMap(([channelId, { type, checks: listed }]) => {
    const [lead] = listed
    if (lead === undefined) return []
    const { id: leadCheckId, checkType } = lead.row
    const facts = {
      accountName,
      description: null,
      groupId: null,
      groupName: null,
      tags: [],
      alarm: {
        cause: alarm.cause,
        locations: [...new Set(listed.flatMap(({ cause }) => cause.locations))].sort(),
        leadCheckId,
        checkCount: listed.length,
        checks: listed.slice(0, maxListed).map(({ row }) => row.name),
        openedAt: new Date(alarm.openedAt).toISOString(),
        resolvedAt: null,
      },
    }
    return [{ channelId, type, leadCheckId, checkType, facts }]
  })
}

/** Why the alarm is over: one of its checks has run since, or none of them is unknown now. Null: it stays open. */
async function endOf(client: Client, alarm: UnknownAlarm, now: number): Promise<AlarmEnd | null> {
  const which = { accountId: alarm.accountId, checkIds: alarm.checkIds }
  const checks = await readCheckStates(client, which, now)
  if (checks.some(({ facts }) => (facts.knownAt ?? 0) > alarm.openedAt)) return 'resumed'
  return checks.every(({ state }) => state.state !== 'unknown') ? 'unassigned' : null
}
