// Reports agree with a plain computation over the results, whatever is rolled up or late.
import { randomUUID } from 'node:crypto'
import { dayMs, type Grouping, hourMs, minuteMs, resultMetrics } from '@vedette/contracts'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../storage/accounts/first-account.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { insertResults, type SomeResult } from '../testing/results.ts'
import { insertTestCheck } from './check.fixture.ts'
import { floorTo } from './range.ts'
import { buildSeries } from './report.ts'
import type { ReportQuery } from './report-query.ts'
import { rollUpClosedHours } from './roll-up.ts'

let database: TestDatabase
let accountId: string
beforeAll(async () => {
  database = await createTestDatabase()
  accountId = (await createAccount(database.store.db, 'An account')).id
})
afterAll(() => database.drop())

const begin = Date.UTC(2026, 2, 2)
const spanMs = 6 * dayMs
const end = begin + spanMs

interface Run {
  at: number
  location: string
  statusCode: number | null
  fate: 'passed' | 'degraded' | 'failed' | 'error' | 'cancelled'
  retries: number
  source: 'schedule' | 'session'
  values: number[]
}

const measured = fc.integer({ min: 0, max: 9_999_999 }).map((value) => value / 100)
const run: fc.Arbitrary<Run> = fc.record({
  // Within a few hours, so that hours and days have several runs and groups.
  at: fc
    .tuple(fc.integer({ min: 0, max: 143 }), fc.integer({ min: 0, max: hourMs - 1 }))
    .map(([hour, offset]) => begin + (hour - (hour % 7)) * hourMs + offset)
    .filter((at) => at >= begin && at < end),
  location: fc.constantFrom('eu-west-1', 'us-east-1', 'ap-south-1'),
  statusCode: fc.constantFrom(200, 404, 500, null),
  fate: fc.constantFrom('passed', 'passed', 'passed', 'degraded', 'failed', 'error', 'cancelled'),
  retries: fc.constantFrom(0, 0, 0, 1, 2),
  source: fc.constantFrom('schedule', 'schedule', 'session'),
  values: fc.array(measured, { minLength: 6, maxLength: 6 }),
})

function resultsOf(checkId: string, { at, fate, retries, values, ...given }: Run): SomeResult[] {
  const shared = { ...given, accountId, checkId, scheduledAt: at, runId: randomUUID() }
  const attempts = Array.from({ length: retries }, (_, n) => ({
    ...shared,
    attempt: n + 1,
    resultType: 'ATTEMPT' as const,
    hasFailures: true,
    metrics: resultMetrics.API.map(() => 123_456),
  }))
  const last = {
    ...shared,
    attempt: retries + 1,
    metrics: values,
    hasFailures: fate === 'failed' || fate === 'error',
    hasErrors: fate === 'error',
    isDegraded: fate === 'degraded',
    isCancelled: fate === 'cancelled',
  }
  return [...attempts, last]
}

const metrics = [
  'availability',
  'retries',
  ...['avg', 'max', 'median', 'min', 'p50', 'p90', 'p95', 'p99', 'stddev', 'sum'].map(
    (suffix) => `responseTime_${suffix}`,
  ),
  'download_p95',
  'download_sum',
]

type Row = Record<string, number | string | null>

function plainRows(runs: Run[], query: ReportQuery): Map<string, Row> {
  const { range, groupBy, outcomes, intervalMinutes } = query
  const counted = runs.filter(({ at, fate }) => {
    const outcome = fate === 'failed' ? 'failure' : 'success'
    const isAsked = outcomes === undefined || outcomes.includes(outcome)
    return fate !== 'error' && fate !== 'cancelled' && isAsked && at >= range.from && at < range.to
  })
  const groups = Map.groupBy(counted, ({ at, location, statusCode }) => {
    const group = groupBy === undefined ? '' : groupBy === 'runLocation' ? location : String(statusCode)
    return `${group} ${intervalMinutes === undefined ? '' : floorTo(at, intervalMinutes * minuteMs)}`
  })
  return new Map([...groups].map(([key, members]) => [key, plainRow(members)]))
}

