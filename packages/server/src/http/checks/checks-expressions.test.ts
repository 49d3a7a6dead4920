// Expressions that agents couldn't evaluate are refused.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const url = 'https://example.com/'
const requests: Record<string, object> = {
  api: { url, method: 'GET' },
  tcp: { hostname: 'example.com', port: 80 },
  dns: { query: 'example.com', recordType: 'A' },
  icmp: { hostname: 'example.com' },
}

const create = (type: string, ...assertions: object[]) =>
  api.alice.post(`/v1/checks/${type}`, {
    name: 'Expressions',
    locations: ['eu-west-1'],
    request: { ...requests[type], assertions },
  })

describe('the expressions of assertions', () => {
  it.each([
    ['api', 'property', { source: 'JSON_BODY', property: '$.[' }, /is not a valid JSONPath/],
    [
      'api',
      'regex',
      { source: 'JSON_BODY', property: '$.a', regex: '(' },
      /is not a valid regular expression/,
    ],
    ['api', 'property', { source: 'TEXT_BODY', property: '(' }, /is not a valid regular expression/],
    ['api', 'regex', { source: 'TEXT_BODY', regex: '[' }, /is not a valid regular expression/],
    ['api', 'regex', { source: 'HEADERS', property: 'server', regex: 'a(?=b)' }, /look-aheads/],
    ['tcp', 'property', { source: 'RESPONSE_DATA', property: '*' }, /is not a valid regular expression/],
    ['dns', 'property', { source: 'TEXT_ANSWER', property: 'a{2,1}' }, /is not a valid regular expression/],
    ['dns', 'property', { source: 'JSON_ANSWER', property: '$..[?' }, /is not a valid JSONPath/],
    ['icmp', 'property', { source: 'JSON_RESPONSE', property: '$[1' }, /is not a valid JSONPath/],
  ])('400: of %s, %s %j', async (type, field, assertion, message) => {
    const fine = { source: assertion.source, comparison: 'EQUALS', target: 'a' }
    const response = await create(type, fine, { comparison: 'EQUALS', target: 'a', ...assertion })
    expect(response.status).toBe(400)
    expect(Object.keys(response.body.attributes)).toEqual([`request.assertions.1.${field}`])
    expect(response.body.attributes[`request.assertions.1.${field}`]).toMatch(message)
  })

  it.each([
    { source: 'JSON_BODY', property: '$.items[?@.price > 10].name.length' },
    { source: 'JSON_BODY', property: '' },
    { source: 'JSON_BODY', property: '$.[{{INDEX}}' },
    { source: 'TEXT_BODY', property: '({{WORD}}' },
    { source: 'TEXT_BODY', property: 'id=(\\d+)', regex: '(' },
    { source: 'HEADERS', property: '(' },
    { source: 'STATUS_CODE', property: '(', regex: '(', target: '200' },
  ])('201: %j can be evaluated, or only once it is rendered', async (assertion) => {
    expect((await create('api', { comparison: 'EQUALS', target: 'a', ...assertion })).status).toBe(201)
  })

  it('400: on an update of a check, and in the defaults of a group', async () => {
    const { body: check } = await create('api')
    const assertions = [{ source: 'JSON_BODY', comparison: 'NOT_NULL', property: '$.[' }]
    for (const path of [`/v1/checks/api/${check.id}`, `/v1/checks/${check.id}`]) {
      const response = await api.alice.put(path, { request: { ...requests.api, assertions } })
      expect(response.status).toBe(400)
      expect(response.body.attributes['request.assertions.0.property']).toMatch(/JSONPath/)
    }
    const group = { name: 'Shop', apiCheckDefaults: { assertions } }
    expect((await api.alice.post('/v1/check-groups', group)).status).toBe(400)
    const { body: made } = await api.alice.post('/v2/check-groups', { name: 'Shop' })
    const response = await api.alice.put(`/v2/check-groups/${made.id}`, group)
    expect(response.body.attributes['apiCheckDefaults.assertions.0.property']).toMatch(/JSONPath/)
  })

  it('checks expressions only up to a cost limit', async () => {
    const wide = (n: number) => `(?i)${'[\\x{80}-\\x{10FFFF}]'.repeat(30)}${n}`
    const assertions = Array.from({ length: 200 }, (_, n) => ({
      source: 'TEXT_BODY',
      comparison: 'EQUALS',
      target: 'a',
      property: wide(n),
    }))
    expect((await create('api', ...assertions)).status).toBe(201)
  })

  it('400: a number instead of a text explains how to send it', async () => {
    const response = await create('api', { source: 'STATUS_CODE', comparison: 'EQUALS', target: 200 })
    expect(response.body.attributes['request.assertions.0.target']).toBe(
      'must be a string: send "200" instead of 200',
    )
  })
})
