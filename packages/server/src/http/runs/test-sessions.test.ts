import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sessionRunId } from '../../dispatch/run-id.ts'
import { readSessionOptions } from '../../dispatch/session-options.ts'
import { endLostTestRuns, expireSessionRuns, settleTestRuns } from '../../dispatch/sessions.ts'
import { inTransaction } from '../../storage/core/transaction.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { wholeResult } from '../../testing/results.ts'
import type { RunPart } from '../../testing/sessions.ts'

let api: TestApi
let checks: string[]
beforeAll(async () => {
  api = await startTestApi()
  checks = [await makeCheck({ name: 'A' }), await makeCheck({ name: 'B' })]
})
afterAll(() => api.close())

const location = 'eu-west-1'
const trigger = '/v1/test-sessions/trigger'

async function makeCheck(values: object = {}): Promise<string> {
  const body = {
    name: 'Shop',
    locations: ['us-east-1'],
    request: { method: 'GET', url: 'https://example.com' },
    ...values,
  }
  return (await api.alice.post('/v1/checks/api', body)).body.id
}

interface Started {
  testSessionId: string
  startedAt: string
}

async function start(values: object = {}): Promise<Started> {
  const body = { name: 'Release', runLocation: location, target: { checkId: checks }, ...values }
  const response = await api.alice.post(trigger, body)
  expect(response.status, response.text).toBe(201)
  return response.body
}

async function end(
  { testSessionId, startedAt }: Started,
  checkId: string,
  part: RunPart = {},
): Promise<void> {
  const result = wholeResult({
    accountId: api.alice.accountId,
    checkId,
    scheduledAt: Date.parse(startedAt),
    source: 'session',
    runId: sessionRunId(testSessionId, checkId, location),
    location,
    ...part,
  })
  await inTransaction(api.store.pool, (client) =>
    settleTestRuns(client, [{ ...result, testSessionId }], Date.now()),
  )
}

const failing = (message: string): RunPart => {
  const failure = { kind: 'status', message, phase: 'judge' } as const
  return { hasFailures: true, failure, detail: { failure, observed: { requestError: message } } }
}

const read = async ({ testSessionId }: Started) =>
  (await api.alice.get(`/v1/test-sessions/${testSessionId}`)).body

describe('POST trigger', () => {
  it('201: a pending result per check, all in one location', async () => {
    const body = await start({ metadata: { environment: 'staging', branchName: 'main', commitId: null } })
    expect(body).toMatchObject({
      testSessionLink: expect.stringMatching(/^http:\/\/vedette\.test\/r\/[\w-]+$/),
      name: 'Release',
      status: 'RUNNING',
      errorGroupIds: [],
      stoppedAt: null,
      metadata: { environment: 'staging', branchName: 'main', commitId: null },
    })
    const { results } = await read(body)
    expect(results.map(({ checkId }: { checkId: string }) => checkId)).toEqual(checks)
    expect(results[0]).toMatchObject({
      testSessionResultLink: expect.stringMatching(/^http:\/\/vedette\.test\/r\/[\w-]+$/),
      checkType: 'API',
      runLocation: location,
      ranAt: null,
      resultType: 'PENDING',
      status: 'RUNNING',
      startedAt: null,
    })
    const { rows } = await api.store.pool.query('select * from schedule where test_session_id = $1', [
      body.testSessionId,
    ])
    expect(rows).toHaveLength(2)
    for (const row of rows) {
      const sequenceId = sessionRunId(body.testSessionId, row.check_id, location)
      expect(row).toMatchObject({ lane: `test:${body.testSessionId}:${sequenceId}`, queue: location })
    }
  })

  it('runs deactivated checks only when asked to, and checks without a location', async () => {
    const target = { checkId: [await makeCheck({ activated: false })] }
    const body = { name: 'x', runLocation: location, target }
    expect((await api.alice.post(trigger, body)).status).toBe(404)
    expect((await start({ target: { ...target, allowDeactivated: true } })).testSessionId).toBeDefined()
  })

  it('runs in a private location by its slug', async () => {
    const { body: place } = await api.alice.post('/v1/private-locations', { name: 'Lab', slugName: 'lab' })
    const { testSessionId } = await start({ runLocation: 'lab' })
    const { rows } = await api.store.pool.query('select * from schedule where test_session_id = $1', [
      testSessionId,
    ])
    expect(rows[0]).toMatchObject({ location: 'lab', queue: place.id })
  })

  it('gives its runs what they are given, secrets open, and keeps secrets sealed', async () => {
    const environmentVariables = [
      { key: 'PLAIN', value: 'seen' },
      { key: 'TOKEN', value: 'a hidden word', secret: true },
      { key: 'LOCKED', value: 'another hidden word', locked: true },
    ]
    const retryStrategy = { type: 'FIXED', baseBackoffSeconds: 1, maxRetries: 1 }
    const { testSessionId } = await start({ environmentVariables, retryStrategy, refreshCache: true })
    const { rows } = await api.store.pool.query('select options::text from test_sessions where id = $1', [
      testSessionId,
    ])
    expect(rows[0].options).not.toContain('hidden word')
    const options = await readSessionOptions(api.store.pool, api.vault, {
      checkSessionIds: [],
      testSessionIds: [testSessionId],
    })
    expect(options.get(testSessionId)).toEqual({
      environmentVariables: [
        { key: 'PLAIN', value: 'seen', locked: false, secret: false },
        { key: 'TOKEN', value: 'a hidden word', locked: false, secret: true },
        { key: 'LOCKED', value: 'another hidden word', locked: true, secret: false },
      ],
      environmentUrl: null,
      retryStrategy: { ...retryStrategy, maxDurationSeconds: 600, sameRegion: true },
      refreshCache: true,
      expected: 2,
    })
  })

  it('404 when nothing fits, also by ids of another account', async () => {
    const body = { name: 'x', runLocation: location, target: { checkId: checks } }
    const response = await api.bob.post(trigger, body)
    expect([response.status, response.body.message]).toEqual([404, 'No matching checks were found.'])
  })

  it('400 for an invalid location, and for missing fields', async () => {
    const nowhere = await api.alice.post(trigger, { name: 'x', runLocation: 'moon' })
    expect([nowhere.status, Object.keys(nowhere.body.attributes)]).toEqual([400, ['runLocation']])
    const empty = await api.alice.post(trigger, {})
    expect(Object.keys(empty.body.attributes).sort()).toEqual(['name', 'runLocation'])
  })
})

