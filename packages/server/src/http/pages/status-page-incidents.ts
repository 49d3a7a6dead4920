import {
  ApiError,
  createStatusPageIncident,
  deleteStatusPageIncident,
  getStatusPageIncident,
  listStatusPageIncidents,
  patchStatusPageIncident,
  updateStatusPageIncident,
} from '@vedette/contracts'
import { orNotFound } from '../../core/or-not-found.ts'
import { changeIncident, createIncident } from '../../pages/use-cases/change-incidents.ts'
import { transact } from '../../storage/core/db.ts'
import * as incidents from '../../storage/pages/incidents.ts'
import type { Call } from '../transport/call.ts'
import { readCursor, serializePage } from '../transport/cursor.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { serializeIncidents, serializeOneIncident } from './serialize-incidents.ts'

export function statusPageIncidentRoutes({ store, clock }: Deps): Mounted[] {
  const { db } = store

  const update = ({ account, params, body }: Call<typeof updateStatusPageIncident>) =>
    transact(db, async (tx) =>
      serializeOneIncident(tx, await changeIncident(tx, account.id, params.incidentId, body, clock.now())),
    )

  return [
    handle(listStatusPageIncidents, async ({ account, query }) => {
      const page = await incidents.listIncidents(db, account.id, readCursor(query), query.isOpen)
      return serializePage(page, await serializeIncidents(db, account.id, page.entries))
    }),
    handle(getStatusPageIncident, async ({ account, params }) => {
      return serializeOneIncident(
        db,
        orNotFound(await incidents.findIncident(db, account.id, params.incidentId)),
      )
    }),
    handle(createStatusPageIncident, ({ account, body }) =>
      transact(db, async (tx) =>
        serializeOneIncident(tx, await createIncident(tx, account.id, body, clock.now())),
      ),
    ),
    handle(updateStatusPageIncident, update),
    handle(patchStatusPageIncident, update),
    handle(deleteStatusPageIncident, async ({ account, params }) => {
      if (!(await incidents.deleteIncident(db, account.id, params.incidentId)))
        throw new ApiError('not_found')
    }),
  ]
}
