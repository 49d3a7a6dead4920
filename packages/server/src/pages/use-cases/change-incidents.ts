// Creates and changes incidents of status pages and their updates, in the transaction of the caller.
import { randomUUID } from 'node:crypto'
import {
  ApiError,
  type BodyOf,
  type createStatusPageIncident,
  type createStatusPageIncidentUpdate,
  instantOf,
  invalidInput,
  type updateStatusPageIncident,
  type updateStatusPageIncidentUpdate,
} from '@vedette/contracts'
import { orNotFound } from '../../core/or-not-found.ts'
import type { Db } from '../../storage/core/db.ts'
import { clientOf } from '../../storage/core/transaction.ts'
import { insertIncidentNotices } from '../../storage/pages/incident-notices.ts'
import * as updates from '../../storage/pages/incident-updates.ts'
import * as incidents from '../../storage/pages/incidents.ts'
import { requireServices } from './services.ts'

export async function createIncident(
  tx: Db,
  accountId: string,
  input: BodyOf<typeof createStatusPageIncident>,
  now: number,
): Promise<incidents.IncidentRow> {
  const { name, severity, postmortem = null } = input
  const update = orNotFound(input.incidentUpdates[0])
  if (postmortem !== null) requireResolved(update.status)
  const values = {
    id: randomUUID(),
    account_id: accountId,
    name,
    severity,
    ...postmortemColumns(postmortem, now),
  }
  const row = await incidents.insertIncident(tx, values)
  await replaceServices(tx, accountId, row.id, input.services)
  await insertUpdate(tx, row, update, now)
  return row
}

export async function changeIncident(
  tx: Db,
  accountId: string,
  id: string,
  { name, severity, services, postmortem }: BodyOf<typeof updateStatusPageIncident>,
  now: number,
): Promise<incidents.IncidentRow> {
  const before = orNotFound(await incidents.lockIncident(tx, accountId, id))
  if (services !== undefined) await replaceServices(tx, accountId, id, services)
  if (severity !== undefined && severity !== before.severity)
    await incidents.clearServiceSeverities(tx, accountId, id)
  const isRewritten = postmortem !== undefined && postmortem !== before.postmortem
  if (isRewritten && postmortem !== null) {
    const [latest] = await updates.listIncidentUpdates(tx, accountId, [id])
    requireResolved(latest?.status)
  }
  const text = isRewritten ? postmortemColumns(postmortem, now) : {}
  const values = { name, severity, ...text, updated_at: new Date(now) }
  return orNotFound(await incidents.updateIncident(tx, accountId, id, values))
}

function requireResolved(status: string | undefined): void {
  if (status === 'RESOLVED') return
  const message = 'is about a resolved incident: add an update with status RESOLVED first'
  throw invalidInput([{ path: ['postmortem'], message }])
}

function postmortemColumns(postmortem: string | null, now: number) {
  return { postmortem, postmortem_at: postmortem === null ? null : new Date(now) }
}

/** Notifies subscribers; edits of an update don't. */
export async function addIncidentUpdate(
  tx: Db,
  accountId: string,
  incidentId: string,
  input: BodyOf<typeof createStatusPageIncidentUpdate>,
  now: number,
): Promise<updates.IncidentUpdateRow> {
  const incident = await touchIncident(tx, accountId, incidentId, now)
  return insertUpdate(tx, incident, input, now)
}

interface UpdatePath {
  incidentId: string
  incidentUpdateId: string
}

export async function changeIncidentUpdate(
  tx: Db,
  accountId: string,
  { incidentId, incidentUpdateId: id }: UpdatePath,
  change: BodyOf<typeof updateStatusPageIncidentUpdate>,
  now: number,
): Promise<updates.IncidentUpdateRow> {
  await touchIncident(tx, accountId, incidentId, now)
  const before = orNotFound(await updates.findIncidentUpdate(tx, accountId, incidentId, id))
  const { description, status, publicIncidentUpdateDate: date, notifySubscribers } = change
  const values = {
    ...before,
    description: description ?? before.description,
    status: status ?? before.status,
    notify_subscribers: notifySubscribers ?? before.notify_subscribers,
    public_incident_update_date: date === undefined ? before.public_incident_update_date : instantOf(date),
  }
  return orNotFound(await updates.updateIncidentUpdate(tx, accountId, id, values))
}

/** Refused for the only update of an incident. */
export async function deleteIncidentUpdate(
  tx: Db,
  accountId: string,
  { incidentId, incidentUpdateId: id }: UpdatePath,
  now: number,
): Promise<void> {
  await touchIncident(tx, accountId, incidentId, now)
  orNotFound(await updates.findIncidentUpdate(tx, accountId, incidentId, id))
  if ((await updates.countIncidentUpdates(tx, accountId, incidentId)) === 1) {
    throw new ApiError('conflict', {
      message: 'An incident keeps at least one update: delete the incident instead.',
    })
  }
  await updates.deleteIncidentUpdate(tx, accountId, id)
}

/** Locks the incident, so that its updates change one at a time. */
async function touchIncident(
  tx: Db,
  accountId: string,
  id: string,
  now: number,
): Promise<incidents.IncidentRow> {
  orNotFound(await incidents.lockIncident(tx, accountId, id))
  return orNotFound(await incidents.updateIncident(tx, accountId, id, { updated_at: new Date(now) }))
}

async function insertUpdate(
  tx: Db,
  { id: incident_id, account_id }: incidents.IncidentRow,
  input: BodyOf<typeof createStatusPageIncidentUpdate>,
  now: number,
): Promise<updates.IncidentUpdateRow> {
  const { description, status, publicIncidentUpdateDate: date, notifySubscribers } = input
  const values = {
    id: randomUUID(),
    account_id,
    incident_id,
    description,
    status,
    notify_subscribers: notifySubscribers,
    public_incident_update_date: date === undefined ? new Date(now) : instantOf(date),
  }
  const row = await updates.insertIncidentUpdate(tx, values, new Date(now))
  await insertIncidentNotices(clientOf(tx), [{ accountId: account_id, id: row.id }], now)
  return row
}

async function replaceServices(tx: Db, accountId: string, incidentId: string, services: { id: string }[]) {
  const mentions = services.map(({ id }, index) => ({ id, path: ['services', index, 'id'] }))
  await requireServices(tx, accountId, mentions)
  const ids = services.map(({ id }) => id)
  await incidents.replaceIncidentServices(tx, accountId, incidentId, ids)
}
