import type { Subject } from '@vedette/contracts'
import { describe, expect, it } from 'vitest'
import type { Assertion } from './assertion-values.ts'
import { evaluateAssertions } from './assertions.ts'

const body = { status: 'up', items: [{ id: 1 }, { id: 2 }], version: '1.4.2', none: null }

const subjects: Record<string, Subject> = {
  STATUS_CODE: { kind: 'number', value: 200 },
  RESPONSE_TIME: { kind: 'number', value: 123.4 },
  JSON_BODY: { kind: 'json', value: body },
  TEXT_BODY: { kind: 'text', value: JSON.stringify(body) },
  HEADERS: { kind: 'named', values: { 'Content-Type': 'text/html; charset=utf-8', 'x-count': 7 } },
  RESPONSE_DATA: { kind: 'text', value: '220 mail ready' },
  RESPONSE_CODE: { kind: 'text', value: 'NOERROR' },
  TEXT_ANSWER: { kind: 'text', value: 'example.com. 300 IN A 192.0.2.1' },
  JSON_ANSWER: { kind: 'json', value: { Answer: [{ data: '192.0.2.1', TTL: 300 }], Status: 0 } },
  LATENCY: { kind: 'named', values: { avg: 10, min: 8, max: 15, stdDev: 1.5 } },
  JSON_RESPONSE: { kind: 'json', value: { packetLoss: 0, latency: { avg: 10 } } },
}

function assertion(
  source: Assertion['source'],
  property: string,
  comparison: Assertion['comparison'],
  target = '',
  regex: string | null = '',
): Assertion {
  return { source, property, comparison, target, regex }
}

describe('an assertion that holds', () => {
  it.each([
    [assertion('STATUS_CODE', '', 'EQUALS', '200')],
    [assertion('STATUS_CODE', 'ignored', 'LESS_THAN', '400', 'ignored')],
    [assertion('RESPONSE_TIME', '', 'LESS_THAN', '123.5')],
    [assertion('JSON_BODY', '$.status', 'EQUALS', 'up')],
    [assertion('JSON_BODY', '', 'HAS_KEY', 'items')],
    [assertion('JSON_BODY', '$.items.length', 'EQUALS', '2')],
    [assertion('JSON_BODY', '$.items[*].id', 'GREATER_THAN', '0')],
    [assertion('JSON_BODY', '$.items[?(@.id > 5)]', 'IS_EMPTY')],
    [assertion('JSON_BODY', '$.none', 'IS_NULL')],
    [assertion('JSON_BODY', '$.missing', 'IS_NULL')],
    [assertion('JSON_BODY', '$.error', 'NOT_EQUALS', 'true')],
    [assertion('JSON_BODY', '$.version', 'EQUALS', '4', '^\\d+\\.(\\d+)')],
    [assertion('TEXT_BODY', '', 'CONTAINS', '"up"')],
    [assertion('TEXT_BODY', '"version":"([^"]+)"', 'EQUALS', '1.4.2')],
    [assertion('TEXT_BODY', '', 'EQUALS', 'up', '"status":"(\\w+)"')],
    [assertion('TEXT_BODY', 'Exception', 'IS_EMPTY')],
    [assertion('HEADERS', 'content-type', 'CONTAINS', 'text/html')],
    [assertion('HEADERS', 'CONTENT-TYPE', 'EQUALS', 'utf-8', 'charset=(.+)')],
    [assertion('HEADERS', 'X-Count', 'GREATER_THAN', '6', null)],
    [assertion('HEADERS', 'x-powered-by', 'IS_NULL')],
    [assertion('HEADERS', '', 'HAS_KEY', 'Content-Type')],
    [assertion('RESPONSE_DATA', '^(\\d+)', 'EQUALS', '220')],
    [assertion('RESPONSE_DATA', '^(\\d+)', 'LESS_THAN', '300')],
    [assertion('RESPONSE_CODE', '', 'EQUALS', 'NOERROR')],
    [assertion('TEXT_ANSWER', 'IN A (.+)$', 'EQUALS', '192.0.2.1')],
    [assertion('JSON_ANSWER', '$.Answer[0].data', 'EQUALS', '192.0.2.1')],
    [assertion('JSON_ANSWER', '$.Status', 'EQUALS', '0')],
    [assertion('LATENCY', 'max', 'LESS_THAN', '16')],
    [assertion('LATENCY', '', 'EQUALS', '10')],
    [assertion('LATENCY', 'stdDev', 'LESS_THAN', '2')],
    [assertion('JSON_RESPONSE', '$.packetLoss', 'EQUALS', '0')],
  ])('%j carries no error and no actual value', (given) => {
    expect(evaluateAssertions([given], subjects)).toEqual([{ ...given, order: 0 }])
  })
})

