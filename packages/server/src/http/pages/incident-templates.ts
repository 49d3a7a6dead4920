import {
  ApiError,
  createIncidentTemplate,
  deleteIncidentTemplate,
  getIncidentTemplate,
  type IncidentTemplate,
  listIncidentTemplates,
  openTemplateIncident,
  updateIncidentTemplate,
} from '@vedette/contracts'
import type { z } from 'zod'
import { orNotFound } from '../../core/or-not-found.ts'
import {
  addIncidentTemplate,
  changeIncidentTemplate,
} from '../../pages/use-cases/change-incident-templates.ts'
import { createIncident } from '../../pages/use-cases/change-incidents.ts'
import { transact } from '../../storage/core/db.ts'
import * as templates from '../../storage/pages/incident-templates.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { serializeOneIncident } from './serialize-incidents.ts'

export function incidentTemplateRoutes({ store, clock }: Deps): Mounted[] {
  const { db } = store
  return [
    handle(listIncidentTemplates, async ({ account }) =>
      (await templates.listIncidentTemplates(db, account.id)).map(serializeTemplate),
    ),
    handle(createIncidentTemplate, async ({ account, body }) =>
      serializeTemplate(await transact(db, (tx) => addIncidentTemplate(tx, account.id, body))),
    ),
    handle(getIncidentTemplate, async ({ account, params }) =>
      serializeTemplate(orNotFound(await templates.findIncidentTemplate(db, account.id, params.templateId))),
    ),
    handle(updateIncidentTemplate, async ({ account, params, body }) =>
      serializeTemplate(
        await transact(db, (tx) =>
          changeIncidentTemplate(tx, account.id, params.templateId, body, clock.now()),
        ),
      ),
    ),
    handle(deleteIncidentTemplate, async ({ account, params }) => {
      if (!(await templates.deleteIncidentTemplate(db, account.id, params.templateId)))
        throw new ApiError('not_found')
    }),
    handle(openTemplateIncident, ({ account, params }) =>
      transact(db, async (tx) => {
        const template = orNotFound(await templates.findIncidentTemplate(tx, account.id, params.templateId))
        return serializeOneIncident(tx, await createIncident(tx, account.id, template.incident, clock.now()))
      }),
    ),
  ]
}

function serializeTemplate(row: templates.IncidentTemplateRow): z.output<typeof IncidentTemplate> {
  const { id, name, incident, created_at, updated_at } = row
  return { id, name, incident, created_at, updated_at }
}
