import { describe, expect, it } from 'vitest'
import { actualOf, expectationOf } from './assertion-words.ts'
import { outcomeOf, type Run, verdictSentence } from './verdict.ts'

const passed: Run = {
  responseTime: 312,
  statusCode: 200,
  assertions: [],
  address: '203.0.113.7',
  isHeartbeat: false,
}
const status = { source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' }
const at = { location: 'Frankfurt', time: '14:02:11' }

describe('the verdict of a run', () => {
  it('says what was expected and what came', () => {
    const run = {
      ...passed,
      ...{ hasFailures: true, statusCode: 503 },
      assertions: [{ ...status, error: 'is 503', actual: 503 }],
    }
    expect(verdictSentence(run, at)).toBe(
      'Failed in Frankfurt at 14:02:11: expected status 200, got 503 after 312 ms, from 203.0.113.7.',
    )
  })

  it('counts the other failed assertions', () => {
    const failed = { ...status, error: 'is 503', actual: 503 }
    const run = { ...passed, hasFailures: true, assertions: [failed, failed, status] }
    expect(verdictSentence(run, at)).toContain('got 503 (and 1 more) after')
  })

  it('says why there was no response, without a time that nothing took', () => {
    const run = {
      ...passed,
      ...{ hasFailures: true, statusCode: null, address: null },
      failure: { kind: 'connect', message: 'The connection to 203.0.113.7:443 was refused.' },
    }
    expect(verdictSentence(run, at)).toBe(
      'Failed in Frankfurt at 14:02:11: the connection to 203.0.113.7:443 was refused.',
    )
  })

  it('keeps names at the start of a message', () => {
    const failure = { kind: 'dns', message: 'DNS: shop.example.com doesn’t exist' }
    const run = { ...passed, hasFailures: true, statusCode: null, address: null, failure }
    expect(verdictSentence(run, at)).toContain(': DNS: shop.example.com')
  })

  it('says what passed', () => {
    expect(verdictSentence(passed, at)).toBe(
      'Passed in Frankfurt at 14:02:11: status 200 after 312 ms, from 203.0.113.7.',
    )
  })

  it('says only that it failed if nothing else is kept', () => {
    expect(verdictSentence({ ...passed, hasFailures: true, address: null }, at)).toBe(
      'Failed in Frankfurt at 14:02:11 after 312 ms.',
    )
  })

  it('has no location for a missed ping', () => {
    const failure = { kind: 'missed_ping', message: 'No ping came within 10 minutes.' }
    const run = { ...passed, statusCode: null, address: null, hasFailures: true, isHeartbeat: true, failure }
    expect(verdictSentence(run, at)).toBe('Failed at 14:02:11: no ping came within 10 minutes.')
  })

  it.each([
    [{ isCancelled: true, hasFailures: true }, 'Canceled'],
    [{ hasErrors: true }, 'Couldn’t run'],
    [{ hasFailures: true, isDegraded: true }, 'Failed'],
    [{ isDegraded: true }, 'Degraded'],
    [{}, 'Passed'],
  ])('%j is %s', (run, label) => expect(outcomeOf(run).label).toBe(label))
})

describe('an assertion', () => {
  it.each([
    [{ source: 'RESPONSE_TIME', comparison: 'LESS_THAN', target: '500' }, 'response time less than 500 ms'],
    [
      { source: 'JSON_BODY', property: '$.items.length', comparison: 'GREATER_THAN', target: '0' },
      '$.items.length greater than 0',
    ],
    [
      { source: 'HEADERS', property: 'server', comparison: 'EQUALS', target: 'nginx' },
      'header server “nginx”',
    ],
    [{ source: 'TEXT_BODY', comparison: 'NOT_EMPTY' }, 'body not to be empty'],
    [{ source: 'NEW', property: 'thing', comparison: 'ODD', target: 'x' }, 'NEW thing ODD “x”'],
  ])('%j expects %s', (assertion, words) => expect(expectationOf(assertion)).toBe(words))

  it('shows long values in part', () => {
    expect(actualOf({ source: 'TEXT_BODY', comparison: 'CONTAINS', actual: 'x'.repeat(500) })).toHaveLength(
      122,
    )
  })
})
