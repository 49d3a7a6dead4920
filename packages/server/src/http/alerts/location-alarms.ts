import { type LocationAlarm, listLocationAlarms } from '@vedette/contracts'
import type { z } from 'zod'
import * as alarms from '../../storage/alerts/location-alarms.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

export function locationAlarmRoutes({ store: { db } }: Deps): Mounted[] {
  return [
    handle(listLocationAlarms, async ({ account, query }) => {
      const { items, total } = await alarms.listLocationAlarms(db, account.id, query)
      return { items: items.map(serializeAlarm), total }
    }),
  ]
}

const maxListedIds = 1000

export function serializeAlarm(row: alarms.LocationAlarmRow): z.output<typeof LocationAlarm> {
  const { checks, unservedTypes = [] } = row.facts
  return {
    id: row.id,
    location: row.location,
    kind: row.kind,
    cause: row.cause ?? (row.kind === 'overdue' ? 'overdue' : 'no_agent'),
    checkIds: row.check_ids.slice(0, maxListedIds),
    checkCount: row.check_count,
    checks,
    unservedTypes,
    openedAt: row.opened_at,
    resolvedAt: row.resolved_at,
  }
}
