import { dayMs, hourMs, metricsOf, resultMetrics } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rollUpClosedHours } from '../../analytics/roll-up.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { createFixtures, type Fixtures } from '../../testing/fixtures.ts'
import { insertResults, type SomeResult } from '../../testing/results.ts'

const now = Date.parse('2026-06-17T12:34:56.000Z')

let api: TestApi
let fixtures: Fixtures
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
  fixtures = await createFixtures(api, api.alice)
  const { ids } = fixtures
  await record(String(ids.api), [
    { ago: 2 * hourMs, metrics: [100, 1, 2, 3, 4, 5] },
    { ago: 2 * hourMs - 60_000, metrics: [300, 1, 2, 3, 4, 15], isDegraded: true, attempt: 2 },
    { ago: hourMs, metrics: [200, 1, 2, 3, 4, 5], location: 'us-east-1', hasFailures: true, statusCode: 503 },
    { ago: hourMs - 1, hasErrors: true, hasFailures: true, statusCode: null },
    { ago: 5 * dayMs, metrics: [1000, 1, 2, 3, 4, 5] },
  ])
  await record(String(ids.icmp), [{ ago: hourMs, metrics: [25, 1, 9, 4, 2], checkType: 'ICMP' }])
})
afterAll(() => api.close())

type Given = Omit<SomeResult, 'accountId' | 'checkId' | 'scheduledAt'> & { ago: number }

async function record(checkId: string, results: Given[]): Promise<void> {
  const { accountId } = api.alice
  await insertResults(
    api.store,
    results.map(({ ago, ...given }) => ({ accountId, checkId, scheduledAt: now - ago, ...given })),
    now,
  )
}

const report = (query: string, kind = 'api', path = 'api-checks') =>
  api.alice.get(`/v1/analytics/${path}/${fixtures.ids[kind]}?${query}`)

