import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { sessionRunId } from '../../dispatch/run-id.ts'
import { expireSessionRuns } from '../../dispatch/sessions.ts'
import { inTransaction } from '../../storage/core/transaction.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { endCheckRuns, type RunPart, type StartedSession, sessionResult } from '../../testing/sessions.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const locations = ['eu-west-1', 'eu-central-1']

async function makeCheck(values: object = {}, path = '/v1/checks/url'): Promise<string> {
  const body = { name: 'Shop', locations, request: { url: 'https://example.com' }, ...values }
  const response = await api.alice.post(path, body)
  if (response.status !== 201) throw new Error(response.text)
  return response.body.id
}

async function start(target?: object): Promise<StartedSession[]> {
  const response = await api.alice.post('/v2/check-sessions/trigger', { target })
  expect(response.status, response.text).toBe(201)
  return response.body.sessions
}

async function startOne(checkId: string): Promise<StartedSession> {
  const [session] = await start({ checkId: [checkId] })
  if (session === undefined) throw new Error('no session')
  return session
}

const end = (session: StartedSession, location: string, part: RunPart = {}) =>
  endCheckRuns(api.store, session.checkSessionId, [
    sessionResult(api.alice.accountId, session, location, part),
  ])

async function statusOf({ checkSessionId }: StartedSession, version = 'v2'): Promise<string> {
  return (await api.alice.get(`/${version}/check-sessions/${checkSessionId}`)).body.status
}

async function lanesOf({ checkSessionId }: StartedSession) {
  const { rows } = await api.store.pool.query(
    'select * from schedule where check_session_id = $1 order by location',
    [checkSessionId],
  )
  return rows
}

