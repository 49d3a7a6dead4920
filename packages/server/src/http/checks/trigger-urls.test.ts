import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readSessionOptions } from '../../dispatch/session-options.ts'
import { startTestApi, type TestAnswer, type TestApi } from '../../testing/api.ts'
import { endCheckRuns, type RunPart, sessionResult } from '../../testing/sessions.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi({ RATE_LIMIT_FACTOR: '1' })
})
afterAll(() => api.close())

async function makeCheck(values: object = {}, type = 'api'): Promise<string> {
  const body = { name: 'Shop', locations: ['eu-west-1'], ...values }
  const response = await api.alice.post(`/v1/checks/${type}`, {
    request: type === 'api' ? { method: 'GET', url: 'https://example.com' } : { url: 'https://example.com' },
    ...body,
  })
  if (response.status !== 201) throw new Error(response.text)
  return response.body.id
}

async function urlOf(kind: 'checks' | 'check-groups', id: string | number): Promise<string> {
  const { body } = await api.alice.post(`/v1/triggers/${kind}/${id}`)
  return `/${kind}/${id}/trigger/${body.token}`
}

interface Waiting {
  id: string
  check_id: string
  check_type: 'API'
  run_locations: string[]
  started_at: string
}

/** Sessions with a run that an agent could take now. */
async function dueSessions(): Promise<Waiting[]> {
  const { rows } = await api.store.pool.query<Waiting>(
    `select distinct s.* from check_sessions s join schedule q on q.check_session_id = s.id where q.due_at <= now()`,
  )
  return rows
}

/** Makes the runs that are due until the response arrives, as an agent would; returns their order. */
async function serve<T>(response: Promise<T>, part: (checkId: string) => RunPart = () => ({})) {
  let isDone = false
  const done = response.finally(() => {
    isDone = true
  })
  const order: string[][] = []
  while (!isDone) {
    const due = await dueSessions()
    if (due.length > 0) order.push(due.map(({ check_id }) => check_id))
    for (const row of due) {
      const session = {
        checkSessionId: row.id,
        checkId: row.check_id,
        checkType: row.check_type,
        runLocations: row.run_locations,
        startedAt: row.started_at,
      }
      const [location = ''] = row.run_locations
      const result = sessionResult(api.alice.accountId, session, location, part(row.check_id))
      await endCheckRuns(api.store, row.id, [result])
    }
    await new Promise(setImmediate)
  }
  return { response: await done, order }
}

const sessionsOf = async (checkId: string) =>
  (
    await api.store.pool.query('select * from check_sessions where check_id = $1 order by started_at', [
      checkId,
    ])
  ).rows

