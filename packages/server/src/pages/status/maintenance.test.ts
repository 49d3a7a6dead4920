import { dayMs, hourMs } from '@vedette/contracts'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Stage, startStage } from './maintenance.fixture.ts'

const start = Date.parse('2026-11-16T12:00:00Z')
const once = { startsAt: '2026-11-20T08:00:00Z', endsAt: '2026-11-20T09:00:00Z' }
const running = { startsAt: '2026-11-16T11:00:00Z', endsAt: '2026-11-16T14:00:00Z' }

let stage: Stage
beforeAll(async () => {
  stage = await startStage('2026-11-16T12:00:00Z')
})
afterAll(() => stage.api.close())
beforeEach(() => {
  stage.now = start
})

async function pageOf(...names: string[]) {
  const services = []
  for (const name of names) services.push(await stage.service(name))
  return stage.page(services)
}

const report = (serviceId: string, updates: { at: number; status: string }[]) =>
  updates.reduce<Promise<string | null>>(async (before, { at, status }) => {
    const id = await before
    const update = { status, description: '…', publicIncidentUpdateDate: new Date(at).toISOString() }
    if (id === null) {
      const incident = { name: 'Down', severity: 'CRITICAL', services: [{ id: serviceId }] }
      const sent = { ...incident, incidentUpdates: [update] }
      return (await stage.api.alice.post('/v1/status-pages/incidents', sent)).body.id
    }
    await stage.api.alice.post(`/v1/status-pages/incidents/${id}/incident-updates`, update)
    return id
  }, Promise.resolve(null))

describe('running maintenance', () => {
  it('shows on its services and in the headline', async () => {
    const page = await pageOf('Checkout', 'Search')
    const visibility = { serviceIds: page.services.slice(0, 1), severity: 'MINOR' }
    const id = await stage.maintain(page, { ...running, description: 'We move\nto a new disk.' }, visibility)
    const { text } = await stage.open(`/s/${page.url}`)
    expect(text).toContain('Some services are under maintenance')
    expect(text).toContain('Maintenance in progress')
    expect(text).toContain(`href="/s/${page.url}/maintenance/${id}-20261116T110000Z">New database</a>`)
    expect(text).toContain('Nov 16, 2026, 11:00 – 14:00 UTC')
    expect(text).toContain('Affects: Checkout</p>')
    expect(text).toContain('Expected impact: Degraded performance')
    expect(text).toContain('We move\nto a new disk.')
    expect(text.match(/<span class="state maintenance">/g)).toHaveLength(1)
    expect(text.match(/<span class="m" title="Nov 16, 2026: Under maintenance">/g)).toHaveLength(1)
    expect(text).toContain('Days with maintenance: 1')
  })

  it('gives way to an open incident', async () => {
    const page = await pageOf('Checkout')
    await stage.maintain(page, running)
    await report(page.services[0] ?? '', [{ at: start - hourMs / 2, status: 'INVESTIGATING' }])
    const { text } = await stage.open(`/s/${page.url}`)
    expect(text).toContain('Major outage: Checkout')
    expect(text).toContain('Maintenance in progress')
  })

  it('marks no service that the owner hides, and is still in the headline', async () => {
    const page = await pageOf('Checkout')
    await stage.maintain(page, running, { showAffectedServices: false })
    const { text } = await stage.open(`/s/${page.url}`)
    expect(text).toContain('Some services are under maintenance')
    expect(text).not.toContain('Affects')
    expect(text).not.toContain('<span class="state maintenance">')
    expect(text).not.toContain('<span class="m"')
  })

  it('stays planned without autoStart', async () => {
    const page = await pageOf('Checkout')
    await stage.maintain(page, running, { autoStart: false })
    const { text } = await stage.open(`/s/${page.url}`)
    expect(text).toContain('All systems operational')
    expect(text).toContain('Planned maintenance')
  })
})

