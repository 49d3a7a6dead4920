import { hourMs, minuteMs } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { insertResults } from '../../testing/results.ts'

let api: TestApi
let now: number
let count = 0
let shopId: string

beforeAll(async () => {
  now = Date.now()
  api = await startTestApi({}, { now: () => now })
  const group = (
    await api.alice.post('/v1/check-groups', { name: 'Europe', tags: ['eu'], locations: ['eu-west-1'] })
  ).body
  shopId = await createCheck('Shop', ['shop', 'web'], { groupId: group.id })
  await createCheck('Blog', ['web'])
  const results = [1, 2, 3, 4].map((hours) => ({
    accountId: api.alice.accountId,
    checkId: shopId,
    scheduledAt: now - hours * hourMs + minuteMs,
    checkType: 'URL' as const,
    responseTimeMs: 100 * hours,
    hasFailures: hours === 2,
  }))
  await insertResults(api.store, results)
})
afterAll(() => api.close())

async function createCheck(
  name: string,
  tags: string[],
  values: Record<string, unknown> = {},
): Promise<string> {
  const { status, text, body } = await api.alice.post('/v1/checks/url', {
    name,
    tags,
    locations: ['eu-west-1'],
    request: { url: 'https://example.com' },
    ...values,
  })
  expect(status, text).toBe(201)
  return body.id
}

async function createDashboard(values: Record<string, unknown> = {}): Promise<string> {
  const customUrl = `board-${++count}`
  const { status, text } = await api.alice.post('/v1/dashboards', { header: 'Acme', customUrl, ...values })
  expect(status, text).toBe(201)
  return customUrl
}

async function open(path: string): Promise<string> {
  now += 10_000
  const { status, text } = await api.nobody.send('GET', path)
  expect(status, path).toBe(200)
  return text
}

/** The page of a dashboard with these settings. */
const shown = async (values: Record<string, unknown>, query = '') =>
  open(`/d/${await createDashboard(values)}${query}`)

