// A status page as its form has it, and the requests that store it.
import { call } from '../../api/call.ts'
import type { StatusPage } from '../../api/pages.ts'
import { type EditedComponent, editedOf, stepsBetween } from './component-tree.ts'

type Themes = NonNullable<StatusPage['themeColors']>

export type Colors = Themes['light']

export interface PageValues {
  name: string
  url: string
  description: string | null
  customDomain: string | null
  logo: string | null
  logoDark: string | null
  favicon: string | null
  redirectTo: string | null
  defaultTheme: StatusPage['defaultTheme']
  themeColors: { light: Colors; dark?: Colors } | null
  privacyPolicyLink: string | null
  termsOfServiceLink: string | null
  supportLink: string | null
  footerText: string | null
  googleAnalyticsTag: string | null
  allowIndexing: boolean
  isPrivate: boolean
  version: 2 | 3
  components: EditedComponent[]
}

export function valuesOf(page: StatusPage): PageValues {
  const { name, url, description, customDomain, logo, logoDark, favicon, redirectTo, defaultTheme } = page
  const { privacyPolicyLink, termsOfServiceLink, supportLink, footerText, googleAnalyticsTag } = page
  const { allowIndexing, isPrivate, version, themeColors, components } = page
  return {
    ...{ name, url, description, customDomain, logo, logoDark, favicon, redirectTo, defaultTheme },
    ...{ privacyPolicyLink, termsOfServiceLink, supportLink, footerText, googleAnalyticsTag },
    ...{ allowIndexing, isPrivate, version },
    themeColors: themeColors && withoutUndefined(themeColors),
    components: components.map(editedOf),
  }
}

function withoutUndefined({ light, dark }: Themes): NonNullable<PageValues['themeColors']> {
  return dark === undefined ? { light } : { light, dark }
}

/** Returns the key that was created because the page became private. */
export async function savePage(
  stored: StatusPage,
  { components, ...settings }: PageValues,
): Promise<string | null> {
  // Pages that clients know as cards must be sent with them.
  const cards = stored.cards.map(({ id, name, services }) => ({
    ...{ id, name },
    services: services.map((service) => ({ id: service.id })),
  }))
  const { keys } = await call('PUT /v1/status-pages/{statusPageId}', {
    params: { statusPageId: stored.id },
    body: { ...settings, ...(settings.version === 2 ? { cards } : {}) },
  })
  await saveComponents(stored.id, stored.components.map(editedOf), components)
  return keys.find(({ rawKey }) => rawKey !== undefined)?.rawKey ?? null
}

export async function saveComponents(
  statusPageId: string,
  before: readonly EditedComponent[],
  after: readonly EditedComponent[],
): Promise<void> {
  /** Components that are new get their ids from the server. */
  const ids = new Map<string, string>()
  const idOf = (id: string | null) => (id === null ? null : (ids.get(id) ?? id))
  for (const step of stepsBetween(before, after)) {
    if (step.kind === 'create') {
      const { name, serviceId, parentId, type, description, hidden, configuration } = step.component
      const { id } = await call('POST /v1/status-pages/{statusPageId}/components', {
        params: { statusPageId },
        body: {
          ...{ type, description, hidden, configuration, parentId: idOf(parentId) },
          ...(name === '' ? {} : { name }),
          ...(serviceId === null ? {} : { serviceId }),
          displayOrder: step.displayOrder,
        },
      })
      ids.set(step.component.id, id)
    } else if (step.kind === 'update') {
      const { parentId, ...fields } = step.fields
      await call('PUT /v1/status-pages/{statusPageId}/components/{componentId}', {
        params: { statusPageId, componentId: step.id },
        body: { ...fields, ...(parentId === undefined ? {} : { parentId: idOf(parentId) }) },
      })
    } else {
      await call('DELETE /v1/status-pages/{statusPageId}/components/{componentId}', {
        params: { statusPageId, componentId: step.id },
      })
    }
  }
}
