// Incidents as the API shows them: on their own routes, and with the status pages they touch.
import type { StatusPageIncident, StatusPageIncidentUpdate, StatusPageService } from '@vedette/contracts'
import type { z } from 'zod'
import { incidentDuration } from '../../analytics/incident-duration.ts'
import type { Db } from '../../storage/core/db.ts'
import { type IncidentUpdateRow, listIncidentUpdates } from '../../storage/pages/incident-updates.ts'
import { type IncidentRow, listIncidentServices } from '../../storage/pages/incidents.ts'
import type { StatusPageServiceRow } from '../../storage/pages/status-page-services.ts'

type IncidentPresented = z.output<typeof StatusPageIncident>
type UpdatePresented = z.output<typeof StatusPageIncidentUpdate>

export const shownUpdates = 100

/** Two queries whatever the number of incidents. One that was deleted in between is left out. */
export async function serializeIncidents(
  db: Db,
  accountId: string,
  rows: IncidentRow[],
): Promise<IncidentPresented[]> {
  const ids = [...new Set(rows.map((row) => row.id))]
  const servicesOf = Map.groupBy(await listIncidentServices(db, accountId, ids), (row) => row.incident_id)
  const updatesOf = Map.groupBy(await listIncidentUpdates(db, accountId, ids), (row) => row.incident_id)
  return rows.flatMap((row) => {
    const own = updatesOf.get(row.id)
    return own === undefined ? [] : [serializeIncident(row, servicesOf.get(row.id) ?? [], own)]
  })
}

function serializeIncident(
  row: IncidentRow,
  services: StatusPageServiceRow[],
  updates: IncidentUpdateRow[],
): IncidentPresented {
  const steps = updates.map((update) => ({ status: update.status, at: update.public_incident_update_date }))
  return {
    id: row.id,
    name: row.name,
    severity: row.severity as IncidentPresented['severity'],
    services: services.map(serializeService),
    incidentUpdates: updates.slice(0, shownUpdates).map(serializeIncidentUpdate),
    lastUpdateStatus: updates[0]?.status as IncidentPresented['lastUpdateStatus'],
    duration: incidentDuration(steps.toReversed()),
    created_at: row.created_at,
    updated_at: row.updated_at ?? row.created_at,
  }
}

export function serializeIncidentUpdate(row: IncidentUpdateRow): UpdatePresented {
  return {
    id: row.id,
    description: row.description,
    status: row.status as UpdatePresented['status'],
    publicIncidentUpdateDate: row.public_incident_update_date,
    notifySubscribers: row.notify_subscribers,
    created_at: row.created_at,
  }
}

export function serializeService(row: StatusPageServiceRow): z.output<typeof StatusPageService> {
  return {
    id: row.id,
    name: row.name,
    accountId: row.account_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}
