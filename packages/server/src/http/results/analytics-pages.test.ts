import { hourMs, pageMetricIndex, pageMetrics, resultMetrics } from '@vedette/contracts'
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
  await record([
    { ago: 5 * hourMs, ...visited([{ TTFB: 100, LCP: 900, CLS: 0.1 }, { TTFB: 50 }]) },
    { ago: 4 * hourMs, ...visited([{ TTFB: 300, LCP: 1_100 }, { TTFB: 70 }]), location: 'us-east-1' },
    // The second page was never reached.
    { ago: 2 * hourMs, ...visited([{ TTFB: 200, LCP: 1_000 }]), hasFailures: true },
  ])
})
afterAll(() => api.close())

type Vitals = Partial<Record<(typeof pageMetrics)[number], number>>

/** As an agent reports it: the metrics of the run, those of its pages behind them, and the pages in its evidence. */
function visited(pages: Vitals[]): Pick<SomeResult, 'checkType' | 'metrics' | 'detail'> {
  const ofRun = resultMetrics.BROWSER.map((_, at) => (at === 0 ? 4_000 : null))
  const ofPages = pages.flatMap((vitals) => pageMetrics.map((name) => vitals[name] ?? null))
  const urls = pages.map((_, page) => ({ url: `https://shop.example.com/${page}` }))
  return { checkType: 'BROWSER', metrics: [...ofRun, ...ofPages], detail: { observed: { pages: urls } } }
}

type Given = Omit<SomeResult, 'accountId' | 'checkId' | 'scheduledAt'> & { ago: number }

async function record(results: Given[]): Promise<void> {
  const of = { accountId: api.alice.accountId, checkId: String(fixtures.ids.browser) }
  const whole = results.map(({ ago, ...given }) => ({ ...of, scheduledAt: now - ago, ...given }))
  await insertResults(api.store, whole, now)
}

const report = async (query: string) =>
  (await api.alice.get(`/v1/analytics/browser-checks/${fixtures.ids.browser}?groupBy=pageIndex&${query}`))
    .body

const url = (page: number) => `https://shop.example.com/${page}`

describe('GET /v1/analytics/browser-checks/{id}?groupBy=pageIndex', () => {
  it('200: adds up each page on its own, from results and from rollups alike', async () => {
    const query = 'metrics=TTFB_avg,TTFB_max,LCP_sum,CLS_max,availability,retries'
    const { series } = await report(query)
    const ofRuns = { availability: 66.6667, retries: 0 }
    expect(series).toEqual([
      {
        pageIndex: 0,
        data: [
          {
            ...{ pageIndex: 0, pageUrl: url(0), TTFB_avg: 200, TTFB_max: 300, LCP_sum: 3_000, CLS_max: 0.1 },
            ...ofRuns,
          },
        ],
      },
      {
        pageIndex: 1,
        data: [
          {
            ...{ pageIndex: 1, pageUrl: url(1), TTFB_avg: 60, TTFB_max: 70, LCP_sum: null, CLS_max: null },
            ...ofRuns,
          },
        ],
      },
    ])
    expect(await rollUpClosedHours(api.store.pool, now)).toBeGreaterThan(0)
    const folded = (await report(query)).series
    expect(folded[1]).toEqual(series[1])
    expect(folded[0].data[0]).toMatchObject({ TTFB_max: 300, LCP_sum: 3_000, availability: 66.6667 })
  })

  it('200: without a word on how to add up, there is a row for each visit', async () => {
    const { series } = await report('metrics=TTFB,LCP,responseTime')
    expect(
      series.map(({ pageIndex, data }: { pageIndex: number; data: unknown[] }) => [pageIndex, data.length]),
    ).toEqual([
      [0, 3],
      [1, 2],
    ])
    expect(series[1].data).toMatchObject([
      { TTFB: 50, LCP: null, runLocation: 'eu-west-1', pageUrl: url(1) },
      { TTFB: 70, LCP: null, runLocation: 'us-east-1', pageUrl: url(1) },
    ])
    // Of the run as a whole, not of one of its pages.
    expect(series[0].data[0].responseTime).toBeNull()
  })

  it('200: has a row per interval in which a page was visited', async () => {
    const { series } = await report('metrics=TTFB_avg&aggregationInterval=60')
    const times = (page: number) => series[page].data.map(({ TTFB_avg }: { TTFB_avg: number }) => TTFB_avg)
    expect([times(0), times(1)]).toEqual([
      [100, 300, 200],
      [50, 70],
    ])
  })

  it('200: counts only the runs of one outcome, and knows pages by any of their metrics', async () => {
    const { series } = await report('metrics=availability&filterByStatus=failure')
    expect(series).toEqual([{ pageIndex: 0, data: [{ availability: 0, pageIndex: 0, pageUrl: url(0) }] }])
  })

  it('200: nothing if no page was visited', async () => {
    expect((await report(`metrics=TTFB_avg&from=1&to=2`)).series).toEqual([])
  })

  it('200: the run as a whole has its own series, without a grouping', async () => {
    const path = `/v1/analytics/browser-checks/${fixtures.ids.browser}?metrics=responseTime_avg,TTFB_avg`
    const { body } = await api.alice.get(path)
    expect(body.series).toEqual([{ data: [{ responseTime_avg: 4_000, TTFB_avg: null }] }])
  })
})

describe('the indexes of page metrics', () => {
  it('come after those of the run, and are unique', () => {
    const slots = Array.from({ length: 10 }, (_, page) =>
      pageMetrics.map((name) => pageMetricIndex(name, page)),
    ).flat()
    expect(new Set(slots).size).toBe(slots.length)
    expect(Math.min(...slots.map(Number))).toBe(resultMetrics.BROWSER.length)
    expect(pageMetricIndex('responseTime', 0)).toBeNull()
  })
})
