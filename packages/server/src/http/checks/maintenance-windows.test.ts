import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const valid = { name: 'Release', startsAt: '2026-11-20T08:00:00.000Z', endsAt: '2026-11-20T09:00:00.000Z' }
const repeating = {
  ...valid,
  tags: ['web'],
  repeatInterval: 2,
  repeatUnit: 'WEEK',
  repeatEndsAt: '2027-11-20T00:00:00.000Z',
  pauseAllChecks: true,
  silenceAllAlerts: true,
  silenceAlertsTags: ['api', 'shop'],
  timezone: 'America/New_York',
  description: 'The database gets a new version',
}

describe('POST /v1/maintenance-windows', () => {
  it('201: returns the window with its defaults', async () => {
    const { status, body } = await api.alice.post('/v1/maintenance-windows', valid)
    expect(status).toBe(201)
    expect(body).toEqual({
      ...valid,
      id: expect.any(Number),
      tags: [],
      repeatInterval: null,
      repeatUnit: null,
      repeatEndsAt: null,
      pauseAllChecks: false,
      silenceAllAlerts: false,
      silenceAlertsTags: [],
      timezone: null,
      description: null,
      statusPageVisibility: null,
      created_at: expect.any(String),
      updated_at: null,
    })
    expect((await api.alice.get(`/v1/maintenance-windows/${body.id}`)).body).toEqual(body)
  })

  it('201: stores every field', async () => {
    const { body } = await api.alice.post('/v1/maintenance-windows', repeating)
    expect((await api.alice.get(`/v1/maintenance-windows/${body.id}`)).body).toMatchObject(repeating)
  })

  it('201: keeps dates with a zone, or without one, as instants in UTC', async () => {
    const dates = {
      startsAt: '2026-11-20T10:00+02:00',
      endsAt: '2026-11-20T09:00',
      repeatEndsAt: '2026-12-01',
    }
    const { status, body } = await api.alice.post('/v1/maintenance-windows', { ...valid, ...dates })
    expect(status).toBe(201)
    expect(body).toMatchObject({ ...valid, repeatEndsAt: '2026-12-01T00:00:00.000Z' })
  })

  it('201: a unit without an interval is a window that does not repeat', async () => {
    const { status } = await api.alice.post('/v1/maintenance-windows', { ...valid, repeatUnit: 'DAY' })
    expect(status).toBe(201)
  })

  it('400: names every wrong field', async () => {
    const { status, body } = await api.alice.post('/v1/maintenance-windows', {
      name: 'x'.repeat(201),
      startsAt: 'tomorrow',
      repeatInterval: 366,
      repeatUnit: 'YEAR',
    })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes).sort()).toEqual([
      'endsAt',
      'name',
      'repeatInterval',
      'repeatUnit',
      'startsAt',
    ])
  })

  it.each([
    ['an end that is not after the start', { endsAt: valid.startsAt }, 'endsAt'],
    ['an interval without a unit', { repeatInterval: 1 }, 'repeatUnit'],
    ['repeats that end before the first window does', { repeatEndsAt: valid.endsAt }, 'repeatEndsAt'],
    ['a zone that there is not', { timezone: 'Mars/Olympus' }, 'timezone'],
    ['an offset for a zone', { timezone: '+02:00' }, 'timezone'],
    ['no name at all for a zone', { timezone: '' }, 'timezone'],
    ['a description of more than 2000 characters', { description: 'x'.repeat(2001) }, 'description'],
  ])('400: refuses %s', async (_, change, field) => {
    const { status, body } = await api.alice.post('/v1/maintenance-windows', { ...valid, ...change })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes)).toEqual([field])
  })

  it('403: a key that may only read creates nothing', async () => {
    expect((await (await api.as('READ_RUN')).post('/v1/maintenance-windows', valid)).status).toBe(403)
  })
})