describe('planned maintenance', () => {
  it('is listed, soonest first, for 14 days', async () => {
    const page = await pageOf('Checkout')
    await stage.maintain(page, { ...once, name: 'Second' })
    await stage.maintain(page, {
      name: 'First',
      startsAt: '2026-11-19T08:00:00Z',
      endsAt: '2026-11-19T09:00:00Z',
    })
    await stage.maintain(page, {
      name: 'Far',
      startsAt: '2026-12-01T08:00:00Z',
      endsAt: '2026-12-01T09:00:00Z',
    })
    const { text } = await stage.open(`/s/${page.url}`)
    expect(text).toContain('All systems operational')
    expect(text.indexOf('First')).toBeLessThan(text.indexOf('Second'))
    expect(text).toContain('First')
    expect(text).not.toContain('Far')
    expect(text).toContain(`href="/s/${page.url}/maintenance.ics"`)
  })

  it('repeats by the clock of its zone, across a clock change', async () => {
    stage.now = Date.parse('2026-10-23T12:00:00Z')
    const page = await pageOf('Checkout')
    await stage.maintain(page, {
      ...{ startsAt: '2026-10-22T08:00:00Z', endsAt: '2026-10-22T09:00:00Z', timezone: 'Europe/Berlin' },
      ...{ repeatInterval: 1, repeatUnit: 'DAY', repeatEndsAt: '2026-10-27T00:00:00Z' },
    })
    const { text } = await stage.open(`/s/${page.url}`)
    const times = [...text.matchAll(/Oct (\d+), 2026, (\d\d:\d\d) – (\d\d:\d\d) UTC/g)].map((match) =>
      match.slice(1).join(' '),
    )
    expect(times).toEqual(['24 08:00 09:00', '25 09:00 10:00', '26 09:00 10:00'])
  })

  it('folds further occurrences, so that a daily window does not hide others', async () => {
    const page = await pageOf('Checkout')
    await stage.maintain(page, { ...once, repeatInterval: 1, repeatUnit: 'DAY' })
    await stage.maintain(page, {
      name: 'Once',
      startsAt: '2026-11-25T08:00:00Z',
      endsAt: '2026-11-25T09:00:00Z',
    })
    const { text } = await stage.open(`/s/${page.url}`)
    expect(text).toContain('<summary>10 more</summary>')
    expect(text.indexOf('>Once</a>')).toBeLessThan(text.indexOf('10 more'))
  })

  it('is absent unless it is published on a page that shows the service', async () => {
    const page = await pageOf('Checkout')
    const other = await pageOf('Search')
    const later = await stage.service('Internal')
    await stage.maintain(page, { ...once, name: 'Off' }, { enabled: false })
    await stage.maintain(page, { ...once, name: 'Elsewhere' }, { statusPageIds: [other.id] })
    await stage.maintain(page, { ...once, name: 'Invisible' }, { serviceIds: [later] })
    await stage.api.alice.post('/v1/maintenance-windows', { ...once, name: 'Silent' })
    for (const { url } of [page, other]) {
      const { text } = await stage.open(`/s/${url}`)
      expect(text).not.toMatch(/Planned maintenance|Off|Elsewhere|Invisible|Silent/)
    }
    await stage.maintain(page, { ...once, name: 'Everything' }, { affectAllServices: true, serviceIds: [] })
    expect((await stage.open(`/s/${page.url}`)).text).toContain('Everything')
  })

  it('speaks German', async () => {
    const page = await pageOf('Checkout')
    await stage.maintain(page, once)
    const { text } = await stage.open(`/s/${page.url}?lang=de`)
    expect(text).toContain('Geplante Wartung')
    expect(text).toContain('20. Nov. 2026, 08:00–09:00 UTC')
  })
})

