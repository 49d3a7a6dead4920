import { dayMs, hourMs } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
let now: number
let serviceId: string
let count = 0

beforeAll(async () => {
  now = Date.parse('2026-11-16T12:00:00Z')
  api = await startTestApi({}, { now: () => now })
  serviceId = await createService('Checkout')
})
afterAll(() => api.close())

/** Content is kept for seconds: moves the clock past them. */
const passTime = () => {
  now += 10_000
}

async function createService(name: string): Promise<string> {
  const { body } = await api.alice.post('/v1/status-pages/services', { name })
  return body.id
}

async function createPage(values: Record<string, unknown> = {}): Promise<string> {
  const url = `page-${++count}`
  const cards = [{ name: 'Shop', services: [{ id: serviceId }] }]
  const { status, text } = await api.alice.post('/v1/status-pages', { name: 'Acme', url, cards, ...values })
  expect(status, text).toBe(201)
  return url
}

async function createIncident(values: Record<string, unknown> = {}, updates: Record<string, unknown>[] = []) {
  const [first, ...others] = updates.length > 0 ? updates : [{ description: 'We are looking into it.' }]
  const { body } = await api.alice.post('/v1/status-pages/incidents', {
    name: 'Payments fail',
    severity: 'MAJOR',
    services: [{ id: serviceId }],
    incidentUpdates: [first],
    ...values,
  })
  for (const update of others)
    await api.alice.post(`/v1/status-pages/incidents/${body.id}/incident-updates`, update)
  return body.id as string
}

const open = async (path: string, headers: Record<string, string> = {}) => {
  passTime()
  return api.nobody.send('GET', path, undefined, headers)
}

