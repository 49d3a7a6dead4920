import { expect, it } from 'vitest'
import { type RecordedAttempt, summarizeTests } from './summarize-tests.ts'

const test = (title: string, outcome: string, durationMs: number | null = 100) => ({
  ...{ title, file: null, outcome, durationMs, steps: [] },
})
let count = 0
const attempt = (runId: string, tests: RecordedAttempt['tests'], isFinal = true): RecordedAttempt => ({
  ...{ resultId: `result ${count++}`, runId, startedAt: '2026-11-16T08:00:00.000Z', isFinal, tests },
})

it('counts the outcomes of each test, with failed and flaky ones first, then the slowest', () => {
  const { total, tests } = summarizeTests([
    attempt('3', [test('pays', 'expected', 300), test('opens', 'expected', 20), test('old', 'skipped', 0)]),
    attempt('2', [test('pays', 'unexpected', 900), test('opens', 'expected', 40)]),
    attempt('1', [test('pays', 'flaky', 200), test('opens', 'expected', 30), test('slow', 'expected', 60)]),
  ])
  expect(total).toBe(4)
  expect(tests.map(({ title }) => title)).toEqual(['pays', 'slow', 'opens', 'old'])
  expect(tests[0]).toMatchObject({
    ...{ runs: 3, passed: 1, failed: 1, flaky: 1, skipped: 0, durationP50: 300, durationP95: 900 },
    lastRuns: [{ outcome: 'flaky' }, { outcome: 'failed' }, { outcome: 'passed', duration: 300 }],
  })
  expect(tests[3]).toMatchObject({ runs: 1, skipped: 1, durationP50: null, lastRuns: [{ duration: null }] })
})

it('calls a test flaky that passed in a later attempt of the same run', () => {
  const { tests } = summarizeTests([
    attempt('2', [test('pays', 'expected')]),
    attempt('1', [test('pays', 'expected')]),
    attempt('1', [test('pays', 'unexpected')], false),
  ])
  expect(tests).toMatchObject([{ runs: 2, passed: 1, flaky: 1, failed: 0 }])
})

it('sums steps with the same title within a run', () => {
  const steps = (durations: (number | null)[]) =>
    durations.map((durationMs) => ({ title: 'add to cart', durationMs, hasFailed: durationMs === null }))
  const { tests } = summarizeTests([
    attempt('2', [{ ...test('pays', 'unexpected'), steps: steps([10, null]) }]),
    attempt('1', [{ ...test('pays', 'expected'), steps: steps([10, 20]) }]),
  ])
  expect(tests[0]?.steps).toEqual([
    { title: 'add to cart', runs: 2, failed: 1, durationP50: 10, durationP95: 30 },
  ])
})