describe('GET /v1/maintenance-windows', () => {
  it('200: pages and filters by start and end', async () => {
    const owner = await api.newAccount()
    for (const day of ['10', '11', '12', '13']) {
      const dates = { startsAt: `2026-11-${day}T08:00:00Z`, endsAt: `2026-11-${day}T09:00:00Z` }
      await owner.post('/v1/maintenance-windows', { name: day, ...dates })
    }
    const namesOf = async (query: string) => {
      const { status, body } = await owner.get(`/v1/maintenance-windows?${query}`)
      expect(status).toBe(200)
      return body.map((window: { name: string }) => window.name)
    }
    expect(await namesOf('startsAt[gt]=2026-11-11T08:00:00Z')).toEqual(['12', '13'])
    expect(await namesOf('startsAt[gte]=2026-11-11T08:00:00Z')).toEqual(['11', '12', '13'])
    expect(await namesOf('startsAt%5Blt%5D=2026-11-11T10:00:00%2B02:00')).toEqual(['10'])
    expect(await namesOf('startsAt[lte]=2026-11-11T08:00')).toEqual(['10', '11'])
    expect(await namesOf('endsAt[gt]=2026-11-12&endsAt[lt]=2026-11-13')).toEqual(['12'])
    expect(await namesOf('startsAt[gte]=2026-11-11&limit=1&page=2')).toEqual(['12'])
    const { headers } = await owner.get('/v1/maintenance-windows?startsAt[gte]=2026-11-11&limit=1&page=2')
    expect(headers.get('content-range')).toBe('items 1-1/3')
  })

  it("400: a filter that isn't a date", async () => {
    const { status, body } = await api.alice.get('/v1/maintenance-windows?endsAt[gte]=soon')
    expect(status).toBe(400)
    expect(Object.keys(body.attributes)).toEqual(['endsAt.gte'])
  })

  it('404: another account sees nothing', async () => {
    const { body } = await api.alice.post('/v1/maintenance-windows', valid)
    expect((await api.bob.get(`/v1/maintenance-windows/${body.id}`)).status).toBe(404)
    expect((await api.bob.get('/v1/maintenance-windows')).body).toEqual([])
  })
})

describe('PUT /v1/maintenance-windows/{id}', () => {
  it('200: changes only what is sent', async () => {
    const { body: created } = await api.alice.post('/v1/maintenance-windows', repeating)
    const { status, body } = await api.alice.put(`/v1/maintenance-windows/${created.id}`, {
      name: 'New',
      tags: [],
    })
    expect(status).toBe(200)
    expect(body).toEqual({ ...created, name: 'New', tags: [], updated_at: expect.any(String) })
  })

  it('200: moves to another zone, and back to UTC with null', async () => {
    const { body: created } = await api.alice.post('/v1/maintenance-windows', repeating)
    const path = `/v1/maintenance-windows/${created.id}`
    const moved = { timezone: 'Asia/Kolkata', description: 'x'.repeat(2000) }
    expect((await api.alice.put(path, moved)).body).toMatchObject({ ...repeating, ...moved })
    const none = { timezone: null, description: null }
    expect((await api.alice.put(path, none)).body).toMatchObject({ ...repeating, ...none })
  })

  it('200: ends the repetition with null', async () => {
    const { body: created } = await api.alice.post('/v1/maintenance-windows', repeating)
    const once = { repeatInterval: null, repeatUnit: null, repeatEndsAt: null }
    const { body } = await api.alice.put(`/v1/maintenance-windows/${created.id}`, once)
    expect(body).toMatchObject({ ...repeating, ...once })
  })

  it.each([
    ['an end before the stored start', { endsAt: '2026-11-20T07:00:00Z' }, ['endsAt']],
    ['a start after the stored end', { startsAt: '2026-11-20T10:00:00Z' }, ['endsAt']],
    ['no unit for the stored interval', { repeatUnit: null }, ['repeatUnit']],
    ['an end after the stored end of repeats', { endsAt: '2027-11-20T01:00:00Z' }, ['repeatEndsAt']],
    ['a zone that there is not', { timezone: 'Europe/Atlantis' }, ['timezone']],
    ['wrong kinds', { name: '', pauseAllChecks: 'all' }, ['name', 'pauseAllChecks']],
  ])('400: refuses %s', async (_, change, fields) => {
    const { body: created } = await api.alice.post('/v1/maintenance-windows', repeating)
    const path = `/v1/maintenance-windows/${created.id}`
    const { status, body } = await api.alice.put(path, change)
    expect(status).toBe(400)
    expect(Object.keys(body.attributes)).toEqual(fields)
    expect((await api.alice.get(path)).body).toEqual(created)
  })

  it('403: a key that may only read changes nothing', async () => {
    const { body } = await api.alice.post('/v1/maintenance-windows', valid)
    expect((await (await api.as('READ_ONLY')).put(`/v1/maintenance-windows/${body.id}`, {})).status).toBe(403)
  })

  it('404: another account changes nothing', async () => {
    const { body } = await api.alice.post('/v1/maintenance-windows', valid)
    expect((await api.bob.put(`/v1/maintenance-windows/${body.id}`, { name: 'mine' })).status).toBe(404)
  })
})

