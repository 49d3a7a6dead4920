import type { CheckType, ResponseOf } from '@vedette/contracts'
import { checkTypes, type compareCheckResult } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { insertResults, type SomeResult } from '../../testing/results.ts'

const minute = 60_000
const start = Math.floor(Date.now() / minute) * minute - 60 * minute

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

type Comparison = ResponseOf<typeof compareCheckResult>

async function newCheck(type: CheckType): Promise<string> {
  const { path, example } = checkTypes[type]
  const { status, body, text } = await api.alice.post(`/v1/checks/${path}`, { ...example, activated: false })
  expect(status, text).toBe(201)
  return body.id
}

/** The results of a check, a minute apart; compares the last one. */
async function compare(type: CheckType, ...results: Partial<SomeResult>[]): Promise<Comparison> {
  const checkId = await newCheck(type)
  const ids = await insertResults(
    api.store,
    results.map((result, index) => ({
      ...{ accountId: api.alice.accountId, checkId, checkType: type, scheduledAt: start + index * minute },
      ...result,
    })),
  )
  const path = `/v1/check-results/${checkId}/${ids.at(-1)}/comparison`
  expect((await api.bob.get(path)).status).toBe(404)
  const { status, body, text } = await api.alice.get(path)
  expect(status, text).toBe(200)
  return body
}

const titles = ({ differences }: Comparison) => differences.map(({ kind, title }) => `${kind}: ${title}`)

const failed = (message: string) => ({
  hasFailures: true,
  failure: { kind: 'assertion', message, phase: 'assertions' } as const,
})

const certificate = (fingerprint256: string, validTo: string) => ({
  ...{ protocol: 'TLSv1.3', cipher: 'AES', certificateError: null },
  certificate: { subject: 'CN=shop', issuer: 'CN=CA', validTo, fingerprint256 },
})

const http = (change: object = {}, response: object = {}) => ({
  detail: {
    observed: {
      ip: '203.0.113.7',
      redirects: [],
      tls: certificate('AA', '2027-01-01T00:00:00Z'),
      breakdown: { dns: 2, connect: 10, tls: 20, wait: 100, receive: 5 },
      response: {
        ...{ status: 200, statusText: 'OK', body: '{"items":[1,2],"ok":true}' },
        headers: {
          date: 'Mon',
          'x-request-id': 'a',
          'set-cookie': ['a=1'],
          'content-type': 'application/json',
        },
        ...response,
      },
      ...change,
    },
  },
})

