// Public pages as a company would have them: for tests of what people see, and for the pictures in the documentation.
import { dayMs, hourMs, minuteMs } from '@vedette/contracts'
import { expect } from 'vitest'
import { renderIncidentUpdateMail } from '../alerting/mails/subscriber-mail.ts'
import { openVault } from '../storage/core/vault.ts'
import { startTestApi, type TestApi } from './api.ts'
import { insertResults, type SomeResult } from './results.ts'

export interface Showcase {
  api: TestApi
  /** The addresses of its pages by what they show. */
  paths: Record<ShownPage, string>
  close(): Promise<void>
}

export const shownPages = [
  'status-calm',
  'status-incident',
  'status-maintenance',
  'incident',
  'maintenance',
  'history',
  'subscribe',
  'key',
  'dashboard',
  'dashboard-check',
  'dashboard-incidents',
  'wall',
  'not-found',
] as const
type ShownPage = (typeof shownPages)[number]

const services = ['Storefront', 'Checkout', 'Search', 'Public API', 'Sign-in', 'Webhooks']
const checks = [
  { name: 'Storefront', tags: ['web', 'production'], inGroup: true, usualMs: 240 },
  { name: 'Checkout', tags: ['web', 'production'], inGroup: true, usualMs: 410, isFailing: true },
  { name: 'Sign-in', tags: ['web'], inGroup: true, usualMs: 180 },
  { name: 'Orders API', tags: ['api', 'production'], inGroup: false, usualMs: 95 },
  { name: 'Search API', tags: ['api'], inGroup: false, usualMs: 130 },
]

export async function openShowcase(): Promise<Showcase> {
  const end = Date.now()
  let now = end
  const api = await startTestApi({}, { now: () => now })

  async function post(path: string, body: Record<string, unknown>): Promise<{ id: string }> {
    const { status, text, body: made } = await api.alice.post(path, body)
    expect(status, text).toBeLessThan(300)
    return made
  }

  async function createPage(
    url: string,
    values: Record<string, unknown> = {},
  ): Promise<{ id: string; services: string[] }> {
    const ids: string[] = []
    for (const name of services) ids.push((await post('/v1/status-pages/services', { name })).id)
    const refs = ids.map((id) => ({ id }))
    const cards = [
      { name: 'Shop', services: refs.slice(0, 3) },
      { name: 'Platform', services: refs.slice(3) },
    ]
    const description = 'The state of Acme’s services, and what we are doing about it.'
    const { id } = await post('/v1/status-pages', { name: 'Acme', url, description, cards, ...values })
    return { id, services: ids }
  }

  /** Written when it happened: `updates` are minutes after its start. */
  async function createIncident(
    incident: { ago: number; name: string; severity: string; services: string[] },
    updates: [minutes: number, status: string, description: string][],
  ): Promise<string> {
    let id: string | null = null
    for (const [minutes, status, description] of updates) {
      now = end - incident.ago + minutes * minuteMs
      const update = { status, description }
      if (id !== null) await post(`/v1/status-pages/incidents/${id}/incident-updates`, update)
      else {
        const { name, severity, services: touched } = incident
        const body = { name, severity, services: touched.map((service) => ({ id: service })) }
        id = (await post('/v1/status-pages/incidents', { ...body, incidentUpdates: [update] })).id
      }
    }
    now = end
    return id ?? ''
  }

  /** Published on a page. */
  async function createWindow(
    page: { id: string },
    window: { name: string; description: string; startsIn: number; lasts: number; services: string[] },
  ): Promise<string> {
    const startsAt = new Date(end + window.startsIn)
    const { id } = await post('/v1/maintenance-windows', {
      ...{ name: window.name, description: window.description, tags: [], repeatUnit: 'DAY' },
      startsAt: startsAt.toISOString(),
      endsAt: new Date(end + window.startsIn + window.lasts).toISOString(),
      statusPageVisibility: {
        ...{ enabled: true, statusPageIds: [page.id], serviceIds: window.services },
      },
    })
    return `${id}-${startsAt.toISOString().replace(/[-:]|\.\d+/g, '')}`
  }

  const calm = (await createPage('acme')).services
  const troubled = (await createPage('acme-shop')).services
  const maintained = await createPage('acme-platform')
  await createWindow(maintained, {
    ...{ name: 'New database servers', startsIn: -20 * minuteMs, lasts: hourMs },
    services: maintained.services.slice(0, 2),
    description: 'Orders are accepted and processed with a delay of up to ten minutes.',
  })
  const window = await createWindow(maintained, {
    ...{ name: 'Search index rebuild', startsIn: 3 * dayMs, lasts: 2 * hourMs },
    services: maintained.services.slice(2, 3),
    description: 'Search results may be incomplete while the index is rebuilt.',
  })
  await createPage('acme-internal', { isPrivate: true })
  for (const [storefront = '', checkout = '', search = ''] of [calm, troubled]) {
    await createIncident(
      { ago: 33 * dayMs, name: 'Search returns old results', severity: 'MINOR', services: [search] },
      [
        [0, 'INVESTIGATING', 'New products appear in search results with a delay of about an hour.'],
        [190, 'RESOLVED', 'The index is up to date again.'],
      ],
    )
    await createIncident(
      {
        ago: 6 * dayMs,
        name: 'Storefront slow in Europe',
        severity: 'MAJOR',
        services: [storefront, checkout],
      },
      [
        [0, 'INVESTIGATING', 'Pages load slowly for visitors in Europe.'],
        [21, 'IDENTIFIED', 'A database replica in Frankfurt is overloaded.'],
        [58, 'RESOLVED', 'Traffic was moved to another replica. Pages load as quickly as before.'],
      ],
    )
  }
  const [, checkout = '', , publicApi = ''] = troubled
  const incident = await createIncident(
    {
      ago: 52 * minuteMs,
      name: 'Card payments fail',
      severity: 'CRITICAL',
      services: [checkout, publicApi],
    },
    [
      [0, 'INVESTIGATING', 'Some card payments are declined. We are looking into it.'],
      [17, 'IDENTIFIED', 'Our payment provider rejects requests from one region. Orders by invoice work.'],
      [41, 'MONITORING', 'Payments go through another region now. We are watching the success rate.'],
    ],
  )
  const checkId = await createChecks(api, post, end)
  const dashboard = await post('/v1/dashboards', {
    header: 'Acme production',
    description: 'What the on-call team looks at first.',
    customUrl: 'acme',
    enableIncidents: true,
  })
  await post('/v1/incidents', {
    name: 'Checkout is slow',
    impact: 'MINOR',
    dashboardId: dashboard.id,
    incidentUpdates: [{ status: 'INVESTIGATING', description: 'Payments take up to ten seconds.' }],
  })
  const paths = {
    'status-calm': '/s/acme',
    'status-incident': '/s/acme-shop',
    'status-maintenance': '/s/acme-platform',
    maintenance: `/s/acme-platform/maintenance/${window}`,
    incident: `/s/acme-shop/incidents/${incident}`,
    history: '/s/acme-shop/history',
    subscribe: '/s/acme#subscribe',
    key: '/s/acme-internal',
    dashboard: '/d/acme',
    'dashboard-check': `/d/acme/checks/${checkId}`,
    'dashboard-incidents': '/d/acme/incidents',
    wall: '/d/acme?wall=1',
    'not-found': '/s/nothing-here',
  }
  return { api, paths, close: () => api.close() }
}