describe('DELETE /v1/maintenance-windows/{id}', () => {
  it('204: removes it; a second time is 404', async () => {
    const { body } = await api.alice.post('/v1/maintenance-windows', valid)
    expect((await api.alice.delete(`/v1/maintenance-windows/${body.id}`)).status).toBe(204)
    expect((await api.alice.delete(`/v1/maintenance-windows/${body.id}`)).status).toBe(404)
  })

  it('404: another account deletes nothing; 403: nor does a key that may only read', async () => {
    const { body } = await api.alice.post('/v1/maintenance-windows', valid)
    expect((await api.bob.delete(`/v1/maintenance-windows/${body.id}`)).status).toBe(404)
    expect((await (await api.as('READ_RUN')).delete(`/v1/maintenance-windows/${body.id}`)).status).toBe(403)
  })
})

describe('GET /v1/maintenance-windows/occurrences', () => {
  const seconds = (date: string) => Date.parse(date) / 1000
  const path = (from: string, to: string) =>
    `/v1/maintenance-windows/occurrences?from=${seconds(from)}&to=${seconds(to)}`

  it('200: of all windows, in order, in the time zone of each', async () => {
    const owner = await api.newAccount()
    const daily = {
      ...{ name: 'Daily', timezone: 'Europe/Berlin', repeatInterval: 1, repeatUnit: 'DAY' },
      ...{ startsAt: '2026-10-24T00:00:00.000Z', endsAt: '2026-10-24T01:00:00.000Z' },
    }
    const first = (await owner.post('/v1/maintenance-windows', daily)).body.id
    const once = (await owner.post('/v1/maintenance-windows', valid)).body.id
    const clocks = await owner.get(path('2026-10-24T00:00Z', '2026-10-27T00:00Z'))
    expect(clocks.body).toEqual([
      {
        maintenanceWindowId: first,
        startsAt: '2026-10-24T00:00:00.000Z',
        endsAt: '2026-10-24T01:00:00.000Z',
      },
      {
        maintenanceWindowId: first,
        startsAt: '2026-10-25T00:00:00.000Z',
        endsAt: '2026-10-25T01:00:00.000Z',
      },
      {
        maintenanceWindowId: first,
        startsAt: '2026-10-26T01:00:00.000Z',
        endsAt: '2026-10-26T02:00:00.000Z',
      },
    ])
    const november = (await owner.get(path('2026-11-20T00:00Z', '2026-11-21T00:00Z'))).body
    expect(november.map((one: { maintenanceWindowId: number }) => one.maintenanceWindowId)).toEqual([
      first,
      once,
    ])
    expect((await api.bob.get(path('2026-10-24T00:00Z', '2026-10-27T00:00Z'))).body).toEqual([])
  })

  it('400: a range that is none, or too long', async () => {
    const statusOf = async (from: string, to: string) => (await api.alice.get(path(from, to))).status
    expect(await statusOf('2026-11-20', '2026-11-20')).toBe(400)
    expect(await statusOf('2026-01-01', '2026-11-20')).toBe(400)
  })
})

describe('POST /v1/maintenance-windows/preview', () => {
  it('200: the next occurrences, and the checks that are affected; nothing is stored', async () => {
    const owner = await api.newAccount()
    const check = (name: string, part: object) =>
      owner.post('/v1/checks/url', {
        ...{ name, locations: ['eu-west-1'], request: { url: 'https://example.com' } },
        ...part,
      })
    const group = (await owner.post('/v1/check-groups', { name: 'G', tags: ['web'] })).body.id
    await check('B', { groupId: group })
    await check('A', { tags: ['web'] })
    await check('C', { tags: ['api'] })
    const now = Date.now()
    const iso = (ms: number) => new Date(now + ms).toISOString()
    const draft = {
      ...{ name: 'X', tags: ['web'], silenceAllAlerts: true, startsAt: iso(-60_000), endsAt: iso(60_000) },
      ...{ repeatInterval: 1, repeatUnit: 'DAY' },
    }
    const { status, body } = await owner.post('/v1/maintenance-windows/preview', draft)
    expect(status).toBe(200)
    expect(body).toMatchObject({ isOpen: true, paused: { total: 2 }, silenced: { total: 3 } })
    expect(body.occurrences).toHaveLength(10)
    expect(body.occurrences[0]).toEqual({ startsAt: draft.startsAt, endsAt: draft.endsAt })
    expect(body.paused.checks.map(({ name }: { name: string }) => name)).toEqual(['A', 'B'])
    expect((await owner.get('/v1/maintenance-windows')).body).toEqual([])
    const over = { ...valid, startsAt: iso(-120_000), endsAt: iso(-60_000) }
    const past = (await owner.post('/v1/maintenance-windows/preview', over)).body
    expect(past).toMatchObject({ isOpen: false, occurrences: [], paused: { total: 0, checks: [] } })
  })
})