describe('GET /v1/analytics/api-checks/{id}', () => {
  it('200: reports with exactly the fields of the specification', async () => {
    const { status, body } = await report('metrics=availability,responseTime_p95,retries')
    expect(status).toBe(200)
    expect(body).toEqual({
      checkId: fixtures.ids.api,
      name: 'api',
      checkType: 'API',
      activated: true,
      muted: false,
      frequency: 10,
      from: new Date(now - dayMs).toISOString(),
      to: new Date(now).toISOString(),
      tags: [],
      series: [{ data: [{ availability: 66.6667, responseTime_p95: 290, retries: 1 }] }],
      pagination: { page: 1, limit: 10 },
      metadata: {
        availability: { unit: 'percentage', label: 'Availability' },
        responseTime_p95: { unit: 'milliseconds', label: 'Response time (p95)', aggregation: 'p95' },
        retries: { unit: 'count', label: 'Retries' },
      },
    })
  })

  it('200: returns the values of each run without an aggregation', async () => {
    const { body } = await report('metrics=responseTime,retries,availability')
    expect(body.series).toEqual([
      {
        data: [
          {
            responseTime: 100,
            retries: 0,
            availability: 100,
            runLocation: 'eu-west-1',
            startedAt: expect.any(String),
          },
          {
            responseTime: 300,
            retries: 1,
            availability: 100,
            runLocation: 'eu-west-1',
            startedAt: expect.any(String),
          },
          {
            responseTime: 200,
            retries: 0,
            availability: 0,
            runLocation: 'us-east-1',
            startedAt: expect.any(String),
          },
        ],
      },
    ])
  })

  it('200: gives averages of base metrics where there is an interval, per aligned bucket', async () => {
    const { body } = await report('metrics=responseTime,availability&aggregationInterval=60')
    expect(body.series[0].data).toEqual([
      { startedAt: '2026-06-17T10:00:00.000Z', responseTime: 200, availability: 100 },
      { startedAt: '2026-06-17T11:00:00.000Z', responseTime: 200, availability: 0 },
    ])
  })

  it('200: has one series per location or status code', async () => {
    const byLocation = await report('metrics=responseTime_max&groupBy=runLocation')
    expect(byLocation.body.series).toEqual([
      { runLocation: 'eu-west-1', data: [{ runLocation: 'eu-west-1', responseTime_max: 300 }] },
      { runLocation: 'us-east-1', data: [{ runLocation: 'us-east-1', responseTime_max: 200 }] },
    ])
    const byStatus = await report('metrics=availability&groupBy=statusCode')
    expect(byStatus.body.series).toEqual([
      { statusCode: 200, data: [{ statusCode: 200, availability: 100 }] },
      { statusCode: 503, data: [{ statusCode: 503, availability: 0 }] },
    ])
  })

  it('200: pages through series, not through rows', async () => {
    const query = 'metrics=availability&groupBy=runLocation&aggregationInterval=60&limit=1'
    const { body } = await report(`${query}&page=2`)
    expect(body.series).toMatchObject([{ runLocation: 'us-east-1', data: [{ availability: 0 }] }])
    expect(body.pagination).toEqual({ page: 2, limit: 1 })
    expect((await report(`${query}&page=3`)).body.series).toEqual([])
  })

  it('200: counts only the runs of a status', async () => {
    const passed = await report('metrics=responseTime_sum,availability&filterByStatus=success')
    expect(passed.body.series[0].data).toEqual([{ responseTime_sum: 400, availability: 100 }])
    const failed = await report('metrics[]=responseTime_sum&metrics[]=availability&filterByStatus=failure')
    expect(failed.body.series[0].data).toEqual([{ responseTime_sum: 200, availability: 0 }])
  })

  it('200: from and to override the quick range', async () => {
    const [from, to] = [now / 1000 - 2 * 3600, now / 1000 - 3600]
    const { body } = await report(`metrics=responseTime_sum&quickRange=lastMonth&from=${from}&to=${to}`)
    expect(body.series[0].data).toEqual([{ responseTime_sum: 400 }])
    expect(body.from).toBe(new Date(from * 1000).toISOString())
  })

  it('200: returns the same over a long range before and after the rollup', async () => {
    const query = 'metrics=responseTime_sum,responseTime_p50,availability&quickRange=last7Days'
    const before = await report(query)
    expect(before.body.series[0].data).toMatchObject([{ responseTime_sum: 1600, availability: 75 }])
    await rollUpClosedHours(api.store.pool, now)
    const { body } = await report(query)
    expect(body.series[0].data).toMatchObject([{ responseTime_sum: 1600, availability: 75 }])
    expect(body.series[0].data[0].responseTime_p50).toBeCloseTo(250, -1)
  })

  it('200: has an empty series where nothing ran', async () => {
    const { status, body } = await report('metrics=availability&from=1000&to=2000')
    expect(status).toBe(200)
    expect(body.series).toEqual([{ data: [] }])
  })

  it.each([
    ['no metrics', '', 'metrics'],
    ['an unknown metric', 'metrics=responseTime,speed', 'metrics.1'],
    ['a metric of another type', 'metrics=LCP', 'metrics.0'],
    ['an aggregation that there is not', 'metrics=availability_p95', 'metrics.0'],
    ['an interval too long', 'metrics=availability&aggregationInterval=43201', 'aggregationInterval'],
    ['an interval of nothing', 'metrics=availability&aggregationInterval=0', 'aggregationInterval'],
    ['a grouping of another type', 'metrics=availability&groupBy=pageIndex', 'groupBy'],
    ['a range that ends before it begins', 'metrics=availability&from=2000&to=1000', 'to'],
    ['a range name of another route', 'metrics=availability&quickRange=last24Hrs', 'quickRange'],
    [
      'more rows than anyone reads',
      'metrics=availability&from=0&aggregationInterval=1',
      'aggregationInterval',
    ],
  ])('400: refuses %s', async (_, query, field) => {
    const { status, body } = await report(query)
    expect(status).toBe(400)
    expect(Object.keys(body.attributes)).toEqual([field])
  })

  it('400: names the wrong metric and the allowed ones', async () => {
    const { body } = await report('metrics=speed')
    expect(body.message).toContain('"speed"')
    expect(body.message).toContain('responseTime_p95, ')
  })

  it('404: for a check of another type, and for one that there is not', async () => {
    expect((await report('metrics=availability', 'url')).status).toBe(404)
    const nobody = await api.alice.get(
      '/v1/analytics/api-checks/00000000-0000-4000-8000-000000000000?metrics=availability',
    )
    expect(nobody.status).toBe(404)
  })

  it('404: for a check of another account', async () => {
    const path = `/v1/analytics/api-checks/${fixtures.ids.api}?metrics=availability`
    expect((await api.bob.get(path)).status).toBe(404)
  })
})