describe('an assertion that does not hold', () => {
  it.each([
    [
      assertion('STATUS_CODE', '', 'EQUALS', '201'),
      /^Expected the status code to equal 201, but it was 200\.$/,
      200,
    ],
    [assertion('STATUS_CODE', '', 'EQUALS', 'OK'), /target "OK" isn't a number\.$/, undefined],
    [
      assertion('JSON_BODY', '$.items[*].id', 'EQUALS', '1'),
      /^Expected \$\.items\[\*\]\.id of the JSON body to equal 1, but value 2 of 2 was 2\.$/,
      '[1,2]',
    ],
    [
      assertion('JSON_BODY', '$.missing', 'EQUALS', 'x'),
      /^Expected \$\.missing of the JSON body to equal "x", but the JSON body has no property \$\.missing\.$/,
      undefined,
    ],
    [assertion('JSON_BODY', '$.items', 'IS_EMPTY'), /to be empty/, '[{"id":1},{"id":2}]'],
    [
      assertion('JSON_BODY', '$.none', 'NOT_NULL'),
      /^Expected \$\.none of the JSON body not to be null, but it was null\.$/,
      null,
    ],
    [
      assertion('JSON_BODY', '$.items[', 'NOT_EMPTY'),
      /^The assertion can't be evaluated: not a valid JSONPath/,
      undefined,
    ],
    [assertion('TEXT_BODY', '(', 'NOT_EMPTY'), /not a valid regular expression/, undefined],
    [assertion('TEXT_BODY', 'a(?=b)', 'IS_EMPTY'), /look-aheads/, undefined],
    [
      assertion('TEXT_BODY', 'nowhere (.)', 'NOT_EMPTY'),
      /^Expected the match of \/nowhere \(\.\)\/ in the body not to be empty, but the regular expression matches nothing in the body\.$/,
      undefined,
    ],
    [
      assertion('HEADERS', 'x-powered-by', 'NOT_EMPTY'),
      /^Expected the header x-powered-by not to be empty, but the response has no header x-powered-by\.$/,
      undefined,
    ],
    [
      assertion('HEADERS', 'x-count', 'EQUALS', '8'),
      /^Expected the header x-count to equal "8", but it was "7"\.$/,
      '7',
    ],
    [
      assertion('LATENCY', 'avg', 'LESS_THAN', '5'),
      /^Expected the avg latency to be less than 5 ms, but it was 10 ms\.$/,
      10,
    ],
  ])('%j explains why and shows the actual value', (given, error, actual) => {
    const expected = { ...given, order: 0, error: expect.stringMatching(error) }
    const [result] = evaluateAssertions([given], subjects)
    expect(result).toEqual(actual === undefined ? expected : { ...expected, actual })
  })

  it.each([
    ['STATUS_CODE', 'EQUALS', 'There was no response, so there is no status code.'],
    ['JSON_BODY', 'IS_NULL', 'There was no response, so there is no JSON body.'],
    ['TEXT_BODY', 'IS_EMPTY', 'There was no response, so there is no body.'],
    ['HEADERS', 'NOT_HAS_KEY', 'There was no response, so there are no headers.'],
    ['LATENCY', 'NOT_EQUALS', "There was no reply, so the latency wasn't measured."],
  ] as const)('is every one about what was not observed: %s %s', (source, comparison, error) => {
    const [result] = evaluateAssertions([assertion(source, '', comparison, '1')], {})
    expect(result?.error).toBe(error)
  })

  it.each([
    [
      '{"status":"up","items":[1,2',
      'application/json',
      "The response body isn't valid JSON: unexpected end at position 27 (line 1, column 28).",
    ],
    [' ', 'application/json', 'The response has an empty body, so there is no JSON.'],
    [
      '<html>',
      'text/html; charset=utf-8',
      "The response isn't JSON: its content type is text/html; charset=utf-8.",
    ],
    ['{}', null, "The response has no content type, so its body isn't read as JSON."],
  ])('explains why there is no JSON: %j as %s', (text, type, error) => {
    const response: Record<string, Subject> = {
      TEXT_BODY: { kind: 'text', value: text },
      HEADERS: { kind: 'named', values: type === null ? {} : { 'Content-Type': type } },
    }
    const [result] = evaluateAssertions([assertion('JSON_BODY', '$.status', 'EQUALS', 'up')], response)
    expect(result?.error).toBe(error)
  })

  it('is one on a latency that could not be measured', () => {
    const noReply: Record<string, Subject> = { LATENCY: { kind: 'named', values: {} } }
    const [result] = evaluateAssertions([assertion('LATENCY', 'avg', 'LESS_THAN', '5')], noReply)
    expect(result?.error).toMatch(/There was no reply/)
  })

  it('shows at most 10 kB of the actual value', () => {
    const large: Record<string, Subject> = { TEXT_BODY: { kind: 'text', value: 'é'.repeat(50_000) } }
    const [result] = evaluateAssertions([assertion('TEXT_BODY', '', 'EQUALS', 'x')], large)
    expect(Buffer.byteLength(String(result?.actual))).toBe(10_000)
  })
})

it('evaluates all assertions, in order, after one has failed', () => {
  const results = evaluateAssertions(
    [
      assertion('STATUS_CODE', '', 'EQUALS', '500'),
      assertion('STATUS_CODE', '', 'EQUALS', '200'),
      assertion('JSON_BODY', '$.status', 'EQUALS', 'down'),
    ],
    subjects,
  )
  expect(results.map(({ order, error }) => [order, error !== undefined])).toEqual([
    [0, true],
    [1, false],
    [2, true],
  ])
})

it('takes no subject from a prototype', () => {
  const odd = assertion('constructor' as 'STATUS_CODE', '', 'EQUALS', '1')
  expect(evaluateAssertions([odd], {})[0]?.error).toMatch(/unknown source, constructor/)
})
