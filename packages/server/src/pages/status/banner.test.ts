import { chromium } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { chromiumPath } from '../../testing/chromium.ts'
import { closeListeners, listenHttp } from '../../testing/listeners.ts'

let api: TestApi
let now = Date.parse('2026-11-16T12:00:00Z')
let serviceId: string
let count = 0
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
})
afterEach(() => closeListeners())
afterAll(() => api.close())

/** A page with a service of its own. */
async function createPage(values: Record<string, unknown> = {}) {
  serviceId = (await api.alice.post('/v1/status-pages/services', { name: 'Checkout' })).body.id
  const cards = [{ name: 'Shop', services: [{ id: serviceId }] }]
  const page = { name: 'Acme', url: `banner-${++count}`, cards, ...values }
  return (await api.alice.post('/v1/status-pages', page)).body
}

async function createIncident(name = 'Payments fail'): Promise<string> {
  const services = [{ id: serviceId }]
  const incidentUpdates = [{ description: 'We look.' }]
  const incident = { name, severity: 'MAJOR', services, incidentUpdates }
  return (await api.alice.post('/v1/status-pages/incidents', incident)).body.id
}

const resolve = (id: string) =>
  api.alice.post(`/v1/status-pages/incidents/${id}/incident-updates`, {
    status: 'RESOLVED',
    description: 'Over.',
  })

const open = (path: string, headers: Record<string, string> = {}) => {
  now += 10_000
  return api.nobody.send('GET', path, undefined, headers)
}

describe('the summary of a status page', () => {
  it('has the state and the open incidents, for scripts of any site', async () => {
    const { url } = await createPage()
    const id = await createIncident()
    const { status, headers, body } = await open(`/s/${url}/summary.json`)
    expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*'])
    expect(headers.get('content-type')).toBe('application/json; charset=utf-8')
    const page = `http://vedette.test/s/${url}`
    expect(body).toEqual({
      page: { name: 'Acme', url: page },
      state: 'partial',
      headline: 'Partial outage: Checkout',
      updatedAt: new Date(now).toISOString(),
      services: [{ id: serviceId, name: 'Checkout', state: 'partial' }],
      incidents: [
        {
          id,
          name: 'Payments fail',
          url: `${page}/incidents/${id}`,
          severity: 'MAJOR',
          state: 'partial',
          status: 'INVESTIGATING',
          startedAt: expect.any(String),
        },
      ],
    })
    await resolve(id)
    expect((await open(`/s/${url}/summary.json?lang=de`)).body).toMatchObject({
      state: 'passing',
      headline: 'Alle Systeme sind in Betrieb',
      incidents: [],
    })
  })

  it('and the page itself are not shared with scripts of other sites beyond that', async () => {
    const { url } = await createPage()
    for (const path of ['', '/feed.json', '/banner.js', '/banner.svg', '/badge.svg'])
      expect((await open(`/s/${url}${path}`)).headers.has('access-control-allow-origin'), path).toBe(false)
  })
})

describe('the banner of a status page', () => {
  it('is a picture, and only a line while all is well', async () => {
    const { url } = await createPage({ name: 'Acme <b> & Co' })
    const calm = await open(`/s/${url}/banner.svg`)
    expect([calm.status, calm.headers.get('content-type')]).toEqual([200, 'image/svg+xml; charset=utf-8'])
    expect(calm.text).toContain('height="1"')
    await createIncident()
    const { text } = await open(`/s/${url}/banner.svg`)
    expect(text).toContain('>Acme &lt;b&gt; &amp; Co: Partial outage: Checkout</text>')
    expect(text).toContain('height="40"')
  })

  it('is a script of less than 2 kB', async () => {
    const { url } = await createPage()
    const { status, headers, text } = await open(`/s/${url}/banner.js`)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/javascript; charset=utf-8'])
    expect(headers.get('set-cookie')).toBeNull()
    expect(Buffer.byteLength(text)).toBeLessThan(2048)
    expect(text).not.toContain('innerHTML')
  })

  it('404 and 401: not of an unknown page, and of a private one only with its key', async () => {
    const page = await createPage({ isPrivate: true })
    const authorization = `Basic ${Buffer.from(`x:${page.keys[0].rawKey}`).toString('base64')}`
    for (const file of ['banner.js', 'banner.svg', 'summary.json']) {
      expect((await open(`/s/unknown/${file}`)).status).toBe(404)
      const refused = await open(`/s/${page.url}/${file}`)
      expect([refused.status, refused.headers.get('access-control-allow-origin')]).toEqual([401, null])
      expect(refused.text).not.toContain('Checkout')
      const opened = await open(`/s/${page.url}/${file}`, { authorization })
      expect([opened.status, opened.headers.get('access-control-allow-origin')]).toEqual([200, null])
      expect(opened.headers.get('cache-control')).toBe('private, no-store')
    }
  })

  it('is shown by other sites while an incident is open, until it is dismissed', {
    timeout: 60_000,
  }, async () => {
    const { url } = await createPage({ name: '<img src=x onerror=alert(1)>' })
    const { url: site } = await listenHttp((_request, response) => {
      response.setHeader('content-type', 'text/html')
      response.setHeader(
        'content-security-policy',
        `default-src 'none'; script-src ${api.url}; connect-src ${api.url}`,
      )
      response.end(
        `<html lang="de-AT"><body>Shop<script src="${api.url}/s/${url}/banner.js"></script></body></html>`,
      )
    })
    const browser = await chromium.launch({ executablePath: chromiumPath(), args: ['--no-sandbox'] })
    try {
      const tab = await browser.newPage()
      // Without the browser's own cache.
      await tab.route('**/*', (route) => route.continue())
      const bar = tab.getByRole('status')
      const reload = async () => {
        now += 10_000
        await tab.goto(site, { waitUntil: 'networkidle' })
      }
      await reload()
      expect(await bar.count()).toBe(0)
      const id = await createIncident()
      await reload()
      expect(await bar.innerText()).toContain('<img src=x onerror=alert(1)>: Teilweiser Ausfall: Checkout')
      expect(await bar.getByRole('link', { name: 'Einzelheiten' }).getAttribute('href')).toMatch(`/s/${url}`)
      expect(await bar.locator('img').count()).toBe(0)
      await bar.getByRole('button', { name: 'Ausblenden' }).click()
      await reload()
      expect(await bar.count()).toBe(0)
      await resolve(id)
      expect(await tab.context().cookies()).toEqual([])
    } finally {
      await browser.close()
    }
  })
})