describe('the other types', () => {
  it.each([
    ['url', 'url-monitors', 'URL'],
    ['browser', 'browser-checks', 'BROWSER'],
    ['multistep', 'multistep-checks', 'MULTI_STEP'],
    ['playwright', 'playwright-checks', 'PLAYWRIGHT'],
    ['tcp', 'tcp-checks', 'TCP'],
    ['dns', 'dns', 'DNS'],
    ['icmp', 'icmp', 'ICMP'],
  ] as const)('200: %s takes every metric of its type', async (kind, path, type) => {
    const names = metricsOf(type).map(({ name }) => name)
    const { status, body } = await report(`metrics=${names.join(',')}`, kind, path)
    expect(status).toBe(200)
    expect(Object.keys(body.metadata)).toEqual(names)
    expect(names).toHaveLength(resultMetrics[type].length * 11 + 2)
  })

  it('200: a suite leaves out what clients ask for and its runs do not measure', async () => {
    const query = 'metrics=availability,LCP_avg,CLS_avg,TBT_avg'
    const { status, body, headers } = await report(query, 'playwright', 'playwright-checks')
    expect([status, Object.keys(body.metadata)]).toEqual([200, ['availability']])
    expect(headers.get('vedette-warnings')).toContain('LCP_avg')
    expect((await report('metrics=LCP_avg', 'playwright', 'playwright-checks')).status).toBe(200)
    expect((await report('metrics=FCP_avg', 'playwright', 'playwright-checks')).status).toBe(400)
  })

  it('200: an ICMP monitor has latency and loss', async () => {
    const { body } = await report('metrics=latencyAvg_avg,packetLoss_max', 'icmp', 'icmp')
    expect(body.series[0].data).toEqual([{ latencyAvg_avg: 4, packetLoss_max: 25 }])
  })
})

describe('GET /v1/analytics/heartbeat-checks/{id}', () => {
  it('200: returns availability by default', async () => {
    const checkId = String(fixtures.ids.heartbeat)
    await record(checkId, [
      { ago: hourMs, source: 'heartbeat', checkType: 'HEARTBEAT', location: '', metrics: [] },
      { ago: 1, source: 'heartbeat', checkType: 'HEARTBEAT', location: '', metrics: [], hasFailures: true },
    ])
    const { status, body } = await api.alice.get(`/v1/analytics/heartbeat-checks/${checkId}`)
    expect(status).toBe(200)
    expect(body.series).toEqual([{ data: [{ availability: 50 }] }])
    expect(Object.keys(body.metadata)).toEqual(['availability'])
  })

  it('200: counts the events of some states', async () => {
    const checkId = String(fixtures.ids.heartbeat)
    await api.store.pool.query(
      `insert into heartbeat_events (id, account_id, check_id, state, occurred_at)
       select gen_random_uuid(), $1, $2, state, to_timestamp($3 / 1000.0)
       from unnest(array['FAILING', 'LATE', 'GRACE', 'EARLY']) state`,
      [api.alice.accountId, checkId, now - 1000],
    )
    const read = async (states: string) =>
      (await api.alice.get(`/v1/analytics/heartbeat-checks/${checkId}?filterByStatus=${states}`)).body.series
    expect(await read('FAILING,LATE')).toEqual([{ data: [{ availability: 50 }] }])
    expect(await read('GRACE,EARLY')).toEqual([{ data: [{ availability: 100 }] }])
  })

  it('400: refuses an unknown state', async () => {
    const path = `/v1/analytics/heartbeat-checks/${fixtures.ids.heartbeat}?filterByStatus=success`
    expect((await api.alice.get(path)).status).toBe(400)
  })

  it('404: for a check of another type', async () => {
    expect((await api.alice.get(`/v1/analytics/heartbeat-checks/${fixtures.ids.api}`)).status).toBe(404)
  })
})