describe('a status page', () => {
  it('shows cards and services, and that all is well', async () => {
    const url = await createPage({ description: 'Our services' })
    const { status, headers, text } = await open(`/s/${url}`)
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(text).toContain('All systems operational')
    expect(text).toContain('Our services')
    expect(text).toContain('<h2 id="card0">Shop</h2>')
    expect(text).toContain('<h3>Checkout</h3>')
    expect(text).toContain('100 % uptime')
    expect(text.match(/<span title="/g)).toHaveLength(90)
  })

  it('is found whatever the case of its name, and at its address of earlier releases', async () => {
    const url = await createPage()
    expect((await open(`/s/${url.toUpperCase()}`)).status).toBe(200)
    const earlier = await fetch(`${api.url}/status-pages/${url}`, { redirect: 'manual' })
    expect([earlier.status, earlier.headers.get('location')]).toEqual([308, `/s/${url}`])
  })

  it('404: an unknown one', async () => {
    for (const path of ['', '/history', '/feed.rss'])
      expect((await open(`/s/unknown${path}`)).status).toBe(404)
  })

  it('shows an open incident, its updates, and counts it when it is resolved', async () => {
    serviceId = await createService('Checkout')
    const url = await createPage()
    const id = await createIncident()
    const during = (await open(`/s/${url}`)).text
    expect(during).toContain('Partial outage: Checkout')
    expect(during).toContain(`href="/s/${url}/incidents/${id}">Payments fail</a>`)
    expect(during).toContain('We are looking into it.')
    now += hourMs
    await api.alice.post(`/v1/status-pages/incidents/${id}/incident-updates`, {
      status: 'RESOLVED',
      description: 'The card processor is back.',
    })
    const after = (await open(`/s/${url}`)).text
    expect(after).toContain('All systems operational')
    expect(after).toContain('The card processor is back.')
    expect(after).toContain('Lasted 1 h')
    expect(after).toContain('99.95 % uptime')
    expect(after).toContain('Days with incidents: 1')
    expect(after).toContain('<span class="p" title="Nov 16, 2026: Partial outage, 1 h"></span>')
  })

  it('has a permanent address for an incident, with all updates', async () => {
    const url = await createPage()
    const [began, ended] = [now - 200 * dayMs, now - 200 * dayMs + 2 * hourMs]
    const id = await createIncident({ name: 'An old one' }, [
      { description: 'It began.', publicIncidentUpdateDate: new Date(began).toISOString() },
      {
        description: 'It ended.',
        status: 'RESOLVED',
        publicIncidentUpdateDate: new Date(ended).toISOString(),
      },
    ])
    const { status, text } = await open(`/s/${url}/incidents/${id}`)
    expect(status).toBe(200)
    expect(text).toContain('<h1>An old one</h1>')
    expect(text).toContain('Lasted 2 h')
    expect(text).toContain('Affects: Checkout')
    expect(text.indexOf('It ended.')).toBeLessThan(text.indexOf('It began.'))
    expect(text).toContain('Added later, on Nov 16, 2026')
    const month = new Date(began).toISOString().slice(0, 7)
    expect((await open(`/s/${url}/history/${month}`)).text).toContain('An old one')
    const current = (await open(`/s/${url}/history`)).text
    expect(current).not.toContain('An old one')
    expect(current).toContain('rel="next" href="/s/')
    expect((await open(`/s/${url}/history/${month}`)).text).not.toContain('rel="next"')
    expect((await open(`/s/${url}`)).text).not.toContain('An old one')
  })

  it('404: incidents of other services and other accounts', async () => {
    const url = await createPage()
    const other = await createIncident({ services: [{ id: await createService('Internal') }] })
    expect((await open(`/s/${url}/incidents/${other}`)).status).toBe(404)
    const { text } = await open(`/s/${url}`)
    expect(text).not.toContain('Internal')
    expect((await open(`/s/${url}/incidents/not-an-id`)).status).toBe(404)
  })

  it('names only services of this page', async () => {
    const internal = await createService('Internal')
    const url = await createPage()
    const id = await createIncident({ services: [{ id: serviceId }, { id: internal }] })
    expect((await open(`/s/${url}/incidents/${id}`)).text).toContain('Affects: Checkout</p>')
  })

  it('shows markup in every text as text', async () => {
    const evil = '"><script>alert(1)</script>'
    serviceId = await createService(evil)
    const url = await createPage({
      name: evil,
      description: evil,
      cards: [{ name: evil, services: [{ id: serviceId }] }],
    })
    const id = await createIncident({ name: evil }, [{ description: evil }])
    for (const path of ['', `/incidents/${id}`, '/history', '/feed.rss', '/feed.atom']) {
      const { status, text } = await open(`/s/${url}${path}`)
      expect(status, path).toBe(200)
      expect(text, path).not.toContain('<script>alert')
      expect(text, path).toContain('&lt;script&gt;alert(1)')
    }
  })

  it.each([
    ['rss', 'application/rss+xml; charset=utf-8', '<title>Feed me</title>'],
    ['atom', 'application/atom+xml; charset=utf-8', '<title>Feed me</title>'],
    ['json', 'application/feed+json; charset=utf-8', '"title":"Feed me"'],
  ])('has a feed: %s', async (kind, type, expected) => {
    serviceId = await createService('Search')
    const url = await createPage()
    await createIncident({ name: 'Feed me' })
    const { status, headers, text } = await open(`/s/${url}/feed.${kind}`)
    expect([status, headers.get('content-type')]).toEqual([200, type])
    expect(text).toContain(expected)
    expect((await open(`/s/${url}/feed.xml`)).status).toBe(404)
  })

  it('speaks the language of the visitor, or the one that is asked for', async () => {
    serviceId = await createService('Suche')
    const url = await createPage()
    const german = await open(`/s/${url}`, { 'accept-language': 'fr;q=0.5, de-CH, en;q=0.8' })
    expect(german.text).toContain('<html lang="de">')
    expect(german.text).toContain('Alle Systeme sind in Betrieb')
    expect(german.headers.get('vary')).toContain('accept-language')
    expect((await open(`/s/${url}?lang=en`, { 'accept-language': 'de' })).text).toContain('<html lang="en">')
  })

  it('has its own theme and colors, unless another theme is asked for', async () => {
    const color = '#0AF'
    const names = [
      'bodyBackgroundColor',
      'headerBackgroundColor',
      'headerFontColor',
      'titleFontColor',
      'bodyFontColor',
      'bodyFontColorMuted',
      'navigationFontColor',
      'linkFontColor',
      'cardBackgroundColor',
      'borderColor',
      'primaryButtonBackgroundColor',
      'primaryButtonFontColor',
    ]
    const light = Object.fromEntries(names.map((name) => [name, color]))
    const url = await createPage({ defaultTheme: 'DARK', themeColors: { light } })
    const { text, headers } = await open(`/s/${url}`)
    expect(text).toContain('<html lang="en" data-theme="dark">')
    expect(text).toContain('--page:light-dark(#0AF,#0AF)')
    expect(headers.get('content-security-policy')).not.toContain('unsafe-inline')
    expect((await open(`/s/${url}?theme=light`)).text).toContain('data-theme="light"')
    expect((await open(`/s/${url}?theme=auto`)).text).toContain('<html lang="en">')
  })

  it('has links and a text of its own in the footer, and loads nothing from others', async () => {
    const url = await createPage({
      supportLink: 'https://example.com/help?a=1&b="2"',
      privacyPolicyLink: 'https://example.com/privacy',
      termsOfServiceLink: '',
      footerText: '<b>Acme Ltd</b>',
      googleAnalyticsTag: 'G-12345',
    })
    const { text } = await open(`/s/${url}`)
    expect(text).toContain('<a href="https://example.com/help?a=1&amp;b=&quot;2&quot;">Support</a>')
    expect(text).toContain('<a href="https://example.com/privacy">Privacy policy</a>')
    expect(text).not.toContain('Terms of service')
    expect(text).toContain('&lt;b&gt;Acme Ltd&lt;/b&gt;')
    expect(text).not.toContain('G-12345')
  })

  it('links to the email address of the support', async () => {
    const url = await createPage({ supportLink: 'mailto:help@example.com?subject="Shop"&cc=<b>' })
    const { text } = await open(`/s/${url}`)
    expect(text).toContain(
      '<a href="mailto:help@example.com?subject=&quot;Shop&quot;&amp;cc=&lt;b&gt;">Support</a>',
    )
  })

  it('is hidden from search engines, if its owner wants that', async () => {
    expect((await open(`/s/${await createPage()}`)).headers.get('x-robots-tag')).toBeNull()
    const { text, headers } = await open(`/s/${await createPage({ allowIndexing: false })}`)
    expect(headers.get('x-robots-tag')).toBe('noindex, nofollow')
    expect(text).toContain('<meta name="robots" content="noindex, nofollow">')
  })

  it('is not sent again to visitors who have it', async () => {
    const url = await createPage()
    const first = await open(`/s/${url}`)
    const etag = first.headers.get('etag') ?? ''
    expect(etag).toMatch(/^"/)
    const again = await api.nobody.send('GET', `/s/${url}`, undefined, { 'if-none-match': etag })
    expect([again.status, again.text]).toEqual([304, ''])
  })
})
