import { randomUUID } from 'node:crypto'
import {
  ApiError,
  createStatusPageIncidentUpdate,
  deleteStatusPageIncidentUpdate,
  getStatusPageIncidentUpdate,
  instantOf,
  listStatusPageIncidentUpdates,
  updateStatusPageIncidentUpdate,
} from '@vedette/contracts'
import { type Db, transact } from '../../storage/core/db.ts'
import { clientOf } from '../../storage/core/transaction.ts'
import * as updates from '../../storage/pages/incident-updates.ts'
import { findIncident, lockIncident, updateIncident } from '../../storage/pages/incidents.ts'
import { insertIncidentMails } from '../../storage/pages/subscriber-mails.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted, orNotFound } from '../transport/mount.ts'
import { serializeIncidentUpdate, shownUpdates } from './serialize-incidents.ts'

export function statusPageIncidentUpdateRoutes({ store, clock }: Deps): Mounted[] {
  const { db } = store

  /** Locks the incident, so that its updates change one at a time, and sets its `updated_at`. */
  async function change<T>(
    accountId: string,
    incidentId: string,
    run: (tx: Db, now: Date) => Promise<T>,
  ): Promise<T> {
    const now = new Date(clock.now())
    return transact(db, async (tx) => {
      orNotFound(await lockIncident(tx, accountId, incidentId))
      const result = await run(tx, now)
      await updateIncident(tx, accountId, incidentId, { updated_at: now })
      return result
    })
  }

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
      return change(account.id, params.incidentId, async (tx, now) => {
        const values = {
          id: randomUUID(),
          account_id: account.id,
          incident_id: params.incidentId,
          public_incident_update_date: now,
          ...columnsOf(body),
        }
        const row = await updates.insertIncidentUpdate(tx, values, now)
        // Only new updates notify subscribers; edits don't.
        await insertIncidentMails(clientOf(tx), [{ accountId: account.id, id: row.id }], now.getTime())
        return serializeIncidentUpdate(row)
      })
    }),
    handle(updateStatusPageIncidentUpdate, async ({ account, params, body }) => {
      const { incidentId, incidentUpdateId } = params
      return change(account.id, incidentId, async (tx) => {
        const before = orNotFound(
          await updates.findIncidentUpdate(tx, account.id, incidentId, incidentUpdateId),
        )
        const values = { ...before, ...columnsOf({ ...serializeIncidentUpdate(before), ...body }) }
        const row = await updates.updateIncidentUpdate(tx, account.id, incidentUpdateId, values)
        return serializeIncidentUpdate(orNotFound(row))
      })
    }),
    handle(deleteStatusPageIncidentUpdate, async ({ account, params }) => {
      const { incidentId, incidentUpdateId } = params
      await change(account.id, incidentId, async (tx) => {
        orNotFound(await updates.findIncidentUpdate(tx, account.id, incidentId, incidentUpdateId))
        if ((await updates.countIncidentUpdates(tx, account.id, incidentId)) === 1) {
          throw new ApiError('conflict', {
            message: 'An incident keeps at least one update: delete the incident instead.',
          })
        }
        await updates.deleteIncidentUpdate(tx, account.id, incidentUpdateId)
      })
    }),
  ]
}

interface UpdateValues {
  description: string
  status: string
  publicIncidentUpdateDate?: string | undefined
  notifySubscribers: boolean
}

function columnsOf({ description, status, publicIncidentUpdateDate, notifySubscribers }: UpdateValues) {
  return {
    description,
    status,
    notify_subscribers: notifySubscribers,
    ...(publicIncidentUpdateDate === undefined
      ? {}
      : { public_incident_update_date: instantOf(publicIncidentUpdateDate) }),
  }
}
