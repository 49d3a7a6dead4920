// Public pages as the app shows them: a status page with groups, services and incidents, and two dashboards.
import { hourMs, minuteMs } from '@vedette/contracts'
import type { Caller } from './api.ts'

export interface PageScene {
  statusPageId: string
  incidentId: string
  resolvedId: string
  dashboardIncidentId: string
  dashboardId: string
}

type Post = (
  path: string,
  body: Record<string, unknown>,
) => Promise<Awaited<ReturnType<Caller['post']>>['body']>

export async function createPageScene(post: Post, end: number): Promise<PageScene> {
  const ago = (ms: number) => new Date(end - ms).toISOString()
  const names = ['Checkout', 'Storefront', 'Sign-in', 'Orders API', 'Search API']
  const ids: Record<string, string> = {}
  for (const name of names) ids[name] = (await post('/v1/status-pages/services', { name })).id
  const page = await post('/v1/status-pages', {
    ...{ name: 'Acme shop', url: 'acme-shop', version: 3, supportLink: 'https://acme.example/help' },
    ...{ description: 'What works, and what we are working on.', customDomain: 'status.acme.example' },
  })
  const add = (body: Record<string, unknown>) => post(`/v1/status-pages/${page.id}/components`, body)
  const shop = await add({ type: 'GROUP', name: 'Shop' })
  for (const name of ['Checkout', 'Storefront', 'Sign-in'])
    await add({ serviceId: ids[name], parentId: shop.id })
  const api = await add({ type: 'GROUP', name: 'APIs', configuration: { expandedByDefault: false } })
  for (const name of ['Orders API', 'Search API']) await add({ serviceId: ids[name], parentId: api.id })
  const internal = await add({ name: 'Warehouse', hidden: true })
  await post('/v1/status-pages', { name: 'Partners', url: 'acme-partners', version: 3, isPrivate: true })
  await post(`/v1/status-pages/${page.id}/subscriptions/bulk`, {
    subscriptions: ['ada', 'grace', 'edsger'].map((name) => ({
      type: 'EMAIL',
      config: `${name}@example.com`,
    })),
  })
  await post(`/v1/status-pages/${page.id}/webhooks`, {
    name: 'Chat',
    url: 'https://chat.example.com/hooks/status',
  })
  await post(`/v1/status-pages/${page.id}/automation-rules`, {
    ...{
      name: 'The shop is down',
      tags: ['web'],
      firstUpdate: 'We are investigating.',
      lastUpdate: 'All is well.',
    },
    components: [
      { componentId: shop.id, targetImpact: 'MAJOR_OUTAGE' },
      { componentId: internal.id, targetImpact: 'PARTIAL_OUTAGE' },
    ],
  })
  await post('/v1/status-pages/incident-templates', {
    name: 'Checkout down',
    incident: {
      ...{ name: 'Checkout is not available', severity: 'CRITICAL', services: [{ id: ids.Checkout }] },
      incidentUpdates: [{ description: 'We are looking into it.', notifySubscribers: true }],
    },
  })
  const resolved = await post('/v1/status-pages/incidents', {
    ...{ name: 'Search was slow', severity: 'MINOR', services: [{ id: ids['Search API'] }] },
    incidentUpdates: [
      { description: 'Results take longer than usual.', publicIncidentUpdateDate: ago(26 * hourMs) },
    ],
  })
  const updates = (id: string) => `/v1/status-pages/incidents/${id}/incident-updates`
  await post(updates(resolved.id), {
    ...{
      status: 'RESOLVED',
      description: 'Search is quick again.',
      publicIncidentUpdateDate: ago(25 * hourMs),
    },
  })
  const incident = await post('/v1/status-pages/incidents', {
    ...{
      name: 'Checkout is failing',
      severity: 'MAJOR',
      services: [{ id: ids.Checkout }, { id: ids['Orders API'] }],
    },
    incidentUpdates: [
      {
        ...{ description: 'Some orders can’t be paid. We are looking into it.', notifySubscribers: true },
        publicIncidentUpdateDate: ago(48 * minuteMs),
      },
    ],
  })
  await post(updates(incident.id), {
    ...{ status: 'IDENTIFIED', description: 'The payment provider times out. We switch to the second one.' },
    ...{ publicIncidentUpdateDate: ago(20 * minuteMs), notifySubscribers: true },
  })
  const dashboard = await post('/v1/dashboards', {
    ...{ header: 'Production', customUrl: 'acme-production', tags: ['production'], enableIncidents: true },
    ...{ description: 'Everything that customers use.', isPrivate: true },
  })
  await post('/v1/dashboards', { header: 'Office wall', width: 'FULL', paginationRate: 30 })
  const onDashboard = await post('/v1/incidents', {
    ...{ name: 'Database upgrade', impact: 'MAINTENANCE', dashboardId: dashboard.id, startedAt: ago(hourMs) },
    incidentUpdates: [{ status: 'MAINTENANCE', description: 'Orders are read-only for an hour.' }],
  })
  return {
    statusPageId: page.id,
    incidentId: incident.id,
    resolvedId: resolved.id,
    dashboardIncidentId: onDashboard.id,
    dashboardId: dashboard.dashboardId,
  }
}