describe('POST trigger', () => {
  it('200 in v1 and 201 in v2: one session per check, with a run in each of its locations', async () => {
    const checkId = await makeCheck()
    const first = await api.alice.post('/v1/check-sessions/trigger', { target: { checkId: [checkId] } })
    expect(first.status).toBe(200)
    const session = await startOne(checkId)
    expect(session).toEqual({
      checkSessionId: session.checkSessionId,
      checkSessionLink: expect.stringMatching(/^http:\/\/vedette\.test\/r\/[\w-]+$/),
      checkId,
      checkType: 'URL',
      name: 'Shop',
      status: 'STARTED',
      startedAt: session.startedAt,
      stoppedAt: null,
      timeElapsed: expect.any(Number),
      runLocations: locations,
      runSource: 'TRIGGER_API',
    })
    const lanes = await lanesOf(session)
    expect(lanes.map(({ location, queue }) => [location, queue])).toEqual([
      ['eu-central-1', 'eu-central-1'],
      ['eu-west-1', 'eu-west-1'],
    ])
    for (const lane of lanes) {
      expect(lane).toMatchObject({ period_ms: null, run_id: null, slot_at: session.startedAt })
      expect(lane.lane).toBe(`check:${session.checkSessionId}:${lane.location}`)
      expect(Date.parse(lane.give_up_at) - Date.parse(lane.slot_at)).toBe(360_000)
      expect(lane.due_at).toBe(session.startedAt)
    }
  })

  it('queues a private location by its id', async () => {
    const place = await api.alice.post('/v1/private-locations', { name: 'Lab', slugName: 'lab' })
    const checkId = await makeCheck({ locations: [], privateLocations: ['lab'] })
    const [lane] = await lanesOf(await startOne(checkId))
    expect(lane).toMatchObject({ location: 'lab', queue: place.body.id })
  })

  it('finds checks by their tags, the tags of their groups, and by id', async () => {
    const tag = randomUUID()
    const group = await api.alice.post('/v2/check-groups', {
      name: 'Tagged',
      tags: [tag],
      locations: ['us-east-1'],
    })
    const own = await makeCheck({ tags: [tag, 'slow'] })
    const inGroup = await makeCheck({ groupId: group.body.id, tags: ['fast'] })
    const ids = (sessions: StartedSession[]) => sessions.map(({ checkId }) => checkId).sort()
    const both = await start({ matchTags: [[tag]] })
    expect(ids(both)).toEqual([own, inGroup].sort())
    expect(both.find(({ checkId }) => checkId === inGroup)?.runLocations).toEqual(['us-east-1'])
    expect(ids(await start({ matchTags: [[tag, '!slow']] }))).toEqual([inGroup])
    expect(ids(await start({ matchTags: [[tag, 'slow'], ['none']] }))).toEqual([own])
    expect(ids(await start({ matchTags: [[tag]], checkId: [own] }))).toEqual([own])
  })

  it('runs every check that can run when no target is given', async () => {
    const carol = await api.newAccount()
    const make = (path: string, body: object) => carol.post(path, { name: 'x', locations, ...body })
    const url = { request: { url: 'https://example.com' } }
    const runnable = await make('/v1/checks/url', url)
    await make('/v1/checks/url', { ...url, activated: false })
    await carol.post('/v1/checks/heartbeat', {
      name: 'x',
      heartbeat: { period: 1, periodUnit: 'hours', grace: 5, graceUnit: 'minutes' },
    })
    for (const body of [undefined, {}, { target: {} }, { target: { matchTags: [], checkId: [] } }]) {
      const response = await carol.post('/v2/check-sessions/trigger', body)
      expect(response.status).toBe(201)
      expect(response.body.sessions.map((session: StartedSession) => session.checkId)).toEqual([
        runnable.body.id,
      ])
    }
  })

  it('404 when nothing fits', async () => {
    const response = await api.alice.post('/v1/check-sessions/trigger', {
      target: { matchTags: [['nothing']] },
    })
    expect(response.status).toBe(404)
    expect(response.body.message).toBe('No matching checks were found.')
  })

  it('404 for checks without a location, deactivated ones and those of a deactivated group', async () => {
    const homeless = await makeCheck()
    // As an earlier release accepted it.
    await api.store.pool.query('update checks set locations = $2 where id = $1', [homeless, []])
    const idle = await makeCheck({ activated: false })
    const group = await api.alice.post('/v2/check-groups', { name: 'Off', activated: false })
    const resting = await makeCheck({ groupId: group.body.id })
    for (const [id, message] of [
      [homeless, 'None of the matching checks has a location to run in.'],
      [idle, 'No matching checks were found.'],
      [resting, 'No matching checks were found.'],
    ]) {
      const response = await api.alice.post('/v1/check-sessions/trigger', { target: { checkId: [id] } })
      expect([response.status, response.body.message]).toEqual([404, message])
    }
  })

  it('404 for a check of another account', async () => {
    const target = { checkId: [await makeCheck()] }
    expect((await api.bob.post('/v1/check-sessions/trigger', { target })).status).toBe(404)
  })

  it('402 when the plan has lost what a check needs', async () => {
    const dora = await api.newAccount()
    await dora.post('/v1/checks/agentic', { name: 'x', prompt: 'Buy a pen', locations: ['us-east-1'] })
    await api.store.pool.query(`update accounts set plan = 'hobby' where id = $1`, [dora.accountId])
    const response = await dora.post('/v2/check-sessions/trigger', {})
    expect(response.status).toBe(402)
    expect(response.body.attributes).toEqual({ entitlement: 'AGENTIC_CHECKS' })
  })

  it('400 for an invalid id', async () => {
    const response = await api.alice.post('/v1/check-sessions/trigger', { target: { checkId: ['x'] } })
    expect(response.status).toBe(400)
    expect(Object.keys(response.body.attributes)).toEqual(['target.checkId.0'])
  })
})