describe('a test session', () => {
  let session: Started
  const [first, second] = [() => checks[0] as string, () => checks[1] as string]
  beforeEach(async () => {
    session = await start({ metadata: { environment: 'staging' } })
  })

  it('passes when all its runs did; the pending result becomes the final one', async () => {
    const [pending] = (await read(session)).results
    await end(session, first())
    expect(await read(session)).toMatchObject({ status: 'RUNNING', stoppedAt: null })
    await end(session, second(), { isDegraded: true })
    const body = await read(session)
    expect(body).toMatchObject({ status: 'PASSED', stoppedAt: expect.any(String) })
    expect(body.results).toHaveLength(2)
    expect(body.results[0]).toMatchObject({
      testSessionResultId: pending.testSessionResultId,
      resultType: 'FINAL',
      status: 'PASSED',
      responseTime: 120,
    })
  })

  it('fails when one failed, and keeps the attempts before', async () => {
    await end(session, first(), { ...failing('expected 200, got 500'), resultType: 'ATTEMPT', attempt: 1 })
    await end(session, first(), { ...failing('expected 200, got 503'), attempt: 2 })
    await end(session, second())
    const body = await read(session)
    expect(body.status).toBe('FAILED')
    expect(
      body.results.map(({ resultType, status }: { resultType: string; status: string }) => [
        resultType,
        status,
      ]),
    ).toEqual([
      ['ATTEMPT', 'FAILED'],
      ['FINAL', 'FAILED'],
      ['FINAL', 'PASSED'],
    ])
    expect(body.errorGroupIds).toHaveLength(1)
  })

  it('counts a run once, also when it is first known as an attempt', async () => {
    await end(session, first(), { resultType: 'ATTEMPT', hasFailures: true })
    await end(session, first(), { hasFailures: true })
    await end(session, first(), { hasFailures: true })
    await end(session, first(), { resultType: 'ATTEMPT', hasFailures: true })
    const { results, status } = await read(session)
    expect(status).toBe('RUNNING')
    expect(results.map(({ resultType }: { resultType: string }) => resultType)).toEqual(['FINAL', 'PENDING'])
  })

  it('leaves nothing in the results, statuses and error groups of its checks', async () => {
    await end(session, first(), failing('broken'))
    expect((await api.alice.get(`/v2/check-results/${first()}`)).body.entries).toEqual([])
    expect((await api.alice.get(`/v1/error-groups/checks/${first()}`)).body).toEqual([])
    const { rows } = await api.store.pool.query('select 1 from check_statuses where check_id = $1', [first()])
    expect(rows).toEqual([])
  })

  it('fails with a reason when no agent claims a run', async () => {
    await end(session, second())
    const { testSessionId } = session
    const lane = {
      checkSessionId: null,
      testSessionId,
      checkId: first(),
      checkType: 'API',
      location,
      queue: location,
      runId: null,
    }
    await inTransaction(api.store.pool, (client) => expireSessionRuns(client, [lane], Date.now()))
    const body = await read(session)
    expect(body.status).toBe('FAILED')
    const path = `/v1/test-sessions/${testSessionId}/results/${body.results[0].testSessionResultId}`
    expect((await api.alice.get(path)).body).toMatchObject({
      status: 'FAILED',
      hasErrors: true,
      attempts: 0,
      scheduleError: 'No agent took this run within 6 minutes.',
    })
  })

  it('ends when a check of it is deleted', async () => {
    const doomed = await makeCheck()
    const own = await start({ target: { checkId: [doomed] } })
    await api.alice.delete(`/v1/checks/${doomed}`)
    const later = (minutes: number) =>
      inTransaction(api.store.pool, (client) => endLostTestRuns(client, Date.now() + minutes * 60_000))
    await later(5)
    expect((await read(own)).status).toBe('RUNNING')
    await later(11)
    expect((await read(own)).status).toBe('FAILED')
    expect((await read(session)).status).toBe('RUNNING')
  })

  it('404 for another account', async () => {
    const path = `/v1/test-sessions/${session.testSessionId}`
    const [result] = (await read(session)).results
    for (const rest of ['', '/completion?maxWaitSeconds=1', `/results/${result.testSessionResultId}`])
      expect((await api.bob.get(path + rest)).status).toBe(404)
    expect((await api.bob.post(`${path}/cancel`)).status).toBe(404)
    expect((await api.bob.post('/v1/cancel', { testSessionId: session.testSessionId })).status).toBe(404)
  })
})

