import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rollUpClosedHours } from '../../analytics/roll-up.ts'
import { inTransaction } from '../../storage/core/transaction.ts'
import { addCoverage, type CoverageEntry } from '../../storage/runs/coverage.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { insertResults } from '../../testing/results.ts'

const minute = 60_000
const hour = 60 * minute
const start = Date.UTC(2026, 10, 15, 8)
const now = start + 2 * hour
const iso = (ms: number) => new Date(ms).toISOString()

let api: TestApi
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
})
afterAll(() => api.close())

async function createCheck(owner = api.alice): Promise<string> {
  // No schedule: only what the test inserts is counted.
  const check = { name: 'shop', activated: false, request: { url: 'https://example.com' } }
  const { body } = await owner.post('/v1/checks/url', check)
  return body.id
}

const add = (entries: Omit<CoverageEntry, 'accountId'>[]) =>
  inTransaction(api.store.pool, (client) =>
    addCoverage(
      client,
      entries.map((entry) => ({ ...entry, accountId: api.alice.accountId })),
    ),
  )

/** 60 runs an hour in turn in two locations: 100 ms late in the first hour, 200 in the second. */
async function withRuns(): Promise<string> {
  const checkId = await createCheck()
  const results = Array.from({ length: 110 }, (_, n) => {
    const scheduledAt = start + n * minute
    return {
      accountId: api.alice.accountId,
      checkId,
      checkType: 'URL' as const,
      scheduledAt,
      startedAt: scheduledAt + (n < 60 ? 100 : 200),
      location: n % 2 === 0 ? 'eu-west-1' : 'us-east-1',
    }
  })
  await insertResults(api.store, results)
  await add([
    { checkId, hourMs: start + hour, location: 'eu-west-1', skipped: 2, reason: 'in_progress' },
    { checkId, hourMs: start + hour, location: 'eu-west-1', skipped: 1, reason: 'maintenance' },
    { checkId, hourMs: start + hour, location: 'us-east-1', missed: 3, reason: 'agent' },
    { checkId, hourMs: start + hour, location: 'us-east-1', missed: 4, reason: 'server' },
  ])
  return checkId
}

const expected = {
  expected: 120,
  executed: 110,
  skipped: 3,
  missed: 7,
  // The one that a maintenance window paused doesn't count against it.
  ratio: 110 / 119,
  reasons: { inProgress: 2, maintenance: 1, quota: 0, agent: 3, server: 4 },
  lag: { p50: expect.closeTo(100, -1), p95: expect.closeTo(200, -1), p99: expect.closeTo(200, -1), max: 200 },
}

