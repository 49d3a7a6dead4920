import { randomUUID } from 'node:crypto'
import { minuteMs, pagePreviewLimits } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../testing/api.ts'

let api: TestApi
let serviceId: string
let page: { id: string; url: string }
let groupId: string
beforeAll(async () => {
  api = await startTestApi()
  serviceId = (await api.alice.post('/v1/status-pages/services', { name: 'Checkout' })).body.id
  page = (await api.alice.post('/v1/status-pages', { name: 'Acme', url: 'acme', version: 3 })).body
  groupId = randomUUID()
  await api.alice.post('/v1/status-pages/incidents', {
    ...{ name: 'Checkout is slow', severity: 'MAJOR', services: [{ id: serviceId }] },
    incidentUpdates: [{ description: 'We are looking into it.' }],
  })
})
afterAll(() => api.close())

const settings = { name: 'Acme renamed', url: 'acme', description: 'Not saved yet', isPrivate: true }

async function preview(path: string, body: object) {
  const response = await api.alice.post(path, body)
  expect(response.status, response.text).toBe(201)
  return response.body
}

const open = (path: string) => fetch(api.url + path)

describe('the preview of a status page', () => {
  it('201: shows what is not saved, and saves nothing', async () => {
    const { path } = await preview('/v1/status-pages/previews', {
      statusPageId: page.id,
      page: settings,
      components: [
        { id: groupId, type: 'GROUP', name: 'Shop' },
        { id: randomUUID(), parentId: groupId, type: 'SERVICE', serviceId },
        { id: randomUUID(), parentId: groupId, type: 'SERVICE', name: 'New service' },
        { id: randomUUID(), type: 'SERVICE', name: 'Unseen', hidden: true },
      ],
    })
    const response = await open(path)
    const text = await response.text()
    expect(response.status).toBe(200)
    for (const words of ['Acme renamed', 'Not saved yet', 'Shop', 'Checkout is slow', 'New service'])
      expect(text).toContain(words)
    expect(text).not.toContain('Unseen')
    const { body } = await api.alice.get(`/v1/status-pages/${page.id}`)
    expect(body).toMatchObject({ name: 'Acme', isPrivate: false, components: [] })
  })

  it('is framed by its own origin only, runs nothing, and is not kept', async () => {
    const { path } = await preview('/v1/status-pages/previews', { page: settings })
    const { headers } = await open(path)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("frame-ancestors 'self'; sandbox")
    expect(policy).not.toMatch(/script-src|sandbox allow/)
    expect(headers.get('cache-control')).toContain('no-store')
    expect(headers.get('x-robots-tag')).toContain('noindex')
  })

  it('no other page may be framed', async () => {
    const browser = { accept: 'text/html' }
    for (const path of [
      '/',
      '/status-pages/new',
      '/s/acme',
      '/s/acme/history',
      '/d/none',
      '/s/none',
      '/r/none',
    ]) {
      const { headers } = await fetch(api.url + path, { headers: browser })
      expect(headers.get('content-security-policy'), path).toContain("frame-ancestors 'none'")
    }
  })

  it('404: after some minutes, and for ids that nobody has', async () => {
    const { path, id } = await preview('/v1/status-pages/previews', { page: settings })
    const past = new Date(Date.now() - (pagePreviewLimits.minutes + 1) * minuteMs)
    await api.store.pool.query('update page_previews set created_at = $1 where id = $2', [past, id])
    for (const gone of [path, `/preview/${randomUUID()}`, '/preview/none', `${path}/images/none`])
      expect((await open(gone)).status, gone).toBe(404)
    await preview('/v1/status-pages/previews', { page: settings })
    const { rowCount } = await api.store.pool.query('select from page_previews where id = $1', [id])
    expect(rowCount).toBe(0)
  })

  it('an account has a limited number', async () => {
    const { id } = await preview('/v1/status-pages/previews', { page: settings })
    await api.store.pool.query(
      `insert into page_previews select gen_random_uuid(), account_id, draft, created_at + interval '1 second'
       from page_previews, generate_series(1, $2) where id = $1`,
      [id, pagePreviewLimits.perAccount],
    )
    await preview('/v1/status-pages/previews', { page: settings })
    const { rows } = await api.store.pool.query('select count(*)::int as total from page_previews')
    expect(rows).toEqual([{ total: pagePreviewLimits.perAccount }])
    expect((await open(`/preview/${id}`)).status).toBe(404)
  })

  it('404: of a page of another account, and incidents of its services are not shown', async () => {
    const { status } = await api.bob.post('/v1/status-pages/previews', {
      statusPageId: page.id,
      page: settings,
    })
    expect(status).toBe(404)
    const component = { id: randomUUID(), type: 'SERVICE', name: 'Theirs', serviceId }
    const { body } = await api.bob.post('/v1/status-pages/previews', {
      page: settings,
      components: [component],
    })
    expect(await (await open(body.path)).text()).not.toContain('Checkout')
  })

  it('is not in the audit log', async () => {
    await preview('/v1/status-pages/previews', { page: settings })
    const { text } = await api.alice.get('/v1/audit-log')
    expect(text).not.toContain('previews')
  })
})

describe('the preview of a dashboard', () => {
  it('201: shows what is not saved', async () => {
    const made = await api.alice.post('/v1/dashboards', { header: 'Before', enableIncidents: true })
    await api.alice.post('/v1/incidents', {
      ...{ name: 'Maintenance tonight', dashboardId: made.body.id },
      incidentUpdates: [{ status: 'INVESTIGATING', description: 'x' }],
    })
    const dashboard = {
      header: 'After',
      description: 'Not saved yet',
      enableIncidents: true,
      isPrivate: true,
    }
    const { dashboardId } = made.body
    const { path } = await preview('/v1/dashboards/previews', { dashboardId, dashboard })
    const text = await (await open(`${path}?theme=dark`)).text()
    for (const words of ['After', 'Not saved yet', 'Maintenance tonight', 'data-theme="dark"'])
      expect(text).toContain(words)
    expect((await api.alice.get(`/v1/dashboards/${dashboardId}`)).body.header).toBe('Before')
    expect((await api.bob.post('/v1/dashboards/previews', { dashboardId, dashboard })).status).toBe(404)
  })

  it('201: of a new one', async () => {
    const { path } = await preview('/v1/dashboards/previews', { dashboard: { header: 'New' } })
    expect(await (await open(path)).text()).toContain('New')
  })
})

describe('/status-pages/<name>', () => {
  const follow = (path: string) =>
    fetch(api.url + path, { redirect: 'manual', headers: { accept: 'text/html' } })

  it('308: names of mails lead to the page', async () => {
    for (const name of ['acme', 'newer', 'a-b']) {
      const { status, headers } = await follow(`/status-pages/${name}`)
      expect([status, headers.get('location')]).toEqual([308, `/s/${name}`])
    }
  })

  it('200: ids and “new” are screens of the app', async () => {
    for (const name of [page.id, page.id.toUpperCase(), 'new']) {
      const response = await follow(`/status-pages/${name}`)
      expect(response.status).toBe(200)
      // The app, or that it is being built.
      expect(await response.text()).toMatch(/vedette-build|web app/)
    }
  })
})
