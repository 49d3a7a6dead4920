import { dayMs, hourMs } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rollUpClosedHours } from '../../analytics/roll-up.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { insertResults } from '../../testing/results.ts'

const now = Date.parse('2026-06-17T12:34:56.000Z')

let api: TestApi
let fast: string
let slow: string
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
  const group = (await api.alice.post('/v1/check-groups', { name: 'Group', tags: ['team'] })).body
  fast = await makeCheck({ name: 'Fast', tags: ['web'] })
  slow = await makeCheck({ name: 'Slow', activated: false, groupId: group.id })
  const { accountId } = api.alice
  const run = (checkId: string, ago: number, ms: number, hasFailures = false) => ({
    accountId,
    checkId,
    scheduledAt: now - ago,
    metrics: [ms],
    hasFailures,
  })
  await insertResults(
    api.store,
    [
      run(fast, hourMs, 100),
      run(fast, 2 * hourMs, 300, true),
      run(fast, 2 * dayMs, 500),
      run(slow, 3 * dayMs, 4000),
    ],
    now,
  )
})
afterAll(() => api.close())

async function makeCheck(values: object): Promise<string> {
  const request = { method: 'GET', url: 'https://example.com' }
  return (await api.alice.post('/v1/checks/api', { locations: ['eu-west-1'], request, ...values })).body.id
}

const none = { successRatio: 0, avg: 0, p95: 0, p99: 0 }

describe('GET /v1/reporting', () => {
  it('200: reports on every check of the account', async () => {
    const { status, body } = await api.alice.get('/v1/reporting')
    expect(status).toBe(200)
    expect(body).toEqual([
      { name: 'Slow', checkId: slow, checkType: 'API', deactivated: true, tags: ['team'], aggregate: none },
      {
        name: 'Fast',
        checkId: fast,
        checkType: 'API',
        deactivated: false,
        tags: ['web'],
        aggregate: { successRatio: 50, avg: 200, p95: 290, p99: 298 },
      },
    ])
  })

  it('200: returns the same for a long range before and after the rollup', async () => {
    const read = async () => (await api.alice.get('/v1/reporting?quickRange=last7Days')).body
    const before = await read()
    expect(before[1].aggregate).toMatchObject({ successRatio: 66.6667, avg: 300 })
    await rollUpClosedHours(api.store.pool, now)
    const after = await read()
    expect(after[0].aggregate).toMatchObject({ successRatio: 100, avg: 4000 })
    expect(after[1].aggregate).toMatchObject({ successRatio: 66.6667, avg: 300 })
    expect(Math.abs(after[1].aggregate.p99 / before[1].aggregate.p99 - 1)).toBeLessThan(0.01)
  })

  it('200: chooses by tag, also of the group, and by activation', async () => {
    const names = async (query: string) =>
      (await api.alice.get(`/v1/reporting?${query}`)).body.map((row: { name: string }) => row.name)
    expect(await names('filterByTags=web')).toEqual(['Fast'])
    expect(await names('filterByTags=team,web')).toEqual(['Slow', 'Fast'])
    expect(await names('deactivated=true')).toEqual(['Slow'])
    expect(await names('deactivated=false')).toEqual(['Fast'])
    expect(await names('filterByTags=nobody')).toEqual([])
  })

  it('200: accepts from and to', async () => {
    const { body } = await api.alice.get(`/v1/reporting?from=${now / 1000 - 7200}&to=${now / 1000 - 3600}`)
    expect(body[1].aggregate).toEqual({ successRatio: 0, avg: 300, p95: 300, p99: 300 })
  })

  it('200: reports per day of a time zone', async () => {
    const { status, body } = await api.alice.get(
      '/v1/reporting?quickRange=thisWeek&granularity=day&timezone=Asia/Tokyo',
    )
    expect(status).toBe(200)
    expect(body[1]).not.toHaveProperty('aggregate')
    expect(body[1].aggregates.map((part: { from: string; avg: number }) => [part.from, part.avg])).toEqual([
      ['2026-06-15T00:00:00.000Z', 500],
      ['2026-06-15T15:00:00.000Z', 0],
      ['2026-06-16T15:00:00.000Z', 200],
    ])
    expect(body[1].aggregates[2].to).toBe(new Date(now).toISOString())
  })

  it('200: reports per week and month', async () => {
    const weeks = await api.alice.get('/v1/reporting?quickRange=last30Days&granularity=week')
    expect(weeks.body[1].aggregates).toHaveLength(5)
    const months = await api.alice.get('/v1/reporting?quickRange=last30Days&granularity=month')
    expect(months.body[1].aggregates.map(({ avg }: { avg: number }) => avg)).toEqual([0, 300])
  })

  it.each([
    ['a time zone that there is not', 'granularity=day&timezone=Mars/Olympus', 'timezone'],
    ['too long a range', 'granularity=month&from=0', 'from'],
    ['too many parts', `granularity=day&from=${now / 1000 - 86_400 * 130}`, 'granularity'],
    ['a range that ends before it begins', 'from=10&to=5', 'to'],
    ['the other name of a day', 'quickRange=last24Hours', 'quickRange'],
    ['an unknown granularity', 'granularity=hour', 'granularity'],
  ])('400: refuses %s', async (_, query, field) => {
    const { status, body } = await api.alice.get(`/v1/reporting?${query}`)
    expect(status).toBe(400)
    expect(Object.keys(body.attributes)).toEqual([field])
  })

  it('200: shows another account nothing', async () => {
    expect(await api.bob.get('/v1/reporting')).toMatchObject({ status: 200, body: [] })
  })
})
