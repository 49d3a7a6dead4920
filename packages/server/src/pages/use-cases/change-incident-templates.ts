// Creates and changes incident templates, in the transaction of the caller.
import { randomUUID } from 'node:crypto'
import {
  ApiError,
  type BodyOf,
  type createIncidentTemplate,
  maxIncidentTemplates,
  type StoredIncident,
  type updateIncidentTemplate,
} from '@vedette/contracts'
import { orNotFound } from '../../core/or-not-found.ts'
import type { Db } from '../../storage/core/db.ts'
import { mapUniqueViolation } from '../../storage/core/map-unique-violation.ts'
import * as templates from '../../storage/pages/incident-templates.ts'
import { requireServices } from './services.ts'

type Input = BodyOf<typeof createIncidentTemplate>
type Update = BodyOf<typeof updateIncidentTemplate>

const uniqueIndexes = { incident_templates_name: 'name' }

export async function addIncidentTemplate(
  tx: Db,
  accountId: string,
  input: Input,
): Promise<templates.IncidentTemplateRow> {
  // Requests at the same moment may exceed it by a few.
  if ((await templates.countIncidentTemplates(tx, accountId)) >= maxIncidentTemplates) {
    throw new ApiError('conflict', {
      message: `An account has at most ${maxIncidentTemplates} incident templates.`,
    })
  }
  const incident = await storedIncident(tx, accountId, input.incident)
  const values = { id: randomUUID(), account_id: accountId, name: input.name, incident }
  return mapUniqueViolation(uniqueIndexes, () => templates.insertIncidentTemplate(tx, values))
}

export async function changeIncidentTemplate(
  tx: Db,
  accountId: string,
  id: string,
  { name, incident }: Update,
  now: number,
): Promise<templates.IncidentTemplateRow> {
  orNotFound(await templates.findIncidentTemplate(tx, accountId, id))
  const values = {
    name,
    ...(incident && { incident: await storedIncident(tx, accountId, incident) }),
    updated_at: new Date(now),
  }
  const row = await mapUniqueViolation(uniqueIndexes, () =>
    templates.updateIncidentTemplate(tx, accountId, id, values),
  )
  return orNotFound(row)
}

/** As the column has it. */
async function storedIncident(tx: Db, accountId: string, incident: Input['incident']): Promise<string> {
  const { services } = incident
  const mentions = services.map(({ id }, index) => ({ id, path: ['incident', 'services', index, 'id'] }))
  await requireServices(tx, accountId, mentions)
  const stored: StoredIncident = { ...incident, services: services.map(({ id }) => ({ id })) }
  return JSON.stringify(stored)
}
