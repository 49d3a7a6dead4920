import type { RunDetail } from '@vedette/contracts'
import { describe, expect, it } from 'vitest'
import { analyze } from './analyze.ts'
import { evidence, run } from './evidence.fixture.ts'

const detail = (message: string | null, jobLog: RunDetail['jobLog'] = []): RunDetail => ({
  failure: message === null ? null : { kind: 'script', message, phase: 'judge' },
  assertions: [],
  observed: { errors: message === null ? [] : [message] },
  jobLog,
})
const passing = [run(-1, detail(null)), run(-2, detail(null))]

describe('the analysis of a run of code', () => {
  it.each([
    [
      'page.goto: net::ERR_NAME_NOT_RESOLVED at https://shop.test/',
      'DNS_ERROR',
      'a name could not be resolved',
    ],
    [
      'page.goto: net::ERR_CERT_DATE_INVALID at https://shop.test/',
      'CERTIFICATE_ERROR',
      'a certificate was not',
    ],
    [
      'apiRequestContext.get: connect ECONNREFUSED 192.0.2.1:443',
      'NETWORK_ERROR',
      'a connection could not be',
    ],
    ['TimeoutError: page.click: Timeout 5000ms exceeded.', 'TIMEOUT_ERROR', 'did not happen in time'],
    [
      'Error: expect(locator).toHaveText(expected) failed',
      'APPLICATION_ERROR',
      'differs from what the code expects',
    ],
  ])('classifies its error: %s', (message, classification, words) => {
    const analysis = analyze(evidence(run(0, detail(message)), { checkType: 'BROWSER', passing }))
    expect(analysis.classification).toBe(classification)
    expect(analysis.rootCause).toContain(words)
    expect(analysis.rootCause).toContain('The same check passed before.')
    expect(JSON.stringify(analysis.evidence)).toContain(message)
    expect(analysis.rootCause).not.toContain('No request was sent')
  })

  const wrongText = `Error: Timed out 5000ms waiting for expect(locator).toHaveText(expected)

Locator: locator('h1')
Expected string: "Welcome, Ann"
Received string: "Oops, something went wrong"
Call log:
  - expect.toHaveText with timeout 5000ms
  - waiting for locator('h1')
  -   locator resolved to <h1>Oops, something went wrong</h1>`
  const noElement = `Error: expect(locator).toBeVisible() failed

Locator: getByRole('button', { name: 'Pay' })
Expected: visible
Timeout: 5000ms
Error: element(s) not found

Call log:
  - Expect "toBeVisible" with timeout 5000ms`

  it('is an assertion failure with both values if an expect polled until its timeout', () => {
    const analysis = analyze(evidence(run(0, detail(wrongText)), { checkType: 'BROWSER', passing }))
    expect(analysis.classification).toBe('APPLICATION_ERROR')
    expect(analysis.rootCause).toContain(
      `expected locator('h1') to have text "Welcome, Ann", but it was "Oops, something went wrong".`,
    )
    expect(`${analysis.rootCause} ${analysis.codeFix}`).not.toMatch(/in time|timeout/i)
  })

  it('names an element that never appeared', () => {
    const analysis = analyze(evidence(run(0, detail(noElement)), { checkType: 'BROWSER', passing }))
    expect(analysis.classification).toBe('APPLICATION_ERROR')
    expect(analysis.rootCause).toContain(
      "Element not found: getByRole('button', { name: 'Pay' }) matched no element on the page within 5000 ms, so the assertion “to be visible” failed.",
    )
  })

  it('doubts the code of a check that never passed', () => {
    const analysis = analyze(evidence(run(0, detail(wrongText)), { checkType: 'BROWSER', passing: [] }))
    expect(analysis.classification).toBe('APPLICATION_ERROR')
    expect(analysis.rootCause).toContain("The check hasn't passed before, so the error may be in its code.")
  })

  it.each([
    'Test timeout of 30000ms exceeded.',
    "Test timeout of 30000ms exceeded.\n\nError: expect(locator).toBeVisible() failed\n\nLocator: locator('h1')",
    'TimeoutError: page.goto: Timeout 30000ms exceeded.',
  ])('stays a timeout if navigation or the test timed out: %s', (message) => {
    const analysis = analyze(evidence(run(0, detail(message)), { checkType: 'BROWSER', passing }))
    expect(analysis.classification).toBe('TIMEOUT_ERROR')
  })

  it('cites the last error of its log', () => {
    const log = [
      { time: 1, msg: 'opened', level: 'INFO' },
      { time: 2, msg: 'the cart is empty', level: 'ERROR' },
      { time: 3, msg: 'closing', level: 'INFO' },
    ]
    const failing = run(0, detail('Error: no cart', log))
    const { evidence: proofs } = analyze(evidence(failing, { checkType: 'PLAYWRIGHT', passing }))
    expect(JSON.stringify(proofs)).toContain('the last error in the log is “the cart is empty”')
  })

  it('reports an unknown cause without further evidence', () => {
    const failing = run(0, detail('Error: expect(received).toBe(expected)'))
    const analysis = analyze(evidence(failing, { checkType: 'MULTI_STEP', passing: [] }))
    expect(analysis.classification).toBe('UNKNOWN_ERROR')
    expect(analysis.rootCause).toContain('a passing run of the check to compare with')
  })

  it('does not apply to network checks', () => {
    const analysis = analyze(evidence(run(0, detail('TimeoutError: page.click: Timeout 5000ms exceeded.'))))
    expect(analysis.rootCause).not.toContain('The code of the check')
  })
})
