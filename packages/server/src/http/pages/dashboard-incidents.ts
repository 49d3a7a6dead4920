import {
  ApiError,
  createDashboardIncident,
  createDashboardIncidentUpdate,
  type DashboardIncident,
  type DashboardIncidentUpdate,
  deleteDashboardIncident,
  deleteDashboardIncidentUpdate,
  getDashboardIncident,
  listDashboardIncidents,
  updateDashboardIncident,
  updateDashboardIncidentUpdate,
} from '@vedette/contracts'
import type { z } from 'zod'
import { orNotFound } from '../../core/or-not-found.ts'
import {
  addIncidentUpdate,
  changeIncident,
  createIncident,
} from '../../pages/use-cases/change-dashboard-incidents.ts'
import { type Db, transact } from '../../storage/core/db.ts'
import * as incidents from '../../storage/pages/dashboard-incidents.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'

type SerializedIncident = z.output<typeof DashboardIncident>
type SerializedUpdate = z.output<typeof DashboardIncidentUpdate>

const allUpdates = 10_000

export function dashboardIncidentRoutes({ store, clock }: Deps): Mounted[] {
  const { db } = store
  return [
    handle(listDashboardIncidents, async ({ account, query }) => {
      const { items, total } = await incidents.listDashboardIncidents(
        db,
        account.id,
        query,
        query.dashboardId,
      )
      const updates = await incidents.listLatestUpdates(
        db,
        account.id,
        items.map(({ id }) => id),
      )
      const updatesOf = Map.groupBy(updates, (update) => update.incident_id)
      return { items: items.map((row) => serializeIncident(row, updatesOf.get(row.id) ?? [])), total }
    }),
    handle(createDashboardIncident, async ({ account, body }) => {
      const { row, update } = await transact(db, (tx) =>
        createIncident(tx, account.id, body, new Date(clock.now())),
      )
      return serializeIncident(row, [update])
    }),
    handle(getDashboardIncident, async ({ account, params, query }) => {
      const row = orNotFound(await incidents.findDashboardIncident(db, account.id, params.id))
      return serializeWithUpdates(db, row, query.includeAllIncidentUpdates ? allUpdates : 1)
    }),
    handle(updateDashboardIncident, ({ account, params, body }) =>
      transact(db, async (tx) => {
        const row = await changeIncident(tx, account.id, params.id, body, new Date(clock.now()))
        return serializeWithUpdates(tx, row, 1)
      }),
    ),
    handle(deleteDashboardIncident, async ({ account, params }) => {
      if (!(await incidents.deleteDashboardIncident(db, account.id, params.id)))
        throw new ApiError('not_found')
    }),
    handle(createDashboardIncidentUpdate, async ({ account, params, body }) => {
      const row = await transact(db, (tx) =>
        addIncidentUpdate(tx, account.id, params.incidentId, body, new Date(clock.now())),
      )
      return { ...serializeUpdate(row), incidentId: row.incident_id }
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
