// Previews of pages that aren't saved yet: the draft is stored for some minutes, and shown at an address of its own.
import { z } from 'zod'
import { Timestamp, Uuid } from '../core/fields.ts'
import { route } from '../core/route.ts'
import { DashboardInput } from './dashboards.ts'
import {
  componentLimits,
  StatusPageComponentConfiguration,
  StatusPageComponentType,
} from './status-page-components.ts'
import { StatusPageFields } from './status-pages.ts'

export const pagePreviewLimits = { perAccount: 50, minutes: 15 }

const PreviewComponent = z
  .object({
    id: Uuid.describe('Of a stored component, or any other for one that is new'),
    parentId: Uuid.nullable().default(null).describe('A group of this list'),
    type: StatusPageComponentType,
    name: z.string().max(255).nullable().default(null).describe('Null: the name of the service'),
    description: z.string().max(500).nullable().default(null),
    hidden: z.boolean().default(false),
    configuration: StatusPageComponentConfiguration.default({}),
    serviceId: Uuid.nullable().default(null).describe('Null: a group, or a service that is new'),
  })
  .meta({ id: 'StatusPagePreviewComponent' })

export const StatusPagePreviewInput = z
  .object({
    statusPageId: Uuid.nullable()
      .default(null)
      .describe('The page that is being edited: its maintenance is shown. Null: a new page'),
    page: StatusPageFields.omit({ cards: true, version: true }).meta({ id: 'StatusPagePreviewSettings' }),
    components: z
      .array(PreviewComponent)
      .max(componentLimits.perPage)
      .default([])
      .describe('In the order of the page: each group before what is in it'),
  })
  .meta({ id: 'StatusPagePreviewInput' })

export const DashboardPreviewInput = z
  .object({
    dashboardId: z
      .string()
      .max(253)
      .nullable()
      .default(null)
      .describe('The dashboard that is being edited: its incidents are shown. Null: a new one'),
    dashboard: DashboardInput,
  })
  .meta({ id: 'DashboardPreviewInput' })

/** What is stored. */
export type PagePreviewDraft =
  | ({ kind: 'status-page' } & z.output<typeof StatusPagePreviewInput>)
  | ({ kind: 'dashboard' } & z.output<typeof DashboardPreviewInput>)

export const PagePreview = z
  .object({
    id: Uuid,
    path: z
      .string()
      .describe('The path of the preview on this server; only pages of the same origin may frame it'),
    expiresAt: Timestamp,
  })
  .meta({ id: 'PagePreview' })

const shared = {
  method: 'POST',
  access: 'READ_ONLY',
  changesNothing: true,
  status: 201,
  response: PagePreview,
} as const

const description = `Nothing is saved. Anyone with the address can open the preview for ${pagePreviewLimits.minutes} minutes; an account has at most ${pagePreviewLimits.perAccount}, then the oldest ends. Images that no saved page has are not shown.`

export const createStatusPagePreview = route({
  ...shared,
  path: '/v1/status-pages/previews',
  tag: 'Status pages',
  summary: 'Show a status page as it would be',
  description,
  body: StatusPagePreviewInput,
  example: { page: { name: 'Shop', url: 'shop' }, components: [] },
})

export const createDashboardPreview = route({
  ...shared,
  path: '/v1/dashboards/previews',
  tag: 'Dashboards',
  summary: 'Show a dashboard as it would be',
  description,
  body: DashboardPreviewInput,
  example: { dashboard: { header: 'Shop', tags: ['production'] } },
})