describe('a dashboard', () => {
  it('shows its checks with state, availability, percentiles and a chart', async () => {
    const text = await shown({})
    expect(text).toContain('<h1>Acme</h1>')
    expect(text).toMatch(/Europe \/ <\/span><a href="[^"]+">Shop/)
    expect(text).toContain('<td data-name="Availability">75.00 %</td>')
    expect(text).toContain('<td data-name="P95">385 ms</td>')
    expect(text).toContain('<td data-name="P99">397 ms</td>')
    expect(text).toContain('<polyline points="')
    expect(text).toMatch(/100 ms to 400 ms\. Failed runs in 1 of 2[45] parts\./)
  })

  it.each([
    ['1h', '100.00 %|100 %', '100 ms'],
    ['3h', '66.66 %', '290 ms'],
    ['24h', '75.00 %', '385 ms'],
    ['7d', '75.00 %', '385 ms'],
    ['30d', '75.00 %', '385 ms'],
  ])('has a range: %s', async (range, availability, p95) => {
    const text = await shown({}, `?range=${range}`)
    expect(text).toMatch(
      new RegExp(`<td data-name="Availability">(${availability})</td><td data-name="P95">${p95}</td>`),
    )
    expect(text).toMatch(new RegExp(`range=${range}"[^>]* aria-current="page"`))
  })

  it('shows checks with one of its tags, or with all of them; tags of groups count', async () => {
    expect(await shown({ tags: ['shop', 'web'] })).toContain('Blog')
    const all = await shown({ tags: ['eu', 'web'], useTagsAndOperator: true })
    expect(all).toContain('Shop')
    expect(all).not.toContain('Blog')
    expect(await shown({ tags: ['none'] })).toContain('No check has the tags')
  })

  it.each([
    ['header', { header: 'The till' }, '<h1>The till</h1>', '<h1>Acme</h1>'],
    ['description', { description: 'All of it' }, 'All of it', null],
    ['link', { link: 'https://example.com/' }, '<h1><a href="https://example.com/">Acme</a></h1>', null],
    ['width', { width: '960PX' }, '<main id="content" class="column narrow-page"', 'column full'],
    ['showHeader', { showHeader: false }, '<h1 class="unseen">Acme</h1>', '<header class="top">'],
    ['hideTags', { hideTags: true }, 'Shop', '<li>web</li>'],
    ['showGroupNames', { showGroupNames: false }, 'Shop', 'Europe'],
    ['showP95', { showP95: false }, 'data-name="P99"', 'data-name="P95"'],
    ['showP99', { showP99: false }, 'data-name="P95"', 'data-name="P99"'],
    ['showCheckRunLinks', { showCheckRunLinks: true }, /href="http[^"]+\/r\/[\w-]+">Last run/, null],
    ['expandChecks', { expandChecks: true }, '<tr class="expanded">', null],
    ['refreshRate', { refreshRate: 300 }, '<meta http-equiv="refresh" content="300">', null],
    ['paginate', { paginate: false, checksPerPage: 1 }, 'Blog', 'Page 1 of 2'],
    ['customCSS', { customCSS: 'h1 { color: red }' }, '.content h1{color:red}', null],
  ])('every field has its effect: %s', async (_name, values, expected, absent) => {
    const text = await shown(values)
    expect(text).toMatch(typeof expected === 'string' ? new RegExp(RegExp.escape(expected)) : expected)
    if (absent !== null) expect(text).not.toContain(absent)
  })

  it('turns its pages by itself', async () => {
    const settings = { checksPerPage: 1, paginationRate: 30 }
    const name = await createDashboard(settings)
    const first = await open(`/d/${name}`)
    expect(first).toContain('Page 1 of 2')
    expect(first).toContain(`content="30; url=/d/${name}?range=24h&amp;page=2"`)
    expect(first).not.toContain('Blog')
    const second = await open(`/d/${name}?page=2`)
    expect(second).toContain('Blog')
    expect(second).toContain(`content="30; url=/d/${name}?range=24h"`)
    expect(await open(`/d/${name}?page=99`)).toContain('Page 2 of 2')
  })

  it('has a tab with its incidents, if they are enabled', async () => {
    const name = await createDashboard({ enableIncidents: true })
    const { body } = await api.alice.send('GET', `/v1/dashboards/${name}?type=customUrl`)
    await api.alice.post('/v1/incidents', {
      name: 'Checkout is slow',
      impact: 'MAJOR',
      dashboardId: body.id,
      incidentUpdates: [{ status: 'INVESTIGATING', description: 'We are looking.' }],
    })
    expect(await open(`/d/${name}`)).toContain('>Checkout is slow</a>')
    const tab = await open(`/d/${name}/incidents`)
    expect(tab).toContain('Checkout is slow')
    expect(tab).toContain('We are looking.')
    const without = await createDashboard()
    expect((await api.nobody.get(`/d/${without}/incidents`)).status).toBe(404)
  })

  it('shows each of its checks with figures, a chart and the latest runs, but no failure message', async () => {
    const name = await createDashboard({ tags: ['shop'] })
    expect(await open(`/d/${name}`)).toContain(`<a href="/d/${name}/checks/${shopId}?range=24h">Shop</a>`)
    const text = await open(`/d/${name}/checks/${shopId}?range=24h`)
    expect(text).toMatch(/<h2>Europe \/ Shop<\/h2>/)
    expect(text).toContain('<dt>Availability</dt><dd>75.00 %</dd>')
    expect(text).toContain('<dt>P99</dt><dd>397 ms</dd>')
    expect(text.match(/<li><span class="state (passing|failing)">/g)).toHaveLength(4)
    expect(text).toContain('<span>eu-west-1</span><span>100 ms</span>')
    expect(text).not.toContain('/r/')
    const linked = await createDashboard({ showCheckRunLinks: true })
    expect(await open(`/d/${linked}/checks/${shopId}`)).toMatch(/href="http[^"]+\/r\/[\w-]+">Failed<\/a>/)
  })

  it('404: a check without its tags, or of another account', async () => {
    const name = await createDashboard({ tags: ['blog'] })
    expect((await api.nobody.get(`/d/${name}/checks/${shopId}`)).status).toBe(404)
    const { body } = await api.bob.post('/v1/dashboards', { header: 'Bob' })
    expect((await api.nobody.get(`/d/${body.dashboardId}/checks/${shopId}`)).status).toBe(404)
    expect((await api.nobody.get(`/d/${name}/checks/nonsense`)).status).toBe(404)
  })

  it('has a mode for screens on a wall', async () => {
    expect(await shown({}, '?wall=1')).toContain('<div class="wall">')
  })

  it('is found by its id too, and shows nothing of other accounts', async () => {
    const { body } = await api.bob.post('/v1/dashboards', { header: 'Bob' })
    const text = await open(`/d/${body.dashboardId}`)
    expect(text).toContain('<h1>Bob</h1>')
    expect(text).not.toContain('Shop')
  })

  it('404: an unknown one', async () => {
    expect((await api.nobody.get('/d/unknown')).status).toBe(404)
  })

  it('shows markup in every text as text', async () => {
    const evil = '"><script>alert(1)</script>'
    await createCheck(evil, ['evil', evil])
    const text = await shown({
      header: evil,
      description: evil,
      tags: ['evil'],
      customCSS: '</style><script>alert(1)</script>',
    })
    expect(text).not.toContain('<script>alert')
    expect(text.match(/&lt;script&gt;alert\(1\)/g)?.length).toBeGreaterThanOrEqual(5)
  })

  it('warns about styles that the page leaves out', async () => {
    const body = { header: 'Acme', customCSS: '@import "x.css"; p { position: fixed }' }
    const { status, headers, body: stored } = await api.alice.post('/v1/dashboards', body)
    expect([status, stored.customCSS]).toEqual([201, body.customCSS])
    expect(decodeURIComponent(headers.get('vedette-warnings') ?? '')).toContain(
      'leaves out @import, position: fixed',
    )
  })
})