/** With a day of results. Returns the id of the failing one. */
async function createChecks(
  api: TestApi,
  post: (path: string, body: Record<string, unknown>) => Promise<{ id: string }>,
  end: number,
): Promise<string> {
  const group = await post('/v1/check-groups', { name: 'Europe', tags: ['eu'], locations: ['eu-west-1'] })
  let failing = ''
  for (const [index, { name, tags, inGroup, usualMs, isFailing = false }] of checks.entries()) {
    const { id } = await post('/v1/checks/url', {
      ...{ name, tags, locations: ['eu-west-1'], request: { url: 'https://example.com' } },
      ...(inGroup ? { groupId: group.id } : {}),
    })
    if (isFailing) failing = id
    const results: SomeResult[] = []
    for (let at = end - 24 * hourMs; at < end; at += 10 * minuteMs) {
      // A wave instead of chance: pictures are the same each time.
      const wave = 1 + 0.25 * Math.sin(at / (3 * hourMs) + index) + 0.1 * Math.sin(at / (40 * minuteMs))
      results.push({
        ...{ accountId: api.alice.accountId, checkId: id, scheduledAt: at, checkType: 'URL' },
        responseTimeMs: Math.round(usualMs * wave),
        hasFailures: isFailing && end - at < 50 * minuteMs,
      })
    }
    await insertResults(api.store, results)
  }
  return failing
}

/** What a subscriber receives. */
export const exampleMail = renderIncidentUpdateMail(
  {
    id: '0d8f0a2e-3c63-4a53-9b0e-6f3f0d6c7a01',
    recipient: 'ada@example.com',
    facts: {
      ...{ subscriptionId: '5c9d3f3e-6d52-4b7d-9a43-0d1c6b0f8c11', page: 'Acme', slug: 'acme-shop' },
      ...{ incidentId: '7a0e7e0a-52a3-4d57-8c7b-2f1d2c9b5e02', incident: 'Card payments fail' },
      ...{ severity: 'CRITICAL', services: ['Checkout', 'Public API'], status: 'IDENTIFIED' },
      description: 'Our payment provider rejects requests from one region. Orders by invoice work.',
      at: '2026-11-16T08:30:00Z',
    },
  },
  { publicUrl: 'https://status.example.com', sign: openVault('a secret key for pictures').sign },
)
