import { describe, expect, it } from 'vitest'
import { DnsAssertion } from './dns.ts'
import { ApiAssertion } from './http-checks.ts'
import { IcmpAssertion } from './icmp.ts'
import { TcpAssertion } from './tcp.ts'
import { UrlAssertion } from './url.ts'

describe('assertions', () => {
  it('fills in what is left out', () => {
    expect(ApiAssertion.parse({ source: 'STATUS_CODE', comparison: 'EQUALS', target: '200' })).toEqual({
      source: 'STATUS_CODE',
      comparison: 'EQUALS',
      property: '',
      target: '200',
      regex: '',
    })
  })

  it.each([
    ['API', ApiAssertion, { source: 'JSON_BODY', property: '$.a[0]', comparison: 'HAS_KEY', target: 'b' }],
    ['API', ApiAssertion, { source: 'JSON_BODY', comparison: 'NOT_EMPTY' }],
    ['API', ApiAssertion, { source: 'HEADERS', property: 'etag', comparison: 'NOT_NULL', regex: null }],
    ['URL', UrlAssertion, { source: 'STATUS_CODE', comparison: 'LESS_THAN', target: '400' }],
    [
      'TCP',
      TcpAssertion,
      { source: 'RESPONSE_DATA', property: '(\\d+)', comparison: 'CONTAINS', target: '2' },
    ],
    ['DNS', DnsAssertion, { source: 'JSON_ANSWER', property: '$.Answer[0].data', comparison: 'EQUALS' }],
    ['ICMP', IcmpAssertion, { source: 'LATENCY', property: 'stdDev', comparison: 'LESS_THAN', target: '5' }],
  ])('%s accepts %#', (_type, schema, assertion) => {
    expect(schema.safeParse(assertion).success).toBe(true)
  })

  it.each([
    ['API', ApiAssertion, { source: 'STATUS_CODE', comparison: 'CONTAINS' }, 'comparison'],
    ['API', ApiAssertion, { source: 'RESPONSE_TIME', comparison: 'IS_NULL' }, 'comparison'],
    ['API', ApiAssertion, { source: 'JSON_BODY', property: 'a.b', comparison: 'EQUALS' }, 'property'],
    ['API', ApiAssertion, { source: 'RESPONSE_DATA', comparison: 'EQUALS' }, 'source'],
    ['API', ApiAssertion, { source: 'STATUS_CODE', comparison: 'EQUALS', target: 200 }, 'target'],
    ['URL', UrlAssertion, { source: 'RESPONSE_TIME', comparison: 'EQUALS' }, 'source'],
    ['TCP', TcpAssertion, { source: 'RESPONSE_DATA', comparison: 'HAS_KEY' }, 'comparison'],
    ['ICMP', IcmpAssertion, { source: 'LATENCY', property: 'p95', comparison: 'EQUALS' }, 'property'],
  ])('%s refuses %#, naming the field', (_type, schema, assertion, field) => {
    const { error } = schema.safeParse(assertion)
    expect(error?.issues.map(({ path }) => path.join('.'))).toEqual([field])
  })
})
