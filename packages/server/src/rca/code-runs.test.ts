import type { RunDetail } from '@vedette/contracts'
import { describe, expect, it } from 'vitest'
import { analyse } from './analyse.ts'
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
    ['Error: expect(locator).toHaveText(expected) failed', 'APPLICATION_ERROR', 'not what it expects'],
  ])('names what its error tells: %s', (message, classification, words) => {
    const analysis = analyse(evidence(run(0, detail(message)), { checkType: 'BROWSER', passing }))
    expect(analysis.classification).toBe(classification)
    expect(analysis.rootCause).toContain(words)
    expect(analysis.rootCause).toContain('The same check passed before.')
    expect(JSON.stringify(analysis.evidence)).toContain(message)
    expect(analysis.rootCause).not.toContain('No request was sent')
  })

  it('has the last error of its log among the evidence', () => {
    const log = [
      { time: 1, msg: 'opened', level: 'INFO' },
      { time: 2, msg: 'the cart is empty', level: 'ERROR' },
      { time: 3, msg: 'closing', level: 'INFO' },
    ]
    const failing = run(0, detail('Error: no cart', log))
    const { evidence: proofs } = analyse(evidence(failing, { checkType: 'PLAYWRIGHT', passing }))
    expect(JSON.stringify(proofs)).toContain('the last error in the log is “the cart is empty”')
  })

  it('says that the cause is unknown where nothing tells more than that it failed', () => {
    const failing = run(0, detail('Error: expect(received).toBe(expected)'))
    const analysis = analyse(evidence(failing, { checkType: 'MULTI_STEP', passing: [] }))
    expect(analysis.classification).toBe('UNKNOWN_ERROR')
    expect(analysis.rootCause).toContain('a passing run of the check to compare with')
  })

  it('is none of a network check', () => {
    const analysis = analyse(evidence(run(0, detail('TimeoutError: page.click: Timeout 5000ms exceeded.'))))
    expect(analysis.rootCause).not.toContain('The code of the check')
  })
})
