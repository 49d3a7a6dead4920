import { checkTypes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { insertResults, type SomeResult } from '../../testing/results.ts'

const now = Date.UTC(2026, 10, 15, 12)
const minute = 60_000
const hour = 60 * minute

let api: TestApi
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
})
afterAll(() => api.close())

async function newCheck(type: keyof typeof checkTypes = 'API'): Promise<string> {
  const { path, example } = checkTypes[type]
  const response = await api.alice.post(`/v1/checks/${path}`, { ...example, name: `A check of type ${type}` })
  expect(response.status).toBe(201)
  return response.body.id
}

function insert(checkId: string, results: Omit<SomeResult, 'accountId' | 'checkId'>[]): Promise<string[]> {
  const whole = results.map((result) => ({ ...result, checkId, accountId: api.alice.accountId }))
  return insertResults(api.store, whole, now)
}

const detail = {
  failure: { kind: 'assertion', message: 'STATUS_CODE: was 500', phase: 'judge' } as const,
  assertions: [
    {
      source: 'STATUS_CODE',
      comparison: 'EQUALS',
      property: '',
      target: '200',
      order: 0,
      error: 'x',
      actual: 500,
    },
  ],
  observed: {
    request: { method: 'GET', url: 'https://example.com/', data: '', headers: { accept: '*/*' }, params: {} },
    response: {
      status: 500,
      statusText: 'Internal Server Error',
      body: 'broken',
      truncated: false,
      href: 'https://example.com/',
      headers: { 'content-type': 'text/plain' },
      timings: { socket: 1, lookup: 2, connect: 3, response: 4, end: 5 },
      timingPhases: { wait: 1, dns: 1, tcp: 1, firstByte: 1, download: 1, total: 5 },
    },
    requestError: null,
    isolation: { level: 'strong', limits: 'polling' },
    ip: '192.0.2.1',
    tried: [{ address: '192.0.2.1:443', failure: null }],
    tls: { protocol: 'TLSv1.3' },
    breakdown: { dns: 1, connect: 1, tls: null, send: 0, wait: 1, receive: 1 },
    redirects: [],
  },
  jobLog: { setup: [{ time: now, msg: 'hello', level: 'INFO' }], request: [], teardown: [] },
}

describe('GET /v1/check-results/{checkId}/{checkResultId}', () => {
  it('200: the whole of an API check result', async () => {
    const checkId = await newCheck()
    const runId = '5c9d3f3e-6d52-4b7d-9a43-0d1c6b0f8c11'
    const scheduledAt = now - minute
    const [id] = await insert(checkId, [
      {
        scheduledAt,
        runId,
        hasFailures: true,
        isDegraded: false,
        responseTimeMs: 250.5,
        statusCode: 500,
        metrics: [250.5, 1, 1, 1, 1, null],
        failure: detail.failure,
        detail,
      },
    ])
    const { status, body } = await api.alice.get(`/v1/check-results/${checkId}/${id}`)
    expect(status).toBe(200)
    const { observed, assertions, jobLog, failure } = detail
    expect(body).toEqual({
      id,
      name: 'A check of type API',
      checkId,
      checkType: 'API',
      hasFailures: true,
      hasErrors: false,
      isDegraded: false,
      isCancelled: false,
      overMaxResponseTime: false,
      runLocation: 'eu-west-1',
      ranAt: null,
      startedAt: new Date(scheduledAt + 50).toISOString(),
      stoppedAt: new Date(scheduledAt + 306).toISOString(),
      scheduledAt: new Date(scheduledAt).toISOString(),
      created_at: new Date(now).toISOString(),
      responseTime: 250.5,
      statusCode: 500,
      metrics: { responseTime: 250.5, wait: 1, dns: 1, tcp: 1, firstByte: 1, download: null },
      failure: { ...failure, address: null, code: null },
      apiCheckResult: { ...observed, assertions, jobLog, jobAssets: null, pcapDataUrl: null },
      tcpCheckResult: null,
      sslCheckResult: null,
      tracerouteCheckResult: null,
      grpcCheckResult: null,
      dnsCheckResult: null,
      icmpCheckResult: null,
      browserCheckResult: null,
      multiStepCheckResult: null,
      agenticCheckResult: null,
      playwrightCheckResult: null,
      diagnostics: null,
      checkRunId: scheduledAt,
      attempts: 1,
      resultType: 'FINAL',
      sequenceId: runId,
      traceId: null,
      errorGroupIds: [expect.any(String)],
    })
    const [group] = (await api.alice.get(`/v1/error-groups/checks/${checkId}`)).body
    expect(body.errorGroupIds).toEqual([group.id])
  })

  it('200: a network failure has its reason, diagnostics and a capture', async () => {
    const checkId = await newCheck('TCP')
    const failure = {
      kind: 'connect',
      message: 'connection refused',
      phase: 'connect',
      address: '192.0.2.1:443',
      code: 'ECONNREFUSED',
    } as const
    const request = { hostname: 'example.com', port: 443, data: null, ipFamily: 'IPv4' }
    const phases = { dns: 3, connection: null, data: null, total: null }
    const scheduledAt = now - minute
    const [id] = await insert(checkId, [
      {
        checkType: 'TCP',
        scheduledAt,
        stoppedAt: scheduledAt + 5_050,
        hasFailures: true,
        responseTimeMs: null,
        failure,
        detail: {
          failure,
          observed: {
            request,
            response: null,
            timingPhases: phases,
            requestError: failure.message,
            ip: null,
          },
          diagnostics: { fallback: { tried: true } },
        },
      },
    ])
    const { body } = await api.alice.get(`/v1/check-results/${checkId}/${id}`)
    expect(body).toMatchObject({
      apiCheckResult: null,
      failure,
      responseTime: 5_000,
      diagnostics: { fallback: { tried: true } },
      tcpCheckResult: {
        request,
        response: null,
        assertions: [],
        requestError: 'connection refused',
        timingPhases: phases,
      },
    })
  })

  it('200: without its evidence, it shows the remaining fields', async () => {
    const checkId = await newCheck()
    const failure = { kind: 'timeout', message: 'no answer within 30 s' } as const
    const [id] = await insert(checkId, [
      { scheduledAt: now - 9 * 24 * hour, hasFailures: true, statusCode: null, failure },
    ])
    const { body } = await api.alice.get(`/v1/check-results/${checkId}/${id}`)
    expect(body).toMatchObject({
      hasFailures: true,
      apiCheckResult: null,
      diagnostics: null,
      failure: { ...failure, phase: null, address: null, code: null },
    })
  })

  it('404: of another account, under another check, or never recorded', async () => {
    const [checkId, other] = [await newCheck(), await newCheck()]
    const [id] = await insert(checkId, [{ scheduledAt: now - minute }])
    expect((await api.bob.get(`/v1/check-results/${checkId}/${id}`)).status).toBe(404)
    expect((await api.alice.get(`/v1/check-results/${other}/${id}`)).status).toBe(404)
    const unknown = ['5c9d3f3e-6d52-4b7d-9a43-0d1c6b0f8c11', 'ffffffff-ffff-7fff-bfff-ffffffffffff']
    for (const never of unknown) {
      expect((await api.alice.get(`/v1/check-results/${checkId}/${never}`)).status).toBe(404)
    }
  })

  it('400: an invalid id', async () => {
    const { status, body } = await api.alice.get(`/v1/check-results/${await newCheck()}/7`)
    expect([status, Object.keys(body.attributes)]).toEqual([400, ['checkResultId']])
  })
})