describe('GET completion', () => {
  it('200 once it is over, 408 before', async () => {
    const session = await start({ target: { checkId: checks.slice(0, 1) } })
    const path = `/v1/test-sessions/${session.testSessionId}/completion`
    expect((await api.alice.get(`${path}?maxWaitSeconds=1`)).status).toBe(408)
    const waiting = api.alice.get(path)
    await end(session, checks[0] as string, failing('broken'))
    const { status, body } = await waiting
    expect([status, body.status, body.results[0].status]).toEqual([200, 'FAILED', 'FAILED'])
  })
})

describe('POST cancel', () => {
  it('204: without a body, of whatever type', async () => {
    const session = await start()
    const headers = {
      authorization: `Bearer ${api.alice.key}`,
      'content-type': 'application/x-www-form-urlencoded',
    }
    const path = `${api.url}/v1/test-sessions/${session.testSessionId}/cancel`
    const send = (body: string) => fetch(path, { method: 'POST', headers, body })
    expect((await send('a=b')).status).toBe(415)
    expect((await send('')).status).toBe(204)
    expect((await read(session)).status).toBe('CANCELLED')
  })

  it('204 for one run, then for the rest', async () => {
    const session = await start()
    const path = `/v1/test-sessions/${session.testSessionId}/cancel`
    const sequenceId = [sessionRunId(session.testSessionId, checks[0] as string, location)]
    expect((await api.alice.post(path, { sequenceId })).status).toBe(204)
    expect((await read(session)).results.map(({ status }: { status: string }) => status)).toEqual([
      'CANCELLED',
      'RUNNING',
    ])
    expect((await api.alice.post('/v1/cancel', { testSessionId: session.testSessionId })).status).toBe(204)
    expect((await read(session)).status).toBe('CANCELLED')
    await end(session, checks[1] as string)
    expect((await read(session)).results[1]).toMatchObject({ status: 'CANCELLED', aborted: true })
    const { rows } = await api.store.pool.query('select 1 from schedule where test_session_id = $1', [
      session.testSessionId,
    ])
    expect(rows).toEqual([])
  })
})

describe('GET list', () => {
  it('200: the latest first, by pages, with filters', async () => {
    const own = await api.newAccount()
    const check = await own.post('/v1/checks/api', {
      name: 'x',
      locations: ['us-east-1'],
      request: { method: 'GET', url: 'https://example.com' },
    })
    const names = ['one', 'two', 'three']
    for (const name of names) {
      await own.post(trigger, {
        name,
        runLocation: location,
        metadata: { branchName: name, commitMessage: `Fix ${name}` },
      })
    }
    const list = async (query = '') => (await own.get(`/v1/test-sessions${query}`)).body
    const all = await list()
    expect(all.length).toBe(3)
    expect(all.entries.map(({ name }: { name: string }) => name)).toEqual(['three', 'two', 'one'])
    expect(all.entries[0]).toMatchObject({
      accountId: own.accountId,
      provider: 'API',
      status: 'RUNNING',
      region: location,
      running: [sessionRunId(all.entries[0].id, check.body.id, location)],
      passed: [],
      invoker: { name: 'Owner', picture: null },
      branchName: 'three',
    })
    const page = await list('?limit=2')
    expect(page.nextId).toEqual(expect.any(String))
    const rest = await list(`?limit=2&nextId=${page.nextId}`)
    expect([rest.entries.map(({ name }: { name: string }) => name), rest.nextId]).toEqual([['one'], null])
    const names2 = async (query: string) =>
      (await list(query)).entries.map(({ name }: { name: string }) => name).sort()
    expect(await names2('?branches%5B%5D=one&branches%5B%5D=two')).toEqual(['one', 'two'])
    expect(await names2('?textSearch=FIX%20t')).toEqual(['three', 'two'])
    expect(await names2('?statuses%5B%5D=FAILED')).toEqual([])
    expect(await names2('?providers%5B%5D=API')).toHaveLength(3)
    expect(await names2(`?users%5B%5D=${own.userId}`)).toHaveLength(3)
    expect(await names2('?noUsers=true')).toEqual([])
    expect(await names2(`?users%5B%5D=${randomUUID()}&noUsers=true`)).toEqual([])
    const now = Math.ceil(Date.now() / 1000)
    expect(await names2(`?from=${now - 600}&to=${now + 1}`)).toHaveLength(3)
    expect(await names2(`?to=${now - 600}`)).toEqual([])
    expect(await names2(`?errorGroupId=${randomUUID()}`)).toEqual([])
    expect((await own.get('/v1/test-sessions?nextId=x')).status).toBe(400)
  })
})

