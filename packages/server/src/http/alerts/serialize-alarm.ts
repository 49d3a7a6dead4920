import type { LocationAlarm } from '@vedette/contracts'
import type { z } from 'zod'
import type { LocationAlarmRow } from '../../storage/alerts/location-alarms.ts'

const maxListedIds = 1000

export function serializeAlarm(row: LocationAlarmRow): z.output<typeof LocationAlarm> {
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