describe('GET /v1/analytics/metrics', () => {
  it('200: lists the metrics of a type', async () => {
    const { status, body } = await api.alice.get('/v1/analytics/metrics?checkType=DNS')
    expect(status).toBe(200)
    expect(body).toHaveLength(13)
    expect(body.slice(0, 4)).toEqual([
      { name: 'total', unit: 'milliseconds', label: 'Total', type: 'Float', aggregated: false },
      { name: 'availability', unit: 'percentage', label: 'Availability', type: 'Float', aggregated: true },
      { name: 'retries', unit: 'count', label: 'Retries', type: 'Integer', aggregated: true },
      { name: 'total_avg', unit: 'milliseconds', label: 'Total (avg)', type: 'Float', aggregated: true },
    ])
  })

  it('400: without a check type', async () => {
    expect((await api.alice.get('/v1/analytics/metrics')).status).toBe(400)
  })
})

describe('POST /v1/analytics/checks', () => {
  it('200: summarizes what each type has, null where nothing ran', async () => {
    const { ids } = fixtures
    const checkIds = [ids.api, ids.icmp, ids.heartbeat, ids.tcp]
    const { status, body } = await api.alice.post('/v1/analytics/checks', { checkIds })
    expect(status).toBe(200)
    const byId = new Map(body.map((row: { checkId: string }) => [row.checkId, row]))
    expect([...byId.keys()]).toEqual(checkIds)
    expect(byId.get(ids.api)).toEqual({
      checkId: ids.api,
      checkType: 'API',
      availability: 66.6667,
      responseTime_avg: 200,
      responseTime_p50: expect.any(Number),
      responseTime_p95: expect.any(Number),
      responseTime_p99: expect.any(Number),
    })
    expect(byId.get(ids.icmp)).toMatchObject({ availability: 100, latency_avg: 4, packetLoss_p99: 25 })
    expect(byId.get(ids.icmp)).not.toHaveProperty('responseTime_avg')
    expect(byId.get(ids.heartbeat)).toEqual({
      checkId: ids.heartbeat,
      checkType: 'HEARTBEAT',
      availability: 50,
    })
    expect(byId.get(ids.tcp)).toMatchObject({ availability: null, responseTime_avg: null })
  })

  it('200: leaves out the checks of another account', async () => {
    const response = await api.bob.post('/v1/analytics/checks', { checkIds: [fixtures.ids.api] })
    expect(response).toMatchObject({ status: 200, body: [] })
  })

  it('200: accepts a quick range', async () => {
    const body = { checkIds: [fixtures.ids.api] }
    const response = await api.alice.post('/v1/analytics/checks?quickRange=last7Days', body)
    expect(response.body[0]).toMatchObject({ availability: 75, responseTime_avg: 400 })
  })

  it.each([
    [{ checkIds: [] }],
    [{ checkIds: Array(101).fill('c0ffee00-0000-4000-8000-000000000001') }],
    [{}],
  ])('400: refuses %j', async (body) => {
    expect((await api.alice.post('/v1/analytics/checks', body)).status).toBe(400)
  })

  it('400: refuses a range that it does not have', async () => {
    const body = { checkIds: [fixtures.ids.api] }
    expect((await api.alice.post('/v1/analytics/checks?quickRange=last30Days', body)).status).toBe(400)
  })
})
