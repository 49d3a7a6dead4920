import {
  createStatusPageIncidentUpdate,
  deleteStatusPageIncidentUpdate,
  getStatusPageIncidentUpdate,
  listStatusPageIncidentUpdates,
  updateStatusPageIncidentUpdate,
} from '@vedette/contracts'
import { orNotFound } from '../../core/or-not-found.ts'
import {
  addIncidentUpdate,
  changeIncidentUpdate,
  deleteIncidentUpdate,
} from '../../pages/use-cases/change-incidents.ts'
import { transact } from '../../storage/core/db.ts'
import * as updates from '../../storage/pages/incident-updates.ts'
import { findIncident } from '../../storage/pages/incidents.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { serializeIncidentUpdate, shownUpdates } from './serialize-incidents.ts'

export function statusPageIncidentUpdateRoutes({ store, clock }: Deps): Mounted[] {
  const { db } = store

  return [
    handle(listStatusPageIncidentUpdates, async ({ account, params }) => {
      const incident = orNotFound(await findIncident(db, account.id, params.incidentId))
      const rows = await updates.listIncidentUpdates(db, account.id, [incident.id])
      return rows.slice(0, shownUpdates).map(serializeIncidentUpdate)
    }),
    handle(getStatusPageIncidentUpdate, async ({ account, params }) => {
      const { incidentId, incidentUpdateId } = params
      return serializeIncidentUpdate(
        orNotFound(await updates.findIncidentUpdate(db, account.id, incidentId, incidentUpdateId)),
      )
    }),
    handle(createStatusPageIncidentUpdate, async ({ account, params, body }) => {
      const row = await transact(db, (tx) =>
        addIncidentUpdate(tx, account.id, params.incidentId, body, clock.now()),
      )
      return serializeIncidentUpdate(row)
    }),
    handle(updateStatusPageIncidentUpdate, async ({ account, params, body }) => {
      const row = await transact(db, (tx) => changeIncidentUpdate(tx, account.id, params, body, clock.now()))
      return serializeIncidentUpdate(row)
    }),
    handle(deleteStatusPageIncidentUpdate, ({ account, params }) =>
      transact(db, (tx) => deleteIncidentUpdate(tx, account.id, params, clock.now())),
    ),
  ]
}