describe('a check session', () => {
  let session: StartedSession
  beforeEach(async () => {
    session = await startOne(await makeCheck())
  })

  it('changes from STARTED to PROGRESS to PASSED', async () => {
    await end(session, 'eu-west-1')
    expect(await statusOf(session)).toBe('PROGRESS')
    await end(session, 'eu-central-1')
    const { body } = await api.alice.get(`/v2/check-sessions/${session.checkSessionId}`)
    expect(body).toMatchObject({ status: 'PASSED', stoppedAt: expect.any(String) })
    expect(body.timeElapsed).toBe(Date.parse(body.stoppedAt) - Date.parse(body.startedAt))
    expect(body.results).toHaveLength(2)
    const [result] = body.results
    expect(result).toMatchObject({
      checkResultLink: expect.stringMatching(/^http:\/\/vedette\.test\/r\/[\w-]+$/),
      checkId: session.checkId,
      name: 'Shop',
      runLocation: 'eu-central-1',
      ranAt: null,
      resultType: 'FINAL',
      hasFailures: false,
      responseTime: 120,
    })
  })

  it('shows a failure during the run and at the end', async () => {
    await end(session, 'eu-west-1', { hasFailures: true })
    expect(await statusOf(session)).toBe('PROGRESS_FAILED')
    await end(session, 'eu-central-1')
    expect(await statusOf(session)).toBe('FAILED')
  })

  it('is degraded when nothing failed', async () => {
    await end(session, 'eu-west-1', { isDegraded: true })
    expect(await statusOf(session)).toBe('PROGRESS_DEGRADED')
    await end(session, 'eu-central-1')
    expect(await statusOf(session)).toBe('DEGRADED')
  })

  it('shows attempts, which do not count', async () => {
    await end(session, 'eu-west-1', { hasFailures: true, resultType: 'ATTEMPT', attempt: 1 })
    expect(await statusOf(session)).toBe('STARTED')
    await end(session, 'eu-west-1', { attempt: 2 })
    await end(session, 'eu-central-1')
    const { body } = await api.alice.get(`/v2/check-sessions/${session.checkSessionId}`)
    expect(body.status).toBe('PASSED')
    expect(body.results.map(({ resultType }: { resultType: string }) => resultType)).toEqual([
      'FINAL',
      'ATTEMPT',
      'FINAL',
    ])
  })

  it('counts a run once, however often it is reported', async () => {
    const run = sessionResult(api.alice.accountId, session, 'eu-west-1')
    await endCheckRuns(api.store, session.checkSessionId, [run])
    await endCheckRuns(api.store, session.checkSessionId, [run])
    expect(await statusOf(session)).toBe('PROGRESS')
  })

  it('closes exactly once when its last runs end at the same time', async () => {
    await Promise.all([end(session, 'eu-west-1', { hasFailures: true }), end(session, 'eu-central-1')])
    const { rows } = await api.store.pool.query('select * from check_sessions where id = $1', [
      session.checkSessionId,
    ])
    expect(rows[0]).toMatchObject({ status: 'FAILED', expected: 2, done: 2, failed: 1 })
    expect(rows[0].options.pending).toEqual([])
  })

  it('times out when no agent claims its runs, and ignores a late result', async () => {
    const now = Date.now()
    const lane = { checkSessionId: session.checkSessionId, testSessionId: null, checkId: session.checkId }
    const expire = (location: string, runId: string | null) =>
      inTransaction(api.store.pool, (client) =>
        expireSessionRuns(client, [{ ...lane, checkType: 'API', location, queue: location, runId }], now),
      )
    await expire('eu-west-1', null)
    expect(await statusOf(session)).toBe('PROGRESS_FAILED')
    await end(session, 'eu-west-1')
    expect(await statusOf(session)).toBe('PROGRESS_FAILED')
    // Its retry was to be made elsewhere: the run is known by its id.
    await expire('us-east-1', sessionRunId(session.checkSessionId, session.checkId, 'eu-central-1'))
    expect(await statusOf(session)).toBe('TIMED_OUT')
  })

  it('404 for another account, in every version', async () => {
    for (const version of ['v1', 'v2']) {
      const path = `/${version}/check-sessions/${session.checkSessionId}`
      expect((await api.bob.get(path)).status).toBe(404)
      expect((await api.bob.get(`${path}/completion?maxWaitSeconds=1`)).status).toBe(404)
    }
    const unknown = await api.alice.get(`/v1/check-sessions/${randomUUID()}`)
    expect(unknown.body.message).toBe('No such check session.')
  })

  it('is deleted with its check', async () => {
    await api.alice.delete(`/v1/checks/${session.checkId}`)
    expect((await api.alice.get(`/v1/check-sessions/${session.checkSessionId}`)).status).toBe(404)
  })
})

