import { dayMs, hourMs } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rollUpClosedHours } from '../../analytics/roll-up.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { insertResults } from '../../testing/results.ts'

const now = Date.parse('2026-06-17T12:34:56.000Z')

let api: TestApi
let accountId: string
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
  accountId = api.alice.accountId
  await api.store.pool.query("update accounts set created_at = '2026-05-20T10:00:00Z'")
  const locations = ['eu-west-1']
  const request = { method: 'GET', url: 'https://example.com' }
  const rest = await api.alice.post('/v1/checks/api', { name: 'API', locations, request })
  const page = await api.alice.post('/v1/checks/url', {
    name: 'Page',
    locations,
    request: { url: request.url },
  })
  const run = (checkId: string, ago: number, values: object = {}) => ({
    ...{ accountId, checkId, scheduledAt: now - ago },
    ...values,
  })
  const url = { checkType: 'URL' as const }
  await insertResults(
    api.store,
    [
      run(rest.body.id, hourMs),
      run(rest.body.id, 2 * hourMs, { attempt: 3, hasFailures: true }),
      run(rest.body.id, dayMs, { isDegraded: true }),
      run(rest.body.id, 2 * hourMs, { isCancelled: true }),
      run(page.body.id, 10 * dayMs, url),
      run(page.body.id, 10 * dayMs + hourMs, { ...url, hasErrors: true, hasFailures: true }),
    ],
    now,
  )
})
afterAll(() => api.close())

const measuresOf = ({ meters }: { meters: { measures: Record<string, number> }[] }) =>
  Object.fromEntries(Object.entries(meters[0]?.measures ?? {}).filter(([, value]) => value > 0))

interface Row {
  periodStart: string
  periodEnd: string
  checkType?: string
  meters: { measures: Record<string, number> }[]
}
const runsOf = ({ periodStart, periodEnd, checkType, meters }: Row) => [
  periodStart,
  ...(periodEnd === periodStart ? [] : [periodEnd]),
  ...(checkType === undefined ? [] : [checkType]),
  meters[0]?.measures.totalRuns,
]

describe('GET /v1/usage/terms', () => {
  it('200: names the account and the days, and no prices', async () => {
    const { status, body } = await api.alice.get('/v1/usage/terms')
    expect(status).toBe(200)
    expect(body).toEqual({
      id: accountId,
      name: expect.any(String),
      accounts: [{ id: accountId, name: body.name }],
      contractStartDate: '2026-05-20',
      contractEndDate: '2026-06-17',
      usageStartDate: '2026-05-20',
      creditBudget: null,
      standardCreditsPerUnit: null,
      premiumCreditsPerUnit: null,
    })
  })

  it('200: has at most 400 days', async () => {
    const { body } = await api.alice.get('/v1/usage/terms?to=2028-01-01')
    expect(body).toMatchObject({ usageStartDate: '2026-11-28', contractEndDate: '2028-01-01' })
  })

  it('404: refuses a day before the account was created', async () => {
    const { status, body } = await api.alice.get('/v1/usage/terms?to=2026-05-19')
    expect(status).toBe(404)
    expect(body).toMatchObject({ code: 'NO_USAGE_TERMS', message: expect.stringContaining('2026-05-20') })
  })
})

