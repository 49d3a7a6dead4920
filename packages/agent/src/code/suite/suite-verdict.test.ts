import { describe, expect, test } from 'vitest'
import { parseReport } from '../test-report.ts'
import type { CommandEnd } from './open-suite-cell.ts'
import { suiteVerdict } from './suite-verdict.ts'

const ended = (over: Partial<CommandEnd> = {}): CommandEnd => ({
  exitCode: 0,
  signal: null,
  reason: 'exited',
  durationMs: 1,
  isTimedOut: false,
  ...over,
})
const begin = { kind: 'begin', version: '1.58.2', tests: 1, html: null }
const result = (over: Record<string, unknown> = {}) => ({
  kind: 'result',
  id: 'a',
  title: 'buys',
  suitePath: ['shop'],
  projectName: 'chromium',
  file: 'a.spec.ts',
  line: 3,
  status: 'passed',
  expectedStatus: 'passed',
  retry: 0,
  startTime: 1,
  duration: 2,
  errors: [],
  attachments: [],
  ...over,
})
const failing = ({ isSoft = false, ...over }: Record<string, unknown> = {}) => {
  const errors = [{ message: '\u001b[31mexpect(x).toBe(y)\u001b[39m', stack: 'at a', isSoft }]
  return result({ status: 'failed', errors, ...over })
}
const end = (outcomes: Record<string, string>) => ({ kind: 'end', status: 'failed', outcomes })
const lines = (...all: unknown[]) => all.map((one) => JSON.stringify(one)).join('\n')
const judge = (text: string, over: Record<string, unknown> = {}) =>
  suiteVerdict({
    command: 'npx playwright test',
    end: ended(),
    limitMs: 1_800_000,
    report: parseReport(text),
    degraded: null,
    lastOutput: 'last words',
    ...over,
  })

describe('a report', () => {
  test('contains each test once, by its last attempt, even if interrupted', () => {
    const retried = lines(begin, failing(), result({ retry: 1 }))
    expect(parseReport(retried)).toMatchObject({
      planned: 1,
      isWhole: false,
      tests: [{ id: 'a', outcome: 'flaky' }],
    })
    const whole = parseReport(`${retried}\n${lines(end({ a: 'flaky' }))}`)
    expect(whole?.isWhole).toBe(true)
    expect(whole?.tests[0]?.attempts.map(({ status }) => status)).toEqual(['failed', 'passed'])
    const expectedToFail = lines(begin, failing({ expectedStatus: 'failed' }))
    expect(parseReport(expectedToFail)?.tests[0]?.outcome).toBe('expected')
    expect(parseReport(lines(begin, result({ status: 'skipped' })))?.tests[0]?.outcome).toBe('skipped')
  })

  test('is nothing where no runner began, and lines of another form are passed over', () => {
    expect(parseReport('')).toBeNull()
    expect(parseReport('hello\n{"kind":"other"}\n[]')).toBeNull()
    expect(parseReport(lines(begin, { kind: 'result', id: 5 }, result()))?.tests).toHaveLength(1)
  })
})

describe('the verdict on a suite', () => {
  test('passed, and degraded by the mark alone', () => {
    const text = lines(begin, result(), end({ a: 'expected' }))
    expect(judge(text)).toEqual({ outcome: 'passed', failure: null, errors: [] })
    expect(judge(text, { degraded: [] }).outcome).toBe('degraded')
  })

  test('failed: the error of the test, without colors', () => {
    const verdict = judge(lines(begin, failing(), end({ a: 'unexpected' })), { end: ended({ exitCode: 1 }) })
    expect(verdict.outcome).toBe('failed')
    expect(verdict.failure).toEqual({
      kind: 'assertion',
      phase: 'judge',
      message: 'shop › buys: expect(x).toBe(y)',
    })
    expect(verdict.errors).toEqual([
      {
        error: { message: 'expect(x).toBe(y)', stack: 'at a' },
        specId: 'a',
        testFile: 'a.spec.ts',
        suitePath: ['shop'],
        testTitle: 'buys',
        projectName: 'chromium',
      },
    ])
  })

  test('soft failures are degraded with the mark, and failed without it or beside a hard one', () => {
    const soft = lines(begin, failing({ isSoft: true }), end({ a: 'unexpected' }))
    const code = { end: ended({ exitCode: 1 }) }
    expect(judge(soft, { ...code, degraded: ['slow'] })).toMatchObject({ outcome: 'degraded', failure: null })
    expect(judge(soft, code).outcome).toBe('failed')
    const both = lines(begin, failing({ isSoft: true }), failing({ id: 'b' }))
    expect(judge(both, { ...code, degraded: ['slow'] }).outcome).toBe('failed')
    expect(judge(both, { ...code, degraded: ['slow'] }).failure?.message).toMatch(/^2 of 2 tests failed\. /)
  })

  test('a failed command is reported with its last output', () => {
    const failed = { end: ended({ exitCode: 127 }) }
    expect(judge('', failed).failure?.message).toBe(
      'npx playwright test exited with code 127 before any test ran: last words',
    )
    const passed = lines(begin, result(), end({ a: 'expected' }))
    expect(judge(passed, failed).failure?.message).toBe(
      'npx playwright test exited with code 127: last words',
    )
    const outside = lines({ kind: 'error', message: 'no tests found', stack: '' })
    expect(judge(outside, failed)).toMatchObject({
      outcome: 'failed',
      failure: { message: 'no tests found' },
    })
  })

  test('limits are named', () => {
    const cut = judge(lines(begin, result()), {
      end: ended({ exitCode: null, signal: 'SIGKILL', isTimedOut: true, reason: 'killed' }),
    })
    expect(cut.failure).toMatchObject({ kind: 'timeout' })
    expect(cut.failure?.message).toContain("didn't finish within its limit of 30 minutes")
    const memory = judge('', { end: ended({ exitCode: null, signal: 'SIGKILL', reason: 'memory' }) })
    expect(memory.failure?.message).toBe('The suite used more memory than allowed: last words')
  })
})
