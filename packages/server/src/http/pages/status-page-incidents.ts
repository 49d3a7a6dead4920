import { randomUUID } from 'node:crypto'
import {
  ApiError,
  createStatusPageIncident,
  deleteStatusPageIncident,
  getStatusPageIncident,
  instantOf,
  listStatusPageIncidents,
  patchStatusPageIncident,
  updateStatusPageIncident,
} from '@vedette/contracts'
import { type Db, transact } from '../../storage/core/db.ts'
import { clientOf } from '../../storage/core/transaction.ts'
import { insertIncidentUpdate } from '../../storage/pages/incident-updates.ts'
import * as incidents from '../../storage/pages/incidents.ts'
import { insertIncidentMails } from '../../storage/pages/subscriber-mails.ts'
import { readCursor, serializePage } from '../transport/cursor.ts'
import type { Deps } from '../transport/deps.ts'
import { type Call, handle, type Mounted, orNotFound } from '../transport/mount.ts'
import { requireServices } from './require-services.ts'
import { serializeIncidents } from './serialize-incidents.ts'

export function statusPageIncidentRoutes({ store, clock }: Deps): Mounted[] {
  const { db } = store

  async function update({ account, params, body }: Call<typeof updateStatusPageIncident>) {
    const { name, severity, services } = body
    return transact(db, async (tx) => {
      orNotFound(await incidents.lockIncident(tx, account.id, params.incidentId))
      if (services !== undefined) await replaceServices(tx, account.id, params.incidentId, services)
      const values = { name, severity, updated_at: new Date(clock.now()) }
      const row = await incidents.updateIncident(tx, account.id, params.incidentId, values)
      return serializeOne(tx, orNotFound(row))
    })
  }

  return [
    handle(listStatusPageIncidents, async ({ account, query }) => {
      const page = await incidents.listIncidents(db, account.id, readCursor(query))
      return serializePage(page, await serializeIncidents(db, account.id, page.entries))
    }),
    handle(getStatusPageIncident, async ({ account, params }) => {
      return serializeOne(db, orNotFound(await incidents.findIncident(db, account.id, params.incidentId)))
    }),
    handle(createStatusPageIncident, async ({ account, body }) => {
      const now = new Date(clock.now())
      const {
        description,
        status,
        publicIncidentUpdateDate: date,
        notifySubscribers,
      } = orNotFound(body.incidentUpdates[0])
      return transact(db, async (tx) => {
        const values = { id: randomUUID(), account_id: account.id, name: body.name, severity: body.severity }
        const row = await incidents.insertIncident(tx, values)
        await replaceServices(tx, account.id, row.id, body.services)
        const update = {
          id: randomUUID(),
          account_id: account.id,
          incident_id: row.id,
          description,
          status,
          public_incident_update_date: date === undefined ? now : instantOf(date),
          notify_subscribers: notifySubscribers,
        }
        await insertIncidentUpdate(tx, update, now)
        await insertIncidentMails(clientOf(tx), [{ accountId: account.id, id: update.id }], now.getTime())
        return serializeOne(tx, row)
      })
    }),
    handle(updateStatusPageIncident, update),
    handle(patchStatusPageIncident, update),
    handle(deleteStatusPageIncident, async ({ account, params }) => {
      if (!(await incidents.deleteIncident(db, account.id, params.incidentId)))
        throw new ApiError('not_found')
    }),
  ]
}

async function replaceServices(tx: Db, accountId: string, incidentId: string, services: { id: string }[]) {
  const mentions = services.map(({ id }, index) => ({ id, path: ['services', index, 'id'] }))
  await requireServices(tx, accountId, mentions)
  const ids = services.map(({ id }) => id)
  await incidents.replaceIncidentServices(tx, accountId, incidentId, ids)
}

async function serializeOne(db: Db, row: incidents.IncidentRow) {
  const [incident] = await serializeIncidents(db, row.account_id, [row])
  return orNotFound(incident)
}
