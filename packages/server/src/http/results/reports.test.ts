import type { ReportEntry } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rollUpClosedHours } from '../../analytics/roll-up.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { insertResults } from '../../testing/results.ts'

const hour = 3_600_000
const now = Date.parse('2026-11-15T08:30:00.000Z')
let api: TestApi
const ids: Record<string, string> = {}

beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
  for (const [name, tag] of [
    ['Alpha', 'web'],
    ['Beta', 'web'],
    ['Gamma', 'api'],
  ] as const) {
    const { body } = await api.alice.post('/v1/checks/url', {
      ...{ name, tags: [tag], locations: ['eu-west-1'] },
      request: { url: 'https://example.com' },
    })
    ids[name] = body.id
  }
  // Alpha: 1 of 4 fails now, none before. Beta: all pass, slower. Gamma: no runs.
  const runs = (name: string, hoursAgo: number, failed: boolean[], responseTimeMs: number) =>
    failed.map((hasFailures, index) => ({
      ...{ accountId: api.alice.accountId, checkId: ids[name] ?? '', checkType: 'URL' as const },
      ...{ scheduledAt: now - hoursAgo * hour + index * 60_000, hasFailures, responseTimeMs },
    }))
  await insertResults(api.store, [
    ...runs('Alpha', 2, [false, true, false, false], 100),
    ...runs('Alpha', 30, [false, false], 200),
    ...runs('Beta', 3, [false, false], 900),
  ])
  await rollUpClosedHours(api.store.pool, now)
  await api.store.pool.query(
    `insert into coverage (account_id, check_id, hour, location, skipped, missed, reasons)
     values ($1, $2, $3, 'us-east-1', 2, 1, '{"maintenance": 2, "agent": 1}')`,
    [api.alice.accountId, ids.Beta, new Date(now - 3.5 * hour)],
  )
})
afterAll(() => api.close())

async function report(query = '') {
  const { status, body, text } = await api.alice.get(`/v1/reports/checks?${query}`)
  expect(status, text).toBe(200)
  return body
}

const names = (entries: ReportEntry[]) => entries.map(({ name }) => name)

describe('a report', () => {
  it('has figures of the period and of the one before', async () => {
    const { entries, totals, previousTotals, period, total } = await report()
    expect(period).toEqual({ from: '2026-11-14T08:00:00.000Z', to: '2026-11-15T09:00:00.000Z' })
    expect(total).toBe(3)
    const [alpha, beta, gamma] = entries
    expect(alpha).toMatchObject({
      figures: { runs: 4, failedRuns: 1, availability: 75, coverage: 100, missed: 0 },
      previous: { runs: 2, failedRuns: 0, availability: 100 },
    })
    expect(alpha.figures.p95).toBeCloseTo(100, -1)
    expect(alpha.previous.p50).toBeCloseTo(200, -1)
    // Of three runs that were due and not paused, two were made.
    expect(beta.figures).toMatchObject({ runs: 2, skipped: 2, missed: 1, coverage: 66.6667 })
    expect(gamma.figures).toEqual({
      ...{ runs: 0, failedRuns: 0, availability: null, skipped: 0, missed: 0, coverage: null },
      ...{ avg: null, p50: null, p95: null, p99: null },
    })
    expect(totals).toMatchObject({ runs: 6, failedRuns: 1, availability: 83.3333, missed: 1 })
    expect(previousTotals).toMatchObject({ runs: 2, availability: 100 })
  })

  it.each([
    ['sort=availability', ['Alpha', 'Beta', 'Gamma']],
    ['sort=p95&order=desc', ['Beta', 'Alpha', 'Gamma']],
    ['sort=coverage', ['Beta', 'Alpha', 'Gamma']],
    ['sort=name&order=desc', ['Gamma', 'Beta', 'Alpha']],
    ['tag=web&sort=runs&order=desc', ['Alpha', 'Beta']],
    ['query=gam', ['Gamma']],
    ['limit=1&offset=1', ['Beta']],
    ['activated=false', []],
  ])('is sorted, filtered and paged by %s', async (query, expected) => {
    expect(names((await report(query)).entries)).toEqual(expected)
  })

  it('adds up what matches the filters', async () => {
    expect((await report('query=beta&limit=1')).totals).toMatchObject({ runs: 2, failedRuns: 0 })
    expect((await report('query=alpha&limit=1')).totals).toMatchObject({ runs: 4, failedRuns: 1 })
  })

  it('refuses periods that are too long or backwards', async () => {
    expect((await api.alice.get(`/v1/reports/checks?from=1&to=${now / 1000}`)).status).toBe(400)
    expect((await api.alice.get(`/v1/reports/checks?from=${now / 1000}&to=1`)).status).toBe(400)
  })

  it('has only the checks of the account', async () => {
    expect((await api.bob.get('/v1/reports/checks')).body).toMatchObject({ total: 0, entries: [] })
  })
})