describe('the trigger URL of a check', () => {
  it('200 when it passed, by GET and by POST, without a key', async () => {
    const checkId = await makeCheck({ locations: ['eu-west-1', 'eu-central-1'] })
    const url = await urlOf('checks', checkId)
    const { response } = await serve(api.nobody.get(url))
    expect(response.status).toBe(200)
    expect(response.body).toEqual({ hasFailures: false, responseTime: 120 })
    const posted = await serve(api.nobody.send('POST', url, 'anything', { 'content-type': 'text/plain' }))
    expect(posted.response.status).toBe(200)
    const [session] = await sessionsOf(checkId)
    expect(session).toMatchObject({ run_source: 'LEGACY_TRIGGER', run_locations: ['eu-west-1'] })
    const { body } = await api.alice.get(`/v1/triggers/checks/${checkId}`)
    expect(Date.parse(body.called_at)).toBeGreaterThan(Date.now() - 60_000)
  })

  it('503 when it failed; other types have no time', async () => {
    const url = await urlOf('checks', await makeCheck({}, 'url'))
    const { response } = await serve(api.nobody.get(url), () => ({ hasFailures: true }))
    expect([response.status, response.body]).toEqual([503, { hasFailures: true }])
  })

  it('records a deployment and hands on where to look', async () => {
    const checkId = await makeCheck()
    const url = await urlOf('checks', checkId)
    const query = new URLSearchParams({
      deployment: 'true',
      repository: 'example/shop',
      sha: 'abc',
      environmentUrl: 'https://preview.example.com',
      environmentName: 'preview',
      deploymentId: '42',
      runLocation: 'ap-south-1',
    })
    await serve(api.nobody.get(`${url}?${query}`))
    const [session] = await sessionsOf(checkId)
    expect(session).toMatchObject({ run_source: 'DEPLOYMENT', run_locations: ['ap-south-1'] })
    const options = await readSessionOptions(api.store.pool, api.vault, {
      checkSessionIds: [session.id],
      testSessionIds: [],
    })
    expect(options.get(session.id)).toEqual({
      environmentUrl: 'https://preview.example.com',
      environmentVariables: [
        { key: 'ENVIRONMENT_URL', value: 'https://preview.example.com', locked: false, secret: false },
        { key: 'ENVIRONMENT_NAME', value: 'preview', locked: false, secret: false },
      ],
      refreshCache: false,
      expected: 1,
    })
    const [deployment] = (await api.alice.get('/v1/deployments')).body
    expect(deployment).toMatchObject({
      repository: 'example/shop',
      sha: 'abc',
      environmentName: 'preview',
      environmentUrl: 'https://preview.example.com',
      deploymentId: '42',
      checkId,
    })
  })

  it('404 for a wrong token, another target, and once the trigger is deleted', async () => {
    const checkId = await makeCheck()
    const url = await urlOf('checks', checkId)
    const other = await makeCheck()
    expect((await api.nobody.get(`${url}x`)).status).toBe(404)
    expect((await api.nobody.get(url.replace(checkId, other))).status).toBe(404)
    await api.alice.delete(`/v1/triggers/checks/${checkId}`)
    expect((await api.nobody.get(url)).status).toBe(404)
    expect(await sessionsOf(checkId)).toEqual([])
  })

  it('404 for a deactivated check, 400 for an invalid location', async () => {
    const idle = await urlOf('checks', await makeCheck({ activated: false }))
    expect((await api.nobody.get(idle)).body.message).toBe('No matching checks were found.')
    const url = await urlOf('checks', await makeCheck())
    const response = await api.nobody.get(`${url}?runLocation=moon`)
    expect([response.status, Object.keys(response.body.attributes)]).toEqual([400, ['runLocation']])
  })

  it('runs a check without a location in the default one', async () => {
    const checkId = await makeCheck()
    // As an earlier release stored it: the API refuses an activated check without a location.
    await api.store.pool.query("update checks set locations = '{}' where id = $1", [checkId])
    await serve(api.nobody.get(await urlOf('checks', checkId)))
    expect((await sessionsOf(checkId))[0].run_locations).toEqual(['us-east-1'])
  })

  it('429 from the eleventh call in a minute on, counted for this trigger and for right tokens only', async () => {
    const url = await urlOf('checks', await makeCheck({ activated: false }))
    const other = await urlOf('checks', await makeCheck({ activated: false }))
    const responses: TestAnswer[] = []
    for (let call = 0; call < 15; call++) await api.nobody.get(`${url}x`)
    // The minute may turn once while we count.
    for (let call = 0; call < 21; call++) responses.push(await api.nobody.get(url))
    expect(responses.slice(0, 10).map(({ status }) => status)).toEqual(Array(10).fill(404))
    const limited = responses.find(({ status }) => status === 429)
    expect(Number(limited?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await api.nobody.get(other)).status).toBe(404)
  })
})

describe('the trigger URL of a group', () => {
  it('runs its checks in order, with the concurrency of the group', async () => {
    const group = await api.alice.post('/v2/check-groups', { name: 'Ordered', concurrency: 2 })
    const ids: string[] = []
    for (const groupOrder of [3, 1, 0, 2])
      ids[groupOrder] = await makeCheck({ groupId: group.body.id, groupOrder })
    const url = await urlOf('check-groups', group.body.id)
    const { response, order } = await serve(api.nobody.get(url), (checkId) => ({
      hasFailures: checkId === ids[1],
    }))
    expect(response.status).toBe(503)
    expect(response.body.hasFailures).toBe(true)
    expect(response.body.results).toEqual(
      ids.map((checkId, index) => ({ checkId, hasFailures: index === 1, responseTime: 120 })),
    )
    for (const atOnce of order) expect(atOnce.length).toBeLessThanOrEqual(2)
    expect(order[0]?.toSorted()).toEqual(ids.slice(0, 2).toSorted())
    expect(order.flat().slice(2).toSorted()).toEqual(ids.slice(2).toSorted())
  })

  it('200 when all passed, 404 when there is nothing to run', async () => {
    const group = await api.alice.post('/v2/check-groups', { name: 'Empty', locations: ['eu-north-1'] })
    const url = await urlOf('check-groups', group.body.id)
    expect((await api.nobody.get(url)).status).toBe(404)
    const checkId = await makeCheck({ groupId: group.body.id })
    const { response } = await serve(api.nobody.get(url))
    expect([response.status, response.body.hasFailures]).toEqual([200, false])
    expect((await sessionsOf(checkId))[0].run_locations).toEqual(['eu-north-1'])
  })
})