describe('GET /v1/usage/summary', () => {
  it('200: counts the same before and after the roll-up', async () => {
    const read = async () => (await api.alice.get('/v1/usage/summary')).body
    const before = await read()
    expect(measuresOf(before.totals)).toEqual({
      ...{ totalRuns: 7, finalRuns: 5, retryRuns: 2 },
      ...{ degradedRuns: 1, failedRuns: 1, errorRuns: 1 },
    })
    expect(before).toMatchObject({
      usageTermsId: accountId,
      period: { from: '2026-05-20', to: '2026-06-17' },
      totals: { credits: { used: null, percentOfBudget: null } },
      projections: { weeksSinceStart: 4, weeksRemaining: 0, remainingCredits: null },
    })
    const { windows } = before.projections
    expect(measuresOf(windows.last1Day.usage)).toEqual({
      ...{ totalRuns: 4, finalRuns: 2, retryRuns: 2, failedRuns: 1 },
    })
    expect(measuresOf(windows.last7Days.usage)).toMatchObject({ totalRuns: 5 })
    expect(measuresOf(windows.last30Days.usage)).toMatchObject({ totalRuns: 7 })
    await rollUpClosedHours(api.store.pool, now)
    expect(await read()).toEqual(before)
  })

  it('200: chooses days and types', async () => {
    const total = async (query: string) =>
      measuresOf((await api.alice.get(`/v1/usage/summary?${query}`)).body.totals).totalRuns
    expect(await total('checkTypes=URL')).toBe(2)
    expect(await total('checkTypes=URL,API')).toBe(7)
    expect(await total('from=2026-06-16&to=2026-06-16')).toBe(1)
    expect(await total(`accountIds=${accountId}`)).toBe(7)
  })
})

describe('GET /v1/usage/series', () => {
  const read = async (query: string) => (await api.alice.get(`/v1/usage/series?${query}`)).body

  it('200: has a row per day and type', async () => {
    const { data, warnings } = await read('')
    expect(data.map(runsOf)).toEqual([
      ['2026-06-07', 'URL', 2],
      ['2026-06-16', 'API', 1],
      ['2026-06-17', 'API', 4],
    ])
    expect(data[0].accountId).toBe(accountId)
    expect(warnings).toEqual([])
  })

  it('200: has weeks, months and the total', async () => {
    const rows = async (query: string) => (await read(query)).data.map(runsOf)
    expect(await rows('interval=week&groupBy=account')).toEqual([
      ['2026-06-01', '2026-06-07', 2],
      ['2026-06-15', '2026-06-17', 5],
    ])
    expect(await rows('interval=month&groupBy=checkType')).toEqual([
      ['2026-06-01', '2026-06-17', 'API', 5],
      ['2026-06-01', '2026-06-17', 'URL', 2],
    ])
    expect(await rows('interval=total&groupBy=account')).toEqual([['2026-05-20', '2026-06-17', 7]])
  })

  it('200: has pages', async () => {
    const first = await read('limit=2')
    expect(first).toMatchObject({ length: 2, nextId: expect.any(String) })
    const second = await read(`limit=2&nextId=${first.nextId}`)
    expect(second).toMatchObject({ length: 1, nextId: null })
    expect(runsOf(second.data[0])).toEqual(['2026-06-17', 'API', 4])
  })

  it('200: warns of days that are left out', async () => {
    const { period, warnings } = await read('from=2020-01-01')
    expect(period.from).toBe('2026-05-20')
    expect(warnings).toMatchObject([{ code: 'PARTIAL_WINDOW' }])
  })

  it.each([
    ['another account', 'accountIds=00000000-0000-4000-8000-000000000000', 'ACCOUNT_NOT_IN_USAGE_TERMS'],
    ['a range that ends before it begins', 'from=2026-06-10&to=2026-06-09', 'INVALID_RANGE'],
    ['a cursor that it has not sent', 'nextId=nonsense', 'INVALID_CURSOR'],
  ])('400: refuses %s', async (_, query, code) => {
    expect(await api.alice.get(`/v1/usage/series?${query}`)).toMatchObject({ status: 400, body: { code } })
  })

  it.each(['from=2026-02-30', 'to=tomorrow', 'checkTypes=ZIP', 'interval=year'])(
    '400: refuses %s',
    async (query) => {
      expect((await api.alice.get(`/v1/usage/series?${query}`)).status).toBe(400)
    },
  )

  it('200: shows another account nothing', async () => {
    expect((await api.bob.get('/v1/usage/series')).body.data).toEqual([])
  })
})