describe('GET completion', () => {
  const wait = (session: StartedSession, seconds = 30, version = 'v2') =>
    api.alice.get(`/${version}/check-sessions/${session.checkSessionId}/completion?maxWaitSeconds=${seconds}`)

  it('200 as soon as the session is over', async () => {
    const session = await startOne(await makeCheck({ locations: ['eu-west-1'] }))
    const waiting = wait(session)
    // No connection is held while waiting: the pool of the tests is smaller than this.
    const others = Array.from({ length: 12 }, () => wait(session))
    await end(session, 'eu-west-1')
    const { status, body } = await waiting
    expect([status, body.status, body.results.length]).toEqual([200, 'PASSED', 1])
    for (const other of await Promise.all(others)) expect(other.status).toBe(200)
    expect((await wait(session)).status).toBe(200)
  })

  it('408 with Retry-After when the wait is over first', async () => {
    const session = await startOne(await makeCheck())
    const response = await wait(session, 1)
    expect(response.status).toBe(408)
    expect(response.headers.get('retry-after')).toBe('1')
  })

  it('404 at once when the session is deleted meanwhile', async () => {
    const session = await startOne(await makeCheck())
    const waiting = wait(session)
    await api.alice.delete(`/v1/checks/${session.checkId}`)
    expect((await waiting).status).toBe(404)
  })

  it('400 for a wait of less than a second or more than thirty', async () => {
    const session = await startOne(await makeCheck())
    for (const seconds of [0, 31, 1.5]) expect((await wait(session, seconds)).status).toBe(400)
  })
})

describe('POST cancel', () => {
  it('204: its runs end, v2 shows CANCELLED and v1 TIMED_OUT', async () => {
    const session = await startOne(await makeCheck())
    await end(session, 'eu-west-1')
    const path = `/v1/check-sessions/${session.checkSessionId}/cancel`
    expect((await api.alice.post(path)).status).toBe(204)
    expect(await lanesOf(session)).toEqual([])
    expect(await statusOf(session, 'v2')).toBe('CANCELLED')
    expect(await statusOf(session, 'v1')).toBe('TIMED_OUT')
    expect((await api.alice.post(path, {})).status).toBe(204)
    await end(session, 'eu-central-1', { hasFailures: true })
    expect(await statusOf(session)).toBe('CANCELLED')
  })

  it('204 for some runs only: the others go on', async () => {
    const session = await startOne(await makeCheck())
    const runId = sessionRunId(session.checkSessionId, session.checkId, 'eu-west-1')
    const path = `/v1/check-sessions/${session.checkSessionId}/cancel`
    expect((await api.alice.post(path, { sequenceId: [runId, randomUUID()] })).status).toBe(204)
    expect((await lanesOf(session)).map(({ location }) => location)).toEqual(['eu-central-1'])
    expect(await statusOf(session)).toBe('PROGRESS')
    await end(session, 'eu-central-1')
    expect(await statusOf(session)).toBe('CANCELLED')
  })

  it('204 by the older route, 404 for another account, 400 for two sessions at once', async () => {
    const session = await startOne(await makeCheck())
    const { checkSessionId } = session
    expect((await api.bob.post('/v1/cancel', { checkSessionId })).status).toBe(404)
    expect((await api.bob.post(`/v1/check-sessions/${checkSessionId}/cancel`)).status).toBe(404)
    expect((await api.alice.post('/v1/cancel', {})).status).toBe(400)
    const both = { checkSessionId, testSessionId: randomUUID() }
    expect((await api.alice.post('/v1/cancel', both)).status).toBe(400)
    expect(await lanesOf(session)).toHaveLength(2)
    expect((await api.alice.post('/v1/cancel', { checkSessionId })).status).toBe(204)
    expect(await statusOf(session)).toBe('CANCELLED')
  })
})
