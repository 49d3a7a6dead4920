import type { getDashboard, getStatusPage, ResponseOf } from '@vedette/contracts'
import { describe, expect, it } from 'vitest'
import { dashboardAsCurl, statusPageAsCurl } from './page-code.ts'

const at = '2026-11-16T00:00:00.000Z'
const service = { id: 's1', name: 'Checkout API', accountId: 'a', created_at: at, updated_at: null }

const page: ResponseOf<typeof getStatusPage> = {
  ...{ id: 'p1', accountId: 'a', name: "Anna's shop", url: 'shop', description: null, customDomain: null },
  ...{ customDomainStatus: null, logo: null, logoDark: null, favicon: null, redirectTo: null },
  ...{ defaultTheme: 'AUTO', themeColors: null, privacyPolicyLink: null, termsOfServiceLink: null },
  ...{ supportLink: 'https://example.com/help', footerText: null, googleAnalyticsTag: null },
  ...{ allowIndexing: true, isPrivate: true, whiteLabel: false, version: 3, incidents: [] },
  keys: [{ id: 'k', rawKey: 'secret-key', maskedKey: 'abcd', created_at: at, updated_at: at }],
  ...{ created_at: at, updated_at: null },
  cards: [{ id: 'g1', name: 'Shop', services: [service], created_at: at, updated_at: null }],
  components: [
    {
      ...{ id: 'g1', statusPageId: 'p1', parentId: null, type: 'GROUP', name: 'Shop', description: null },
      ...{ hidden: false, displayOrder: 0, configuration: { expandedByDefault: true }, serviceId: null },
      ...{ created_at: at, updated_at: null },
    },
    {
      ...{ id: 'c1', statusPageId: 'p1', parentId: 'g1', type: 'SERVICE', name: 'Shop', description: null },
      ...{ hidden: true, displayOrder: 1, configuration: {}, serviceId: 's1' },
      ...{ created_at: at, updated_at: null },
    },
  ],
}
const server = { origin: 'http://localhost:3000', accountId: 'a1' }

describe('a status page as code', () => {
  it('never has a key', () => {
    expect(statusPageAsCurl(page, server)).not.toContain('secret-key')
  })

  it('is a request', () => {
    expect(statusPageAsCurl(page, server)).toContain(
      'curl --request POST \'http://localhost:3000/v1/status-pages\' \\\n  --header "Authorization: Bearer $VEDETTE_API_KEY"',
    )
  })
})

it('a dashboard as code has what differs from the defaults', () => {
  const dashboard: ResponseOf<typeof getDashboard> = {
    ...{
      id: 1,
      dashboardId: 'abc',
      header: 'Shop',
      customUrl: 'shop',
      customDomain: null,
      customDomainStatus: null,
    },
    ...{ logo: null, favicon: null, description: null, width: '960PX', refreshRate: 60, paginate: true },
    ...{
      paginationRate: 60,
      checksPerPage: 15,
      useTagsAndOperator: false,
      hideTags: true,
      enableIncidents: false,
    },
    ...{
      expandChecks: false,
      tags: ['web'],
      showHeader: true,
      showCheckRunLinks: false,
      showGroupNames: true,
    },
    ...{ customCSS: '', isPrivate: false, showP95: true, showP99: true, keys: [], created_at: at },
  }
  const text = dashboardAsCurl(dashboard, server)
  expect(text).toContain('/v1/dashboards')
  expect(text).toContain('"width": "960PX"')
  expect(text).not.toContain('refreshRate')
})