describe('GET /v1/check-results/{checkId}/{checkResultId}/comparison', () => {
  it('200: what differs in an HTTP exchange', async () => {
    const changed = http(
      {
        ip: '203.0.113.9',
        redirects: [{ status: 302, url: 'https://shop/', location: '/sorry' }],
        tls: certificate('BB', '2026-12-01T00:00:00Z'),
        breakdown: { dns: 3, connect: 150, tls: 119, wait: 1240, receive: 5 },
      },
      {
        ...{ status: 503, statusText: 'Service Unavailable', body: '{"items":[1],"ok":false}' },
        headers: {
          date: 'Tue',
          'x-request-id': 'b',
          'set-cookie': ['b=1'],
          'content-type': 'application/json',
          server: 'lb',
        },
      },
    )
    const { alice } = api
    const comparison = await compare(
      'API',
      { ...http(), responseTimeMs: 137 },
      { ...changed, ...failed('status'), statusCode: 503, responseTimeMs: 1400 },
      { ...changed, ...failed('status'), statusCode: 503, responseTimeMs: 1400 },
    )
    expect(comparison.passingAt).toBe(new Date(start).toISOString())
    expect(titles(comparison)).toEqual([
      'status: It was 200 OK, now 503 Service Unavailable',
      'address: Another address responded: 203.0.113.9 instead of 203.0.113.7',
      'certificate: The server has another certificate',
      'redirects: 1 redirect instead of 0',
      'headers: Other headers: server',
      'body: The body differs: 3 lines removed, 2 added',
      'timing: Connecting took 150 ms instead of 10 ms',
      'timing: Waiting for the response took 1,240 ms instead of 100 ms',
      'timing: The whole run took 1,400 ms instead of 137 ms',
    ])
    const body = comparison.differences.find(({ kind }) => kind === 'body')
    expect(body?.diff?.filter(({ change }) => change === 'added').map(({ text }) => text.trim())).toEqual([
      '1',
      '"ok": false',
    ])
    expect(comparison.deployments).toEqual([])
    expect((await alice.get('/v1/deployments')).body).toEqual([])
  })

  it('200: no differences of what differs always, and why there was no response', async () => {
    const later = http(
      {},
      { headers: { date: 'Tue', 'x-request-id': 'c', 'content-type': 'application/json' } },
    )
    expect(titles(await compare('URL', http(), { ...later, ...failed('x') }))).toEqual([])
    const refused = {
      detail: { observed: { requestError: 'connect ECONNREFUSED 203.0.113.7:443', ip: '203.0.113.7' } },
    }
    const comparison = await compare('URL', http(), { ...refused, ...failed('x'), statusCode: null })
    expect(titles(comparison)).toEqual([
      'status: It was 200 OK, now no response: connect ECONNREFUSED 203.0.113.7:443',
    ])
  })

  it('200: prefers a run in the same location, and needs one that passed', async () => {
    const elsewhere = { location: 'us-east-1' }
    const comparison = await compare(
      'API',
      {},
      elsewhere,
      { isDegraded: true },
      { ...failed('x'), hasErrors: false },
    )
    expect(comparison.passingAt).toBe(new Date(start).toISOString())
    const only = await compare('API', elsewhere, failed('x'))
    expect(only.passingAt).toBe(new Date(start).toISOString())
    expect(await compare('API', failed('x'), failed('x'))).toEqual({
      ...{ passingResultId: null, passingAt: null, differences: [], deployments: [] },
    })
    // Without evidence, only the outcomes are known.
    expect(titles(await compare('API', {}, { ...failed('x'), statusCode: 500 }))).toEqual([
      'status: It was 200, now 500',
    ])
  })

  it('200: the deployments between the two runs', async () => {
    const other = await newCheck('API')
    for (const [repository, checkId] of [
      ['shop', null],
      ['elsewhere', other],
    ])
      await api.alice.post('/v1/deployments', { repository, checkId })
    const checkId = await newCheck('API')
    const common = { accountId: api.alice.accountId, checkId }
    const [, id] = await insertResults(api.store, [
      { ...common, scheduledAt: start },
      { ...common, scheduledAt: Date.now() + minute, ...failed('x') },
    ])
    const { body } = await api.alice.get(`/v1/check-results/${checkId}/${id}/comparison`)
    expect(body.deployments.map(({ repository }: { repository: string }) => repository)).toEqual(['shop'])
  })

  it.each<[CheckType, object, object, string[]]>([
    [
      'DNS',
      { response: { returnCode: 'NOERROR', text: 'a 1\nb 2' } },
      { response: { returnCode: 'NOERROR', text: 'a 1\nb 3' } },
      ['body: The body differs: 1 line removed, 1 added'],
    ],
    [
      'TCP',
      { ip: '203.0.113.1', timingPhases: { connection: 10 } },
      { ip: '203.0.113.1', timingPhases: { connection: 300 } },
      ['timing: Connecting took 300 ms instead of 10 ms'],
    ],
    [
      'ICMP',
      { response: { resolvedIp: '203.0.113.1', packetLoss: 0, latency: { avg: 10 } } },
      { response: { resolvedIp: '203.0.113.1', packetLoss: 40, latency: { avg: 250 } } },
      [
        'status: It was 0 % of packets lost, now 40 % of packets lost',
        'timing: The round trip took 250 ms instead of 10 ms',
      ],
    ],
    [
      'SSL',
      { response: { certificate: { fingerprintSha256: 'A', subject: 'CN=a' }, chainTrustReason: null } },
      { response: { certificate: { fingerprintSha256: 'A', subject: 'CN=a' }, chainTrustReason: 'EXPIRED' } },
      ["certificate: The certificate isn't trusted: EXPIRED"],
    ],
    [
      'GRPC',
      { response: { grpcStatusCode: 0, healthStatusLabel: 'SERVING', responseMessage: '{"a":1}' } },
      { response: { grpcStatusCode: 0, healthStatusLabel: 'NOT_SERVING', responseMessage: '{"a":1}' } },
      ['status: It was gRPC status 0, SERVING, now gRPC status 0, NOT_SERVING'],
    ],
    [
      'TRACEROUTE',
      { response: { destinationReached: true }, finalHopLatency: { avg: 10 } },
      { response: { destinationReached: false } },
      ['status: It was destination reached, now destination not reached'],
    ],
    [
      'BROWSER',
      {
        tests: [
          { titlePath: ['shop.spec.ts', 'opens'], outcome: 'expected' },
          { titlePath: ['shop.spec.ts', 'pays'], outcome: 'expected' },
        ],
      },
      {
        tests: [
          { titlePath: ['shop.spec.ts', 'opens'], outcome: 'expected' },
          { titlePath: ['shop.spec.ts', 'pays'], outcome: 'unexpected' },
        ],
      },
      ['test: "shop.spec.ts › pays" was expected, now unexpected'],
    ],
    [
      'AGENTIC',
      { assertions: [{ condition: 'the cart is full', passed: true }] },
      { assertions: [{ condition: 'the cart is full', passed: false }] },
      ['test: "the cart is full" was passed, now failed'],
    ],
  ])('200: of %s checks', async (type, before, after, expected) => {
    const same = { statusCode: null, responseTimeMs: 20 }
    const comparison = await compare(
      type,
      { ...same, detail: { observed: before } },
      { ...same, ...failed('broken'), detail: { observed: after } },
    )
    expect(titles(comparison)).toEqual(expected)
  })

  it('200: whatever an agent has sent as evidence', async () => {
    const strange = {
      tls: [],
      redirects: {},
      response: { headers: [1], body: 5, timingPhases: 'x' },
      breakdown: { dns: 'x' },
      tests: [1],
    }
    for (const type of ['API', 'DNS', 'SSL', 'BROWSER'] as const) {
      await compare(
        type,
        { detail: { observed: strange } },
        { ...failed('x'), detail: { observed: { ...strange, ip: 7 } } },
      )
    }
  })
})
