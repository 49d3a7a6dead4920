import { randomUUID } from 'node:crypto'
import {
  ApiError,
  createDashboardIncident,
  createDashboardIncidentUpdate,
  type DashboardIncident,
  type DashboardIncidentUpdate,
  dashboardIncidentIssues,
  deleteDashboardIncident,
  deleteDashboardIncidentUpdate,
  getDashboardIncident,
  instantOf,
  invalidInput,
  updateDashboardIncident,
  updateDashboardIncidentUpdate,
} from '@vedette/contracts'
import type { z } from 'zod'
import { type Db, transact } from '../../storage/core/db.ts'
import * as incidents from '../../storage/pages/dashboard-incidents.ts'
import { holdDashboard } from '../../storage/pages/dashboards.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted, orNotFound } from '../transport/mount.ts'

type SerializedIncident = z.output<typeof DashboardIncident>
type SerializedUpdate = z.output<typeof DashboardIncidentUpdate>

const allUpdates = 10_000

export function dashboardIncidentRoutes({ store, clock }: Deps): Mounted[] {
  const { db } = store
  return [
    handle(createDashboardIncident, async ({ account, body }) => {
      const now = new Date(clock.now())
      const [first] = body.incidentUpdates
      const span = spanOf({ started_at: now, stopped_at: null }, body)
      if (first?.status === 'RESOLVED') span.stoppedAt ??= latest(now, span.startedAt)
      return transact(db, async (tx) => {
        const dashboard = orNotFound(await holdDashboard(tx, account.id, body.dashboardId))
        const row = await incidents.insertDashboardIncident(tx, {
          id: randomUUID(),
          account_id: account.id,
          dashboard_id: dashboard.id,
          name: body.name,
          impact: body.impact,
          started_at: span.startedAt,
          stopped_at: span.stoppedAt,
        })
        const { id: incident_id, account_id } = row
        const update = { id: randomUUID(), account_id, incident_id, ...orNotFound(first) }
        return serializeIncident(row, [await incidents.insertDashboardIncidentUpdate(tx, update, now)])
      })
    }),
    handle(getDashboardIncident, async ({ account, params, query }) => {
      const row = orNotFound(await incidents.findDashboardIncident(db, account.id, params.id))
      return serializeWithUpdates(db, row, query.includeAllIncidentUpdates ? allUpdates : 1)
    }),
    handle(updateDashboardIncident, async ({ account, params, body }) => {
      return transact(db, async (tx) => {
        const before = orNotFound(await incidents.lockDashboardIncident(tx, account.id, params.id))
        const span = spanOf(before, body)
        const row = await incidents.updateDashboardIncident(tx, account.id, params.id, {
          name: body.name ?? before.name,
          impact: body.impact ?? before.impact,
          started_at: span.startedAt,
          stopped_at: span.stoppedAt,
          updated_at: new Date(clock.now()),
        })
        return serializeWithUpdates(tx, orNotFound(row), 1)
      })
    }),
    handle(deleteDashboardIncident, async ({ account, params }) => {
      if (!(await incidents.deleteDashboardIncident(db, account.id, params.id)))
        throw new ApiError('not_found')
    }),
    handle(createDashboardIncidentUpdate, async ({ account, params, body }) => {
      const now = new Date(clock.now())
      return transact(db, async (tx) => {
        const incident = orNotFound(await incidents.lockDashboardIncident(tx, account.id, params.incidentId))
        if (body.status === 'RESOLVED' && incident.stopped_at === null) {
          const stopped_at = latest(now, new Date(incident.started_at))
          await incidents.updateDashboardIncident(tx, account.id, incident.id, {
            stopped_at,
            updated_at: now,
          })
        }
        const update = { id: randomUUID(), account_id: account.id, incident_id: incident.id, ...body }
        const row = await incidents.insertDashboardIncidentUpdate(tx, update, now)
        return { ...serializeUpdate(row), incidentId: incident.id }
      })
    }),
    handle(updateDashboardIncidentUpdate, async ({ account, params, body }) => {
      const values = { ...body, updated_at: new Date(clock.now()) }
      const { incidentId, id } = params
      const row = await incidents.updateDashboardIncidentUpdate(db, account.id, incidentId, id, values)
      return serializeUpdate(orNotFound(row))
    }),
    handle(deleteDashboardIncidentUpdate, async ({ account, params }) => {
      const { incidentId, id } = params
      const deleted = await incidents.deleteDashboardIncidentUpdate(db, account.id, incidentId, id)
      if (!deleted) throw new ApiError('not_found')
    }),
  ]
}

interface Span {
  startedAt: Date
  stoppedAt: Date | null
}

/** The stored times, changed by those that were sent. Refused if the incident would end before it starts. */
function spanOf(
  stored: { started_at: string | Date; stopped_at: string | Date | null },
  sent: { startedAt?: string | undefined; stoppedAt?: string | null | undefined },
): Span {
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

async function serializeWithUpdates(db: Db, row: incidents.DashboardIncidentRow, limit: number) {
  return serializeIncident(
    row,
    await incidents.listDashboardIncidentUpdates(db, row.account_id, row.id, limit),
  )
}

function serializeIncident(
  row: incidents.DashboardIncidentRow,
  updates: incidents.DashboardIncidentUpdateRow[],
): SerializedIncident {
  return {
    id: row.id,
    name: row.name,
    impact: row.impact,
    startedAt: row.started_at,
    stoppedAt: row.stopped_at,
    dashboardId: row.dashboard_id,
    incidentUpdates: updates.map(serializeUpdate),
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}

function serializeUpdate(row: incidents.DashboardIncidentUpdateRow): SerializedUpdate {
  return {
    id: row.id,
    status: row.status,
    description: row.description,
    created_at: row.created_at,
    updated_at: row.updated_at,
  }
}