describe('GET /v1/checks/{id}/coverage', () => {
  it('200: totals and rows per hour and location, the same before and after the rollup', async () => {
    const id = await withRuns()
    const path = `/v1/checks/${id}/coverage?from=${start / 1000}&to=${now / 1000}`
    const before = await api.alice.get(path)
    expect(before.status).toBe(200)
    expect(before.body).toMatchObject({ checkId: id, name: 'shop', checkType: 'URL', totals: expected })
    expect(before.body).toMatchObject({ from: iso(start), to: iso(now) })
    const rows = before.body.rows.map(
      ({ hour, location, expected, executed, missed }: Record<string, unknown>) => [
        hour,
        location,
        expected,
        executed,
        missed,
      ],
    )
    const [first, second] = [start, start + hour].map((at) => new Date(at).toISOString())
    expect(rows).toEqual([
      [first, 'eu-west-1', 30, 30, 0],
      [first, 'us-east-1', 30, 30, 0],
      [second, 'eu-west-1', 28, 25, 0],
      [second, 'us-east-1', 32, 25, 7],
    ])
    expect(await rollUpClosedHours(api.store.pool, now + hour)).toBeGreaterThanOrEqual(2)
    expect((await api.alice.get(path)).body).toEqual(before.body)
  })

  it('200: a late result of an hour with a rollup is counted once', async () => {
    const id = await withRuns()
    await rollUpClosedHours(api.store.pool, now + hour)
    const late = { accountId: api.alice.accountId, checkId: id, scheduledAt: start + 30_000 }
    await insertResults(api.store, [late], now + hour)
    const path = `/v1/checks/${id}/coverage?from=${start / 1000}&to=${now / 1000}`
    expect((await api.alice.get(path)).body.totals.executed).toBe(111)
    await rollUpClosedHours(api.store.pool, now + hour)
    expect((await api.alice.get(path)).body.totals.executed).toBe(111)
  })

  it('200: counts final results of the schedule alone, and a retried run by its first attempt', async () => {
    const checkId = await createCheck()
    const run = { accountId: api.alice.accountId, checkId, runId: randomUUID(), scheduledAt: start }
    await insertResults(api.store, [
      { ...run, resultType: 'ATTEMPT', hasFailures: true, startedAt: start + 50 },
      { ...run, attempt: 2, startedAt: start + 60_000 },
      { ...run, runId: randomUUID(), scheduledAt: start + 1, source: 'session' },
    ])
    const { totals } = (await api.alice.get(`/v1/checks/${checkId}/coverage`)).body
    expect(totals).toMatchObject({ expected: 1, executed: 1, lag: { p50: 50, max: 50 } })
  })

  it('200: the last 24 hours by default, in whole hours; nothing if nothing was due', async () => {
    const id = await createCheck()
    const { body } = await api.alice.get(`/v1/checks/${id}/coverage`)
    expect(body).toMatchObject({ from: iso(now - 24 * hour), to: iso(now), rows: [] })
    expect(body.totals).toMatchObject({ expected: 0, ratio: null, lag: null })
    const cut = await api.alice.get(
      `/v1/checks/${id}/coverage?from=${start / 1000 + 5}&to=${start / 1000 + 3605}`,
    )
    expect(cut.body).toMatchObject({ from: iso(start), to: iso(start + 2 * hour) })
  })

  it('200: up to the last instant that can be asked for', async () => {
    const { status, body } = await api.alice.get(`/v1/checks/${await createCheck()}/coverage?to=253402300799`)
    expect([status, body.to]).toEqual([200, '9999-12-31T23:59:59.000Z'])
  })

  it('400: an end before its start, a period that is too long, an invalid time', async () => {
    const id = await createCheck()
    for (const query of [`from=${now / 1000}&to=${start / 1000}`, 'from=0', 'from=yesterday']) {
      const { status, body } = await api.alice.get(`/v1/checks/${id}/coverage?${query}`)
      expect(status).toBe(400)
      expect(Object.keys(body.attributes)).toEqual(['from'])
    }
  })

  it('404: of another account, unknown', async () => {
    const id = await createCheck()
    expect((await api.bob.get(`/v1/checks/${id}/coverage`)).status).toBe(404)
    expect((await api.alice.get(`/v1/checks/${randomUUID()}/coverage`)).status).toBe(404)
  })
})

describe('GET /v1/coverage', () => {
  it('200: page by page over the checks of the account, without their hours', async () => {
    const id = await withRuns()
    const { status, body, headers } = await api.alice.get('/v1/coverage?limit=100')
    expect(status).toBe(200)
    const { body: checks } = await api.alice.get('/v1/checks?limit=100')
    expect(body.map(({ checkId }: { checkId: string }) => checkId)).toEqual(
      checks.map((check: { id: string }) => check.id),
    )
    const entry = body.find(({ checkId }: { checkId: string }) => checkId === id)
    expect(entry.totals).toEqual(expected)
    expect(entry.rows).toBeUndefined()
    expect(headers.get('content-range')).toBe(`items 0-${body.length - 1}/${body.length}`)
    const second = await api.alice.get('/v1/coverage?limit=1&page=2')
    expect(second.body).toEqual([body[1]])
  })

  it('200: shows nothing of other accounts', async () => {
    await withRuns()
    const bobs = await createCheck(api.bob)
    const { body } = await api.bob.get('/v1/coverage')
    expect(body).toMatchObject([{ checkId: bobs, totals: { expected: 0 } }])
  })

  it('400: more than a week', async () => {
    expect((await api.alice.get(`/v1/coverage?from=${now / 1000 - 9 * 86_400}`)).status).toBe(400)
  })
})