describe('the page of an occurrence', () => {
  it('is permanent, before, during and after it', async () => {
    const page = await pageOf('Checkout')
    const id = await stage.maintain(page, { ...once, repeatInterval: 1, repeatUnit: 'WEEK' })
    const path = `/s/${page.url}/maintenance/${id}-20261120T080000Z`
    for (const [at, phase] of [
      [start, 'Planned'],
      ['2026-11-20T08:30:00Z', 'In progress'],
      ['2028-11-20T08:30:00Z', 'Completed'],
    ] as const) {
      stage.now = new Date(at).getTime()
      const { status, text } = await stage.open(path)
      expect(status).toBe(200)
      expect(text).toContain('<h1>New database</h1>')
      expect(text).toContain(`</svg>${phase}</p>`)
      expect(text).toContain('Affects: Checkout')
    }
  })

  it('404: other times, windows, pages and keys', async () => {
    const page = await pageOf('Checkout')
    const other = await pageOf('Search')
    const id = await stage.maintain(page, once)
    const keys = [
      `${id}-20261120T090000Z`,
      `${id + 1000}-20261120T080000Z`,
      `${id}`,
      'x',
      `${id}-99999999T999999Z`,
    ]
    for (const key of keys)
      expect((await stage.open(`/s/${page.url}/maintenance/${key}`)).status, key).toBe(404)
    expect((await stage.open(`/s/${other.url}/maintenance/${id}-20261120T080000Z`)).status).toBe(404)
  })
})

describe('past maintenance', () => {
  it('is in the history of its month, with a link to the months before', async () => {
    const page = await pageOf('Checkout')
    await stage.maintain(page, { startsAt: '2026-10-05T08:00:00Z', endsAt: '2026-10-05T10:00:00Z' })
    const current = (await stage.open(`/s/${page.url}/history`)).text
    expect(current).toContain('No incidents and no maintenance in this month.')
    expect(current).toContain('history/2026-10')
    const october = (await stage.open(`/s/${page.url}/history/2026-10`)).text
    expect(october).toContain('New database')
    expect(october).toContain('Maintenance · Completed · Oct 5, 2026, 08:00 – 10:00 UTC')
    expect(october).not.toContain('rel="next"')
  })

  it.each([
    ['shown', true],
    ['hidden', false],
  ])('is excluded from the downtime of its services: %s', async (_, showAffectedServices) => {
    const page = await pageOf('Checkout', 'Search')
    const [first = '', second = ''] = page.services
    const outage = [
      { at: start - 2 * dayMs, status: 'INVESTIGATING' },
      { at: start - 2 * dayMs + 4 * hourMs, status: 'RESOLVED' },
    ]
    await report(first, outage)
    await report(second, outage)
    const window = {
      startsAt: new Date(start - 2 * dayMs - hourMs).toISOString(),
      endsAt: new Date(start - 2 * dayMs + 5 * hourMs).toISOString(),
    }
    await stage.maintain(page, window, { serviceIds: [first], showAffectedServices })
    const { text } = await stage.open(`/s/${page.url}`)
    expect(text.match(/<span>[\d.]+ % uptime/g)).toEqual(['<span>100 % uptime', '<span>99.81 % uptime'])
  })
})

it('shows markup in texts of maintenance as text', async () => {
  const evil = '"><script>alert(1)</script>'
  const page = await pageOf(evil)
  const id = await stage.maintain(page, { ...once, name: evil, description: evil })
  for (const path of ['', `/maintenance/${id}-20261120T080000Z`, '/feed.rss', '/feed.atom']) {
    const { status, text } = await stage.open(`/s/${page.url}${path}`)
    expect(status, path).toBe(200)
    expect(text, path).not.toContain('<script>alert')
    expect(text, path).toContain('&lt;script&gt;alert(1)')
  }
})

it('is shown by a private page only to those who have its key', async () => {
  const service = await stage.service('Checkout')
  const page = await stage.page([service], { isPrivate: true })
  const id = await stage.maintain(page, once)
  const authorization = `Basic ${Buffer.from(`x:${page.key}`).toString('base64')}`
  for (const path of ['', `/maintenance/${id}-20261120T080000Z`, '/maintenance.ics', '/feed.json']) {
    const refused = await stage.open(`/s/${page.url}${path}`)
    expect(refused.status, path).toBe(401)
    expect(refused.text, path).not.toContain('New database')
    const shown = await stage.open(`/s/${page.url}${path}`, { authorization })
    expect(shown.status, path).toBe(200)
    expect(shown.text, path).toContain('New database')
    expect(shown.headers.get('cache-control')).toBe('private, no-store')
  }
})
