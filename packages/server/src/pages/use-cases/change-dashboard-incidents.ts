// Creates and changes incidents of dashboards, in the transaction of the caller.
import { randomUUID } from 'node:crypto'
import {
  type BodyOf,
  type createDashboardIncident,
  type createDashboardIncidentUpdate,
  dashboardIncidentIssues,
  instantOf,
  invalidInput,
  type updateDashboardIncident,
} from '@vedette/contracts'
import { orNotFound } from '../../core/or-not-found.ts'
import type { Db } from '../../storage/core/db.ts'
import * as incidents from '../../storage/pages/dashboard-incidents.ts'
import { holdDashboard } from '../../storage/pages/dashboards.ts'

/** With its first update; an incident that starts as resolved is over at once. */
export async function createIncident(
  tx: Db,
  accountId: string,
  input: BodyOf<typeof createDashboardIncident>,
  now: Date,
) {
  const first = orNotFound(input.incidentUpdates[0])
  const span = spanOf({ started_at: now, stopped_at: null }, input)
  if (first.status === 'RESOLVED') span.stoppedAt ??= latest(now, span.startedAt)
  const dashboard = orNotFound(await holdDashboard(tx, accountId, input.dashboardId))
  const row = await incidents.insertDashboardIncident(tx, {
    id: randomUUID(),
    account_id: accountId,
    dashboard_id: dashboard.id,
    name: input.name,
    impact: input.impact,
    started_at: span.startedAt,
    stopped_at: span.stoppedAt,
  })
  return { row, update: await insertUpdate(tx, row, first, now) }
}

export async function changeIncident(
  tx: Db,
  accountId: string,
  id: string,
  change: BodyOf<typeof updateDashboardIncident>,
  now: Date,
): Promise<incidents.DashboardIncidentRow> {
  const before = orNotFound(await incidents.lockDashboardIncident(tx, accountId, id))
  const span = spanOf(before, change)
  const row = await incidents.updateDashboardIncident(tx, accountId, id, {
    name: change.name ?? before.name,
    impact: change.impact ?? before.impact,
    started_at: span.startedAt,
    stopped_at: span.stoppedAt,
    updated_at: now,
  })
  return orNotFound(row)
}

/** An update that resolves the incident ends it. */
export async function addIncidentUpdate(
  tx: Db,
  accountId: string,
  incidentId: string,
  input: BodyOf<typeof createDashboardIncidentUpdate>,
  now: Date,
): Promise<incidents.DashboardIncidentUpdateRow> {
  const incident = orNotFound(await incidents.lockDashboardIncident(tx, accountId, incidentId))
  if (input.status === 'RESOLVED' && incident.stopped_at === null) {
    const stopped_at = latest(now, new Date(incident.started_at))
    await incidents.updateDashboardIncident(tx, accountId, incident.id, { stopped_at, updated_at: now })
  }
  return insertUpdate(tx, incident, input, now)
}

function insertUpdate(
  tx: Db,
  { id: incident_id, account_id }: incidents.DashboardIncidentRow,
  input: BodyOf<typeof createDashboardIncidentUpdate>,
  now: Date,
): Promise<incidents.DashboardIncidentUpdateRow> {
  const values = { id: randomUUID(), account_id, incident_id, ...input }
  return incidents.insertDashboardIncidentUpdate(tx, values, now)
}

/** The stored times, changed by those that were sent. Refused if the incident would end before it starts. */
function spanOf(
  stored: { started_at: string | Date; stopped_at: string | Date | null },
  sent: { startedAt?: string | undefined; stoppedAt?: string | null | undefined },
): { startedAt: Date; stoppedAt: Date | null } {
  const span = {
    startedAt: sent.startedAt === undefined ? new Date(stored.started_at) : instantOf(sent.startedAt),
    stoppedAt:
      sent.stoppedAt === undefined ? instantOrNull(stored.stopped_at) : instantOrNull(sent.stoppedAt),
  }
  const issues = dashboardIncidentIssues(span)
  if (issues.length > 0) throw invalidInput(issues)
  return span
}

function instantOrNull(value: string | Date | null): Date | null {
  if (value === null || value instanceof Date) return value
  return instantOf(value)
}

function latest(a: Date, b: Date): Date {
  return a > b ? a : b
}
