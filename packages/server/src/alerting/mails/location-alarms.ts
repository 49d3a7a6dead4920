// Tells owners of checks that do not run. In: places in which checks are to run and do not. Out: one alarm per place and
// kind, however many checks it is about, and a mail when it begins and when it is over. Safe in several servers at once.

import { locationName } from '../../location-text.ts'
import { readAlarmAudience } from '../../storage/alarm-recipients.ts'
import type { Pool } from '../../storage/db.ts'
import { listOverdueLocations, listUnservedLocations } from '../../storage/idle-locations.ts'
import {
  type IdleLocation,
  insertAlarm,
  type LocationAlarmFacts,
  listOpenAlarms,
  lockLocationAlarms,
  type OpenAlarm,
  resolveAlarm,
  updateAlarm,
} from '../../storage/location-alarms.ts'
import { insertMails } from '../../storage/mails.ts'
import { steadySince } from '../../storage/servers.ts'
import { type Client, inTransaction } from '../../storage/transaction.ts'

const minute = 60_000
/** An agent may be away for so long: a restart, an upgrade, a cut line. */
const absentMs = 10 * minute
/** To be caught up with what came late, by whoever's fault. */
const marginMs = 5 * minute

/** One turn; returns how many alarms it opened and resolved. */
export function raiseLocationAlarms(pool: Pool, now: number): Promise<number> {
  return inTransaction(pool, async (client) => {
    if (!(await lockLocationAlarms(client))) return 0
    const steady = await steadySince(client, now)
    // Agents come back and runs are caught up: what is late now says nothing.
    if (steady !== null && now - steady < marginMs) return 0
    const found = [
      ...(await listUnservedLocations(client, { now, absentMs })),
      ...(await listOverdueLocations(client, { now, absentMs, marginMs })),
    ]
    return compare(client, found, await listOpenAlarms(client), now)
  })
}

async function compare(
  client: Client,
  found: readonly IdleLocation[],
  open: readonly OpenAlarm[],
  now: number,
): Promise<number> {
  const openByKey = new Map(open.map((alarm) => [keyOf(alarm), alarm]))
  let changes = 0
  for (const idle of found) {
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

function keyOf({ accountId, place, kind }: Pick<OpenAlarm, 'accountId' | 'place' | 'kind'>): string {
  return `${accountId} ${place} ${kind}`
}

async function keepUpToDate(client: Client, alarm: OpenAlarm, idle: IdleLocation): Promise<void> {
  const said = ({ checkCount, checks, unservedTypes }: OpenAlarm | IdleLocation) =>
    JSON.stringify([checkCount, checks, unservedTypes])
  if (said(alarm) !== said(idle)) await updateAlarm(client, alarm.id, idle)
}

async function openAlarm(client: Client, idle: IdleLocation, now: number): Promise<boolean> {
  const alarm = await insertAlarm(client, idle, now)
  if (alarm === null) return false
  await mailOwners(client, alarm, now, null)
  return true
}

async function endAlarm(client: Client, alarm: OpenAlarm, now: number): Promise<boolean> {
  if (!(await resolveAlarm(client, alarm.id, now))) return false
  await mailOwners(client, alarm, now, new Date(now).toISOString())
  return true
}

async function mailOwners(
  client: Client,
  alarm: OpenAlarm,
  now: number,
  resolvedAt: string | null,
): Promise<void> {
  const { id: alarmId, accountId, place, kind, location, checkCount, checks, unservedTypes, openedAt } = alarm
  const audience = await readAlarmAudience(client, accountId, place)
  const { account, isPrivate, isAssigned, recipients } = audience
  const facts: LocationAlarmFacts = {
    ...{
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
    },
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
}
