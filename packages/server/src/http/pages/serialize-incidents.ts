// Serializes incidents for their own routes and for the status pages that show them.
import type { StatusPageIncident, StatusPageIncidentUpdate, StatusPageService } from '@vedette/contracts'
import type { z } from 'zod'
import { incidentDuration } from '../../analytics/incident-duration.ts'
import { orNotFound } from '../../core/or-not-found.ts'
import type { Db } from '../../storage/core/db.ts'
import { type IncidentUpdateRow, listIncidentUpdates } from '../../storage/pages/incident-updates.ts'
import { type IncidentRow, listIncidentServices } from '../../storage/pages/incidents.ts'
import type { StatusPageServiceRow } from '../../storage/pages/status-page-services.ts'

type SerializedIncident = z.output<typeof StatusPageIncident>
type SerializedUpdate = z.output<typeof StatusPageIncidentUpdate>

export const shownUpdates = 100

/** Two queries for any number of incidents. Incidents that were deleted in between are left out. */
export async function serializeIncidents(
  db: Db,
  accountId: string,
  rows: IncidentRow[],
): Promise<SerializedIncident[]> {
  const ids = [...new Set(rows.map((row) => row.id))]
  const servicesOf = Map.groupBy(await listIncidentServices(db, accountId, ids), (row) => row.incident_id)
  const updatesOf = Map.groupBy(await listIncidentUpdates(db, accountId, ids), (row) => row.incident_id)
  return rows.flatMap((row) => {
    const [latest, ...others] = updatesOf.get(row.id) ?? []
    if (latest === undefined) return []
    return [serializeIncident(row, servicesOf.get(row.id) ?? [], [latest, ...others])]
  })
}

export async function serializeOneIncident(db: Db, row: IncidentRow): Promise<SerializedIncident> {
  const [incident] = await serializeIncidents(db, row.account_id, [row])
  return orNotFound(incident)
}

function serializeIncident(
  row: IncidentRow,
  services: StatusPageServiceRow[],
  updates: [latest: IncidentUpdateRow, ...IncidentUpdateRow[]],
): SerializedIncident {
  const steps = updates.map((update) => ({ status: update.status, at: update.public_incident_update_date }))
  return {
    id: row.id,
    name: row.name,
    severity: row.severity,
    services: services.map(serializeService),
    incidentUpdates: updates.slice(0, shownUpdates).map(serializeIncidentUpdate),
    lastUpdateStatus: updates[0].status,
    duration: incidentDuration(steps.toReversed()),
    postmortem: row.postmortem,
    created_at: row.created_at,
    updated_at: row.updated_at ?? row.created_at,
  }
}

export function serializeIncidentUpdate(row: IncidentUpdateRow): SerializedUpdate {
  return {
    id: row.id,
    description: row.description,
    status: row.status,
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
