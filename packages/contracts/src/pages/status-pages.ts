import { z } from 'zod'
import { AccessKey, addition, HttpUrl, ignoredField, Timestamp, Uuid } from '../core/fields.ts'
import { isRecord } from '../core/objects.ts'
import { CursorQuery, cursorPage } from '../core/pagination.ts'
import { route } from '../core/route.ts'
import { projectFields } from '../projects/project-binding.ts'
import { customDomainStatusField } from './custom-domains.ts'
import { ContactUrl, ContactUrlOrNone, DomainOrNone, HttpUrlOrNone, Subdomain } from './page-address.ts'
import { StatusPageComponent } from './status-page-components.ts'
import { distinctServices, StatusPageIncident } from './status-page-incidents.ts'
import { StatusPageService } from './status-page-services.ts'

const HexColor = z
  .string()
  .regex(/^#([0-9A-Fa-f]{3}|[0-9A-Fa-f]{6})$/, 'must be a color such as #0AF or #00AAFF')
  .toUpperCase()

export const StatusPageColors = z
  .object({
    bodyBackgroundColor: HexColor,
    headerBackgroundColor: HexColor,
    headerFontColor: HexColor,
    titleFontColor: HexColor,
    bodyFontColor: HexColor,
    bodyFontColorMuted: HexColor,
    navigationFontColor: HexColor,
    linkFontColor: HexColor,
    cardBackgroundColor: HexColor,
    borderColor: HexColor,
    primaryButtonBackgroundColor: HexColor,
    primaryButtonFontColor: HexColor,
  })
  .meta({ id: 'StatusPageColors' })

export const StatusPageThemeColors = z
  .object({ light: StatusPageColors, dark: StatusPageColors.optional() })
  .meta({ id: 'StatusPageThemeColors' })

const ColorsRead = z.object(StatusPageColors.shape).meta({ id: 'StatusPageColorsRead' })

const ThemeColorsRead = z
  .object({
    light: ColorsRead,
    dark: ColorsRead.optional(),
  })
  .meta({ id: 'StatusPageThemeColorsRead' })

export const StatusPageCardInput = z
  .object({
    id: Uuid.optional().describe('A card of this page that is kept; other cards are created'),
    statusPageId: ignoredField({ type: 'string', format: 'uuid' }),
    name: z.string().min(1).max(255),
    services: distinctServices.default([]),
  })
  .meta({ id: 'StatusPageCardInput' })

export const StatusPageCard = z
  .object({
    id: Uuid,
    name: z.string(),
    services: z.array(StatusPageService),
    created_at: Timestamp,
    updated_at: Timestamp.nullable(),
  })
  .meta({ id: 'StatusPageCard' })

const settings = {
  name: z.string().min(1).max(255),
  url: Subdomain.describe('The name in the address of the page, unique over all accounts'),
  description: z.string().max(500).nullable().default(null),
  customDomain: DomainOrNone.default(null).describe('A domain of your own, unique over all accounts'),
  logo: HttpUrlOrNone.default(null),
  logoDark: HttpUrlOrNone.default(null).describe('Shown instead of the logo in the dark theme'),
  favicon: HttpUrlOrNone.default(null),
  redirectTo: HttpUrlOrNone.default(null).describe('Opened when the logo is clicked'),
  defaultTheme: z.enum(['LIGHT', 'DARK', 'AUTO']).default('AUTO'),
  themeColors: StatusPageThemeColors.nullable().default(null),
  privacyPolicyLink: HttpUrlOrNone.default(null),
  termsOfServiceLink: HttpUrlOrNone.default(null),
  supportLink: ContactUrlOrNone.default(null).describe('http, https or mailto'),
  footerText: z.string().max(500).nullable().default(null),
  googleAnalyticsTag: z
    .string()
    .max(100)
    .nullable()
    .default(null)
    .describe('Stored for clients that send it. It has no effect: pages load nothing from other sites'),
  allowIndexing: z.boolean().default(true).describe('Whether search engines may list a public page'),
}

const Version = z.literal([2, 3])

/** Without the rule that cards are required. */
export const StatusPageFields = z.object({
  ...settings,
  isPrivate: z.boolean().default(false).describe('Making a page private issues its key'),
  version: Version.default(2).describe('3: the page is made of components, and `cards` may be absent'),
  cards: z
    .array(StatusPageCardInput)
    .max(100)
    .superRefine((cards, context) => {
      const seen = new Set<string>()
      for (const [index, { id }] of cards.entries()) {
        if (id === undefined) continue
        if (seen.has(id.toLowerCase())) {
          context.addIssue({ code: 'custom', path: [index, 'id'], message: 'is listed twice' })
        }
        seen.add(id.toLowerCase())
      }
    })
    .optional()
    .describe('Required, unless `version` is 3: then absent cards are unchanged'),
})

/** Also checked if other fields are wrong, so that an error names all of them. */
const needsCards = {
  path: ['cards'],
  message: 'is required, unless `version` is 3',
  when: ({ value }: { value: unknown }) => isRecord(value),
}

const hasCards = ({ version, cards }: { version?: unknown; cards?: unknown }) =>
  version === 3 || cards !== undefined

export const StatusPageInput = StatusPageFields.refine(hasCards, needsCards).meta({ id: 'StatusPageInput' })

// Existing clients know neither isPrivate nor version: omitting isPrivate must not publish a private page.
export const StatusPageReplacement = StatusPageFields.extend({
  isPrivate: z.boolean().optional().describe('Unchanged when absent'),
  version: Version.optional().describe('Unchanged when absent'),
})
  .refine(hasCards, needsCards)
  .meta({ id: 'StatusPageReplacement' })

/** What is stored as JSON instead of in columns. */
export type StatusPageSettings = Omit<
  z.output<typeof StatusPageReplacement>,
  'name' | 'url' | 'customDomain' | 'isPrivate' | 'version' | 'cards' | keyof AddedSettings
> &
  Partial<AddedSettings>

/** Pages that an earlier release saved don't have them. */
type AddedSettings = Pick<
  z.output<typeof StatusPageReplacement>,
  | 'logoDark'
  | 'privacyPolicyLink'
  | 'termsOfServiceLink'
  | 'supportLink'
  | 'footerText'
  | 'googleAnalyticsTag'
  | 'allowIndexing'
>

export const StatusPage = z
  .object({
    id: Uuid,
    accountId: Uuid,
    ...settings,
    customDomainStatus: customDomainStatusField,
    logo: HttpUrl.nullable(),
    logoDark: HttpUrl.nullable(),
    favicon: HttpUrl.nullable(),
    redirectTo: HttpUrl.nullable(),
    privacyPolicyLink: HttpUrl.nullable(),
    termsOfServiceLink: HttpUrl.nullable(),
    supportLink: ContactUrl.nullable(),
    themeColors: ThemeColorsRead.nullable(),
    isPrivate: z.boolean(),
    whiteLabel: z.boolean(),
    version: addition(Version),
    cards: z.array(StatusPageCard).describe('The first level of groups, each with its services'),
    components: addition(z.array(StatusPageComponent)).describe(
      'All groups and services, in the order of the page',
    ),
    keys: z.array(AccessKey),
    incidents: z.array(StatusPageIncident).describe('The latest 20 that touch its services'),
    created_at: Timestamp,
    updated_at: Timestamp.nullable(),
    ...projectFields,
  })
  .meta({ id: 'StatusPage' })

const tag = 'Status pages'
const params = z.object({ statusPageId: Uuid })
const example = {
  name: 'Shop',
  url: 'shop',
  cards: [{ name: 'Storefront', services: [{ id: '5c9d3f3e-6d52-4b7d-9a43-0d1c6b0f8c11' }] }],
}

export const listStatusPages = route({
  method: 'GET',
  path: '/v1/status-pages',
  tag,
  summary: 'List status pages',
  access: 'READ_ONLY',
  query: CursorQuery,
  status: 200,
  response: cursorPage(StatusPage),
})

export const getStatusPage = route({
  method: 'GET',
  path: '/v1/status-pages/{statusPageId}',
  tag,
  summary: 'Read a status page',
  access: 'READ_ONLY',
  params,
  status: 200,
  response: StatusPage,
})

export const createStatusPage = route({
  method: 'POST',
  path: '/v1/status-pages',
  tag,
  summary: 'Create a status page',
  access: 'READ_WRITE',
  body: StatusPageInput,
  status: 201,
  response: StatusPage,
  errors: [409],
  example,
})

export const replaceStatusPage = route({
  method: 'PUT',
  path: '/v1/status-pages/{statusPageId}',
  tag,
  summary: 'Replace a status page',
  description: "Fields that aren't sent get their defaults, and cards that aren't sent are removed.",
  access: 'READ_WRITE',
  params,
  body: StatusPageReplacement,
  status: 200,
  response: StatusPage,
  errors: [409],
  example,
})

export const deleteStatusPage = route({
  method: 'DELETE',
  path: '/v1/status-pages/{statusPageId}',
  tag,
  summary: 'Delete a status page',
  access: 'READ_WRITE',
  params,
  status: 204,
})
