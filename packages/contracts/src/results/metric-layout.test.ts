import { describe, expect, it } from 'vitest'
import { checkTypes } from '../checks/index.ts'
import {
  arrangeMetrics,
  metricIndexes,
  metricLayoutVersion,
  nameMetrics,
  resultMetrics,
} from '../runs/runs.ts'
import { metricsOf } from './analytics-metrics.ts'
import {
  maxMeasuredPages,
  metricLayoutOf,
  pageMetricIndex,
  pageOfIndex,
  toCurrentLayout,
} from './page-metrics.ts'

// Stored rows and sketches, and the journals of agents, mean these numbers. Never change a line here: a new metric adds one,
// with an index that was never used, and a new version.
const http = { responseTime: 0, wait: 1, dns: 2, tcp: 3, firstByte: 4, download: 5 }
const golden = {
  API: http,
  URL: http,
  BROWSER: {
    ...{ responseTime: 0, TTFB: 1, FCP: 2, LCP: 3, CLS: 4, TBT: 5 },
    ...{ consoleErrors: 6, networkErrors: 7, userScriptErrors: 8, documentErrors: 9 },
    ...{ '0.TTFB': 10, '0.FCP': 11, '0.LCP': 12, '0.CLS': 13, '0.TBT': 14 },
    ...{ '1.TTFB': 15, '1.FCP': 16, '1.LCP': 17, '1.CLS': 18, '1.TBT': 19 },
    ...{ '2.TTFB': 20, '2.FCP': 21, '2.LCP': 22, '2.CLS': 23, '2.TBT': 24 },
    ...{ '3.TTFB': 25, '3.FCP': 26, '3.LCP': 27, '3.CLS': 28, '3.TBT': 29 },
    ...{ '4.TTFB': 30, '4.FCP': 31, '4.LCP': 32, '4.CLS': 33, '4.TBT': 34 },
    ...{ '5.TTFB': 35, '5.FCP': 36, '5.LCP': 37, '5.CLS': 38, '5.TBT': 39 },
    ...{ '6.TTFB': 40, '6.FCP': 41, '6.LCP': 42, '6.CLS': 43, '6.TBT': 44 },
    ...{ '7.TTFB': 45, '7.FCP': 46, '7.LCP': 47, '7.CLS': 48, '7.TBT': 49 },
    ...{ '8.TTFB': 50, '8.FCP': 51, '8.LCP': 52, '8.CLS': 53, '8.TBT': 54 },
    ...{ '9.TTFB': 55, '9.FCP': 56, '9.LCP': 57, '9.CLS': 58, '9.TBT': 59 },
  },
  MULTI_STEP: { responseTime: 0 },
  PLAYWRIGHT: { responseTime: 0 },
  AGENTIC: { responseTime: 0 },
  TCP: { total: 0, dns: 1, connection: 2, data: 3 },
  DNS: { total: 0 },
  ICMP: { packetLoss: 0, latencyMin: 1, latencyMax: 2, latencyAvg: 3, latencyStdDev: 4 },
  HEARTBEAT: {},
  GRPC: { responseTime: 0, dns: 1, tcp: 2, tls: 3, firstByte: 4, download: 5 },
  SSL: {
    ...{ handshakeTimeMs: 0, daysUntilExpiry: 1, keySizeBits: 2, tlsVersion: 3 },
    ...{ hostnameVerified: 4, chainTrusted: 5, ocspStapled: 6, baselineVerdict: 7 },
  },
  TRACEROUTE: {
    responseTime: 0,
    hopCount: 1,
    packetLoss: 2,
    latencyMin: 3,
    latencyMax: 4,
    latencyStdDev: 5,
    unknownHops: 6,
  },
}
const types = Object.keys(checkTypes) as (keyof typeof checkTypes)[]

describe('the layout of stored metrics', () => {
  it('is version 1, with these indexes', () => {
    expect(metricLayoutVersion).toBe(1)
    expect(Object.fromEntries(types.map((type) => [type, metricLayoutOf(type)]))).toEqual(golden)
  })

  it('gives no index to two metrics, and fits into the limit of a report', () => {
    for (const type of types) {
      const indexes = Object.values(metricLayoutOf(type))
      expect(new Set(indexes).size).toBe(indexes.length)
      expect(indexes.every((index) => index >= 0 && index < 100)).toBe(true)
    }
  })

  it('maps an index to its page', () => {
    for (let page = 0; page < maxMeasuredPages; page++) {
      expect(pageOfIndex(pageMetricIndex('TTFB', page) as number)).toBe(page)
      expect(pageOfIndex(pageMetricIndex('TBT', page) as number)).toBe(page)
    }
    expect([0, 9, 60, 99].map(pageOfIndex)).toEqual([null, null, null, null])
    expect(pageMetricIndex('responseTime', 0)).toBeNull()
  })

  it('is what analytics read by', () => {
    for (const type of types) {
      const measured = metricsOf(type).filter(
        ({ metricIndex, aggregation }) => metricIndex !== null && aggregation === null,
      )
      expect(Object.fromEntries(measured.map(({ name, metricIndex }) => [name, metricIndex]))).toEqual(
        metricIndexes[type],
      )
    }
  })

  it('is the same there and back', () => {
    for (const type of types) {
      const values = Object.fromEntries(resultMetrics[type].map((name, at) => [name, at + 1]))
      expect(nameMetrics(type, arrangeMetrics(type, values))).toEqual(values)
    }
  })
})

describe('metrics of another layout version', () => {
  const earlier = { 7: { API: { download: 0, responseTime: 2, gone: 1 }, BROWSER: { '1.LCP': 0 } } }

  it('move from their earlier index to the current one, by name', () => {
    expect(toCurrentLayout('API', [5, 99, 120], 7, earlier)).toEqual([120, null, null, null, null, 5])
    const moved = toCurrentLayout('BROWSER', [2500], 7, earlier)
    expect(moved[17]).toBe(2500)
    expect(moved.filter((value) => value !== null)).toEqual([2500])
  })

  it('stay as they are in the current version and in later ones', () => {
    const metrics = [1, null, 3, 4, 5, 6, 7, 8]
    expect(toCurrentLayout('API', metrics, 1)).toEqual(metrics)
    expect(toCurrentLayout('API', metrics, metricLayoutVersion + 1)).toEqual(metrics)
    expect(nameMetrics('API', metrics)).toEqual(firstSix)
  })
  const firstSix = { responseTime: 1, wait: null, dns: 3, tcp: 4, firstByte: 5, download: 6 }
})