function plainRow(runs: Run[]): Row {
  const row: Row = {
    availability: (runs.filter(({ fate }) => fate !== 'failed').length / runs.length) * 100,
    retries: runs.reduce((sum, { retries }) => sum + retries, 0),
  }
  for (const [index, name] of [
    [0, 'responseTime'],
    [5, 'download'],
  ] as const) {
    const values = runs.map((one) => one.values[index] ?? 0).sort((a, b) => a - b)
    const sum = values.reduce((a, b) => a + b, 0)
    const avg = sum / values.length
    row[`${name}_sum`] = sum
    row[`${name}_avg`] = avg
    row[`${name}_min`] = values[0] ?? 0
    row[`${name}_max`] = values.at(-1) ?? 0
    row[`${name}_stddev`] = Math.sqrt(values.reduce((a, b) => a + (b - avg) ** 2, 0) / values.length)
    for (const [suffix, q] of Object.entries({ median: 0.5, p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99 })) {
      const rank = q * (values.length - 1)
      const below = values[Math.floor(rank)] ?? 0
      row[`${name}_${suffix}`] = below + ((values[Math.ceil(rank)] ?? 0) - below) * (rank % 1)
    }
  }
  return row
}

function expectSame(actual: Row, expected: Row, at: string): void {
  for (const name of metrics) {
    const [is, should] = [Number(actual[name]), Number(expected[name])]
    const isQuantile = /_(median|p\d+)$/.test(name)
    // Counts are exact to the decimals shown; squares lose some precision for large, similar values.
    const allowed = isQuantile ? should * 0.01 + 1e-4 : name.endsWith('_stddev') ? 0.5 : 1e-4 + should * 1e-9
    expect(Math.abs(is - should), `${name} ${at}: ${is} for ${should}`).toBeLessThanOrEqual(allowed)
  }
}

async function expectAgreement(runs: Run[], query: ReportQuery): Promise<number> {
  const series = await buildSeries(database.store.pool, query)
  const expected = plainRows(runs, query)
  const actual = new Map<string, Row>()
  for (const { group, rows } of series) {
    for (const row of rows) {
      const name = query.groupBy === undefined ? '' : String(group[query.groupBy])
      actual.set(`${name} ${row.startedAt === undefined ? '' : Date.parse(String(row.startedAt))}`, row)
    }
  }
  expect([...actual.keys()].sort()).toEqual([...expected.keys()].sort())
  for (const [key, row] of actual) expectSame(row, expected.get(key) ?? {}, key)
  return actual.size
}

const instant = fc.oneof(
  fc.integer({ min: 0, max: spanMs / hourMs }).map((hour) => begin + hour * hourMs),
  fc.integer({ min: begin, max: end }),
)
const query = fc.record({
  range: fc
    .tuple(fc.oneof(fc.constant(begin), instant), fc.oneof(fc.constant(end), instant))
    .map(([a, b]) => ({ from: Math.min(a, b), to: Math.max(a, b) })),
  intervalMinutes: fc.constantFrom(undefined, 5, 60, 90, 180, 1440, 2880, 10_080),
  groupBy: fc.constantFrom<Grouping | undefined>(undefined, 'runLocation', 'statusCode'),
  outcomes: fc.constantFrom<ReportQuery['outcomes']>(
    undefined,
    ['success'],
    ['failure'],
    ['success', 'failure'],
  ),
})

const step = fc.record({
  runs: fc.array(run, { minLength: 1, maxLength: 60 }),
  /** Until when hours are rolled up afterwards, if at all. */
  rollUpTo: fc.option(fc.integer({ min: begin, max: end + dayMs })),
})

describe('reports', () => {
  it('agree with the results at every moment', { timeout: 120_000 }, async () => {
    let rows = 0
    const scenario = fc.tuple(
      fc.array(step, { minLength: 1, maxLength: 4 }),
      fc.array(query, { minLength: 3, maxLength: 6 }),
    )
    await fc.assert(
      fc.asyncProperty(scenario, async ([steps, queries]) => {
        const checkId = await insertTestCheck(database.store.db, accountId)
        const runs: Run[] = []
        for (const { runs: more, rollUpTo } of steps) {
          await insertResults(
            database.store,
            more.flatMap((one) => resultsOf(checkId, one)),
            // All hours are closed by then: a result in a rolled-up hour is late.
            end + dayMs,
          )
          runs.push(...more)
          if (rollUpTo !== null) await rollUpClosedHours(database.store.pool, rollUpTo, { batch: 3 })
          for (const one of queries) {
            rows += await expectAgreement(runs, {
              accountId,
              checkId,
              checkType: 'API',
              metrics,
              keptSince: 0,
              ...one,
            })
          }
        }
      }),
      { numRuns: Number(process.env.PROPERTY_RUNS ?? 20) },
    )
    expect(rows).toBeGreaterThan(100)
  })
})
