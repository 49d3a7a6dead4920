// Notifies owners of checks that don't run. In: locations in which checks are due and don't run. Out: one alarm per location
// and kind, however many checks it is about, and a notification when it begins and when it is over: an email to owners and
// admins, and a message to the channels of `agentAlarmChannelIds`. Safe in several servers at once.

import { type AlarmCause, minuteMs } from '@vedette/contracts'
import { locationName } from '../../core/location-text.ts'
import { readAlarmAudience } from '../../storage/alerts/alarm-recipients.ts'
import {
  type IdleLocation,
  insertAlarm,
  type LocationAlarmFacts,
  listOpenAlarms,
  lockLocationAlarms,
  type OpenAlarm,
  resolveAlarm,
  updateAlarm,
} from '../../storage/alerts/location-alarms.ts'
import { insertMails } from '../../storage/alerts/mails.ts'
import {
  insertAlarmNotifications,
  insertEndNotifications,
  listNotifiedChannels,
  readAlarmSettings,
} from '../../storage/alerts/unknown-alarms.ts'
import type { Pool } from '../../storage/core/db.ts'
import { type Client, inTransaction } from '../../storage/core/transaction.ts'
import { listOverdueLocations, listUnservedLocations } from '../../storage/runs/idle-locations.ts'
import { steadySince } from '../../storage/runs/servers.ts'

/** Tolerated absence of an agent: a restart, an upgrade, a network failure. */
const absentMs = 10 * minuteMs
/** Time to catch up with late runs. */
const marginMs = 5 * minuteMs

/** One turn; returns how many alarms it opened and resolved. */
export function raiseLocationAlarms(pool: Pool, now: number): Promise<number> {
  return inTransaction(pool, async (client) => {
    if (!(await lockLocationAlarms(client))) return 0
    const steady = await steadySince(client, now)
    // Agents reconnect and runs catch up, so lateness doesn't count yet.
    if (steady !== null && now - steady < marginMs) return 0
    const idle = [
      ...(await listUnservedLocations(client, { now, absentMs })),
      ...(await listOverdueLocations(client, { now, absentMs, marginMs })),
    ]
    return syncAlarms(client, idle, await listOpenAlarms(client), now)
  })
}

async function syncAlarms(
  client: Client,
  locations: readonly IdleLocation[],
  open: readonly OpenAlarm[],
  now: number,
): Promise<number> {
  const openByKey = new Map(open.map((alarm) => [keyOf(alarm), alarm]))
  let changes = 0
  for (const idle of locations) {
    const alarm = openByKey.get(keyOf(idle))
    openByKey.delete(keyOf(idle))
    if (alarm !== undefined) await keepUpToDate(client, alarm, idle)
    else if (idle.isDue && (await openAlarm(client, idle, now))) changes += 1
  }
  for (const alarm of openByKey.values()) {
    if (await endAlarm(client, alarm, now)) changes += 1
  }
  return changes
}

function keyOf({
  accountId,
  locationKey,
  kind,
}: Pick<OpenAlarm, 'accountId' | 'locationKey' | 'kind'>): string {
  return `${accountId} ${locationKey} ${kind}`
}

async function keepUpToDate(client: Client, alarm: OpenAlarm, idle: IdleLocation): Promise<void> {
  const shown = ({ checkCount, checks, unservedTypes }: OpenAlarm | IdleLocation) =>
    JSON.stringify([checkCount, checks, unservedTypes])
  if (shown(alarm) !== shown(idle)) await updateAlarm(client, alarm.id, idle)
}

async function openAlarm(client: Client, idle: IdleLocation, now: number): Promise<boolean> {
  const alarm = await insertAlarm(client, idle, now)
  if (alarm === null) return false
  const { locationName } = await mailOwners(client, alarm, now, null)
  await notifyChannels(client, idle, alarm, locationName, now)
  return true
}

async function endAlarm(client: Client, alarm: OpenAlarm, now: number): Promise<boolean> {
  if (!(await resolveAlarm(client, alarm.id, now))) return false
  const { end } = await mailOwners(client, alarm, now, new Date(now).toISOString())
  await insertEndNotifications(client, alarm.id, end === 'unassigned' ? 'unassigned' : 'resumed', now)
  return true
}

/** Channels that were notified of the same checks because their state is unknown get no second message. */
async function notifyChannels(
  client: Client,
  { leadCheckId, leadCheckType }: IdleLocation,
  alarm: OpenAlarm,
  locationName: string,
  now: number,
): Promise<void> {
  const { accountId, location, checkCount, checks, unservedTypes, kind } = alarm
  const settings = (await readAlarmSettings(client, [accountId])).get(accountId)
  if (settings === undefined || settings.channels.length === 0) return
  const cause: AlarmCause =
    kind === 'no_agent' ? kind : unservedTypes.length > 0 ? 'unserved_type' : 'overdue'
  const notified = await listNotifiedChannels(client, { accountId, location, cause })
  const facts = {
    accountName: settings.accountName,
    description: null,
    groupId: null,
    groupName: null,
    tags: [],
    alarm: {
      cause,
      locations: [locationName],
      leadCheckId,
      checkCount,
      checks,
      isLocationOnly: true,
      openedAt: new Date(alarm.openedAt).toISOString(),
      resolvedAt: null,
    },
  }
  const notifications = settings.channels
    .filter(({ channelId }) => !notified.has(channelId))
    .map((channel) => ({ ...channel, leadCheckId, checkType: leadCheckType, facts }))
  await insertAlarmNotifications(client, alarm, notifications, now)
}

async function mailOwners(
  client: Client,
  alarm: OpenAlarm,
  now: number,
  resolvedAt: string | null,
): Promise<LocationAlarmFacts> {
  const {
    id: alarmId,
    accountId,
    locationKey,
    kind,
    location,
    checkCount,
    checks,
    unservedTypes,
    openedAt,
  } = alarm
  const audience = await readAlarmAudience(client, accountId, locationKey)
  const { account, isPrivate, isAssigned, recipients } = audience
  const facts: LocationAlarmFacts = {
    alarmId,
    kind,
    location,
    account,
    isPrivate,
    checkCount,
    checks,
    unservedTypes,
    openedAt,
    resolvedAt,
    locationName: isPrivate ? audience.locationName : locationName(location),
    end: resolvedAt === null ? null : isAssigned ? 'served' : 'unassigned',
  }
  const mails = recipients.map((recipient) => ({
    accountId,
    kind: 'location_alarm' as const,
    recipient,
    facts,
  }))
  await insertMails(client, mails, now)
  return facts
}
