import { type CodeCheckType, pageMetricIndex, ReportedResult, resultMetrics } from '@vedette/contracts'
import { describe, expect, it } from 'vitest'
import { jobExample } from '../connection/agent-server.fixture.ts'
import { brokenResult } from '../run/reported-result.ts'
import type { CodeOutcome } from './code-runner.ts'
import { codeMetrics, codeResult } from './finish-run.ts'

type Outcome = Omit<CodeOutcome, 'release' | 'files' | 'foundSecrets'>

const passed: Outcome = {
  outcome: 'passed',
  failure: null,
  responseTimeMs: 1234.5678,
  metrics: {},
  sslDaysRemaining: null,
  detail: {},
  log: [],
}
const times = { startedAt: 1_000.4, durationMs: 2_000, isCancelled: false }
const job = (checkType: CodeCheckType) => jobExample('http://127.0.0.1:1', { checkType })
const detailOf = (result: ReportedResult) => JSON.parse(result.detail ?? 'null')

describe('the result of a code run', () => {
  it('is valid, with its detail, its log and its files', () => {
    const failure = { kind: 'script', message: 'Error: no', phase: 'judge' } as const
    const log = [{ time: 1, msg: 'hello', level: 'INFO' as const }]
    const file = { type: 'trace', name: 'trace.zip', contentType: 'application/zip', sizeBytes: 7 } as const
    const artifacts = [{ ...file, sha256: 'a'.repeat(64) }]
    const outcome: Outcome = { ...passed, outcome: 'failed', failure, log, detail: { errors: ['Error: no'] } }
    const result = codeResult(job('MULTI_STEP'), outcome, artifacts, times)
    expect(ReportedResult.safeParse(result).error).toBeUndefined()
    expect(result).toMatchObject({
      outcome: 'failed',
      failure,
      startedAt: 1_000,
      durationMs: 2_000,
      responseTimeMs: 1234.57,
      statusCode: null,
      artifacts,
      agenticScript: null,
    })
    expect(detailOf(result)).toEqual({
      failure,
      assertions: [],
      observed: { errors: ['Error: no'] },
      jobLog: log,
    })
  })

  it('contains only what a server can store', () => {
    const text = `a\0b\ud800${'x'.repeat(9_994)}😀`
    const failure = { kind: 'script', message: text, phase: 'judge' } as const
    const agenticScript = { kind: 'first', script: text, promptHash: 'abc' } as const
    const result = codeResult(job('AGENTIC'), { ...passed, failure, agenticScript }, [], times)
    const broken = brokenResult(job('AGENTIC'), times, text)
    for (const message of [result.failure?.message, broken.failure?.message, result.agenticScript?.script]) {
      expect(message).toContain('ab\ufffdxxx')
      expect(message?.isWellFormed()).toBe(true)
    }
    expect(result.detail).not.toContain('\0')
  })

  it('reports degraded and canceled runs', () => {
    const degraded: Outcome = { ...passed, outcome: 'degraded' }
    expect(codeResult(job('BROWSER'), degraded, [], times).outcome).toBe('degraded')
    const cancelled = codeResult(job('PLAYWRIGHT'), degraded, [], { ...times, isCancelled: true })
    expect(cancelled.outcome).toBe('cancelled')
  })

  it('contains the script of an agentic run', () => {
    const agenticScript = { kind: 'first', script: 'test()', promptHash: 'abc' } as const
    expect(codeResult(job('AGENTIC'), { ...passed, agenticScript }, [], times).agenticScript).toEqual(
      agenticScript,
    )
  })

  it.each([
    [12.9, 12],
    [-3.2, -4],
    [1e9, 100_000],
    [Number.NaN, null],
    [null, null],
  ])('has whole days until a certificate ends: %s', (sslDaysRemaining, expected) => {
    const result = codeResult(job('BROWSER'), { ...passed, sslDaysRemaining }, [], times)
    expect(result.sslDaysRemaining).toBe(expected)
    expect(ReportedResult.safeParse(result).error).toBeUndefined()
  })

  it('stays within the limits of the server', () => {
    const log = Array.from({ length: 50_000 }, () => ({
      time: 1,
      msg: 'x'.repeat(200),
      level: 'INFO' as const,
    }))
    const failure = { kind: 'script', message: 'e'.repeat(50_000), phase: 'judge' } as const
    const result = codeResult(job('BROWSER'), { ...passed, outcome: 'failed', failure, log }, [], times)
    expect(ReportedResult.safeParse(result).error).toBeUndefined()
    expect(detailOf(result).failure.message).toHaveLength(10_000)
  })
})

describe('the response time of a code run', () => {
  it.each(['BROWSER', 'MULTI_STEP', 'PLAYWRIGHT', 'AGENTIC'] as const)(
    'of %s is the same number in the result and in its metrics, also when it failed or never began',
    (type) => {
      const failure = { kind: 'timeout', message: 'took too long', phase: 'wait' } as const
      for (const responseTimeMs of [1234.56789, null]) {
        const outcome = { ...passed, outcome: 'failed', failure, responseTimeMs, metrics: {} } as const
        const result = codeResult(job(type), outcome, [], times)
        expect(result.metrics[0]).toBe(result.responseTimeMs)
        expect(result.metricLayout).toBe(1)
      }
    },
  )
})

describe('the metrics of a code run', () => {
  it.each(['BROWSER', 'MULTI_STEP', 'PLAYWRIGHT', 'AGENTIC'] as const)('are those of %s in order', (type) => {
    const metrics = Object.fromEntries(resultMetrics[type].map((name, at) => [name, at + 1]))
    expect(codeMetrics(type, { ...passed, metrics }, 1)).toEqual(resultMetrics[type].map((_, at) => at + 1))
    const nothing = codeMetrics(type, { ...passed, metrics: {} }, 7)
    expect(nothing).toEqual(resultMetrics[type].map((_, at) => (at === 0 ? 7 : null)))
  })

  it('of pages have the indexes of the contract, and invalid ones are null', () => {
    const vital = (value: unknown) => ({ score: 'GOOD', value })
    const pages = [
      { url: 'a', webVitals: { TTFB: vital(1), FCP: vital(2), LCP: vital(3), CLS: vital(0), TBT: vital(5) } },
      { url: 'b' },
      { url: 'c', webVitals: { LCP: vital(7.5), CLS: vital('x'), TBT: vital(-1), TTFB: null } },
    ]
    const metrics = codeMetrics('BROWSER', { ...passed, detail: { pages } }, 1)
    const at = (name: string, page: number) => metrics[pageMetricIndex(name, page) ?? -1]
    expect(['TTFB', 'FCP', 'LCP', 'CLS', 'TBT'].map((name) => at(name, 0))).toEqual([1, 2, 3, 0, 5])
    expect(at('LCP', 1)).toBeNull()
    expect(['TTFB', 'LCP', 'CLS', 'TBT'].map((name) => at(name, 2))).toEqual([null, 7.5, null, null])
    expect(metrics).toHaveLength(resultMetrics.BROWSER.length + 15)
  })

  it('of too many pages are left out', () => {
    const pages = new Array(50).fill({ webVitals: { TTFB: { value: 1 } } })
    const metrics = codeMetrics('BROWSER', { ...passed, detail: { pages } }, 1)
    expect(metrics).toHaveLength(60)
    expect(ReportedResult.shape.metrics.safeParse(metrics).success).toBe(true)
  })
})