describe('a result of a test session', () => {
  it('200 with its evidence and its files', async () => {
    const session = await start({ target: { checkId: checks.slice(0, 1) } })
    await end(session, checks[0] as string, failing('expected 200, got 500'))
    const [{ testSessionResultId: id }] = (await read(session)).results
    const path = `/v1/test-sessions/${session.testSessionId}/results/${id}`
    const { body } = await api.alice.get(path)
    expect(body).toMatchObject({
      id,
      attempts: 1,
      sequenceId: sessionRunId(session.testSessionId, checks[0] as string, location),
      failure: { kind: 'status', message: 'expected 200, got 500' },
      apiCheckResult: { requestError: 'expected 200, got 500' },
      tcpCheckResult: null,
      scheduleError: null,
    })
    const manifest = (await api.alice.get(`${path}/assets`)).body
    expect(manifest.assets.map(({ name }: { name: string }) => name)).toEqual(['check-run-data.json'])
    expect(manifest.assets[0].source).toMatchObject({
      type: 'test-session-result',
      testSessionId: session.testSessionId,
      resultId: id,
    })
    const data = await api.alice.get(manifest.assets[0].url)
    expect(data.body).toMatchObject({ requestError: 'expected 200, got 500' })
    expect((await api.bob.get(manifest.assets[0].url)).status).toBe(404)
    expect((await api.alice.get(`${path}/assets?type=trace`)).body.assets).toEqual([])
    const other = await start()
    expect((await api.alice.get(`/v1/test-sessions/${other.testSessionId}/results/${id}`)).status).toBe(404)
  })
})

describe('error groups of test sessions', () => {
  const groups = '/v1/test-session-error-groups'

  it('group similar errors, are archived, and reappear with the next event', async () => {
    const [check] = checks as [string, string]
    const word = randomUUID().slice(0, 4).replaceAll(/\d/g, 'x')
    const fail = async (environment: string, n: number) => {
      const session = await start({ target: { checkId: [check] }, metadata: { environment } })
      await end(session, check, failing(`The ${word} answered ${n}`))
      return (await read(session)).errorGroupIds[0]
    }
    const id = await fail('staging', 500)
    expect(await fail('preview', 501)).toBe(id)
    const { body } = await api.alice.get(`${groups}/${id}`)
    expect(body).toMatchObject({
      id,
      projectId: null,
      environments: ['preview', 'staging'],
      rawErrorMessage: `The ${word} answered 500`,
      cleanedErrorMessage: `The ${word} answered <n>`,
      archivedUntilNextEvent: false,
      pwtMetadata: null,
    })
    const isListed = async () =>
      (await api.alice.get(groups)).body.some((group: { id: string }) => group.id === id)
    expect(await isListed()).toBe(true)
    const patched = await api.alice.patch(`${groups}/${id}`, { archivedUntilNextEvent: true })
    expect([patched.status, patched.body.archivedUntilNextEvent]).toEqual([200, true])
    expect(await isListed()).toBe(false)
    await fail('staging', 502)
    expect(await isListed()).toBe(true)
    await api.alice.patch(`${groups}/${id}`, { archiveForEver: true })
    await fail('staging', 503)
    expect(await isListed()).toBe(false)
    expect((await api.bob.get(`${groups}/${id}`)).status).toBe(404)
    expect((await api.bob.patch(`${groups}/${id}`, { archiveForEver: false })).status).toBe(404)
    expect((await api.alice.get(`${groups}/projects/${randomUUID()}`)).status).toBe(404)
    const found = (await api.alice.get(`/v1/test-sessions?errorGroupId=${id}`)).body
    expect(found.length).toBe(4)
  })
})
