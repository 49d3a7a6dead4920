import {
  awaitTestSession,
  createApiCheck,
  createCheckGroup,
  createCheckGroupTrigger,
  createCheckTrigger,
  createDeployment,
  createUrlMonitor,
  getCheckBadge,
  getTestSessionErrorGroup,
  getTestSessionResult,
  listDeployments,
  locationIds,
  triggerCheckSessionsV2,
  triggerTestSession,
} from '@vedette/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { onDemandOnly, type Scene } from '../../scene.ts'
import { Site } from '../../target/site.ts'
import { until } from '../../until.ts'

export function sessionsAndTriggers(scene: Scene): void {
  let site: Site
  beforeAll(async () => {
    site = await Site.open()
  })
  afterAll(() => site.shut())

  async function check(path: string, settings: object = {}): Promise<string> {
    const made = await scene.account.call(createApiCheck, {
      body: {
        name: path,
        ...onDemandOnly,
        locations: ['eu-west-1'],
        doubleCheck: false,
        request: { method: 'GET', url: site.url(path) },
        ...settings,
      },
    })
    return made.id
  }

  it('a check runs in every region on the built-in agent', async () => {
    const { id } = await scene.account.call(createUrlMonitor, {
      body: {
        name: 'Everywhere',
        ...onDemandOnly,
        locations: locationIds,
        request: { url: site.url('/everywhere') },
      },
    })
    const session = await scene.account.session(id)
    expect(session).toMatchObject({ status: 'PASSED', runSource: 'TRIGGER_API' })
    expect(session.results.map(({ runLocation }) => runLocation).sort()).toEqual([...locationIds].sort())
    expect(site.seen('/everywhere')).toHaveLength(locationIds.length)
  })

  it('a session finds checks by their tags', async () => {
    const tag = 'found-by-tag'
    const right = await check('/right', { tags: [tag] })
    await check('/wrong', { tags: [tag, 'flaky'] })
    const { sessions } = await scene.account.call(triggerCheckSessionsV2, {
      body: { target: { matchTags: [[tag, '!flaky']] } },
    })
    expect(sessions.map(({ checkId }) => checkId)).toEqual([right])
    expect(await scene.account.awaitSession(sessions[0]?.checkSessionId as string)).toMatchObject({
      status: 'PASSED',
    })
    expect(site.seen('/wrong')).toEqual([])
  })

  it('a session blocks its waiting client, and ends at once when it is cancelled', async () => {
    const { account } = scene
    site.on('/endless', { fault: 'half-open' })
    const { sessions } = await account.call(triggerCheckSessionsV2, {
      body: { target: { checkId: [await check('/endless')] } },
    })
    const path = `check-sessions/${sessions[0]?.checkSessionId}`
    await until('the run to be in progress', () => site.seen('/endless').length === 1)
    const askedAt = performance.now()
    expect((await account.fetch(`/v2/${path}/completion?maxWaitSeconds=1`)).status).toBe(408)
    expect(performance.now() - askedAt).toBeGreaterThan(900)
    const waiting = account.fetch(`/v2/${path}/completion`)
    expect((await account.fetch(`/v1/${path}/cancel`, { method: 'POST' })).status).toBe(204)
    expect(await (await waiting).json()).toMatchObject({ status: 'CANCELLED' })
    expect(await (await account.fetch(`/v1/${path}`)).json()).toMatchObject({ status: 'TIMED_OUT' })
  })

  it('a trigger URL responds with 200 if its check passes, 503 if it fails, and needs no key', async () => {
    const { account } = scene
    const id = await check('/triggered')
    const { token } = await account.call(createCheckTrigger, { params: { checkId: id } })
    const url = `${account.baseUrl}/checks/${id}/trigger/${token}`
    const passed = await fetch(url)
    expect(passed.status).toBe(200)
    expect(await passed.json()).toEqual({ hasFailures: false, responseTime: expect.any(Number) })
    site.on('/triggered', { status: 500 })
    const failed = await fetch(url, { method: 'POST' })
    expect(failed.status).toBe(503)
    expect(await failed.json()).toMatchObject({ hasFailures: true })
    expect((await fetch(url.replace(token, 'guessed'))).status).toBe(404)
  })

  it('a trigger URL of a group runs all its checks, in a given location, and marks a deployment', async () => {
    const { account } = scene
    const group = await account.call(createCheckGroup, {
      body: { name: 'All of the shop', locations: ['eu-west-1'], doubleCheck: false },
    })
    const ids = [await check('/one', { groupId: group.id }), await check('/two', { groupId: group.id })]
    const { token } = await account.call(createCheckGroupTrigger, { params: { groupId: group.id } })
    const staging = await Site.open()
    const query = new URLSearchParams({
      deployment: 'true',
      environmentUrl: staging.url('/'),
      environmentName: 'staging',
      sha: 'abc123',
    })
    const response = await fetch(`${account.baseUrl}/check-groups/${group.id}/trigger/${token}?${query}`)
    expect(response.status).toBe(200)
    const { results } = (await response.json()) as { results: { checkId: string }[] }
    expect(results.map(({ checkId }) => checkId).sort()).toEqual(ids.sort())
    expect(staging.requests.map(({ path }) => path).sort()).toEqual(['/one', '/two'])
    expect(site.seen('/one')).toEqual([])
    await staging.shut()

    const marked = await account.call(createDeployment, {
      body: { environmentName: 'production', sha: 'def456' },
    })
    const deployments = await account.call(listDeployments, { query: { limit: 100 } })
    expect(deployments).toContainEqual(marked)
    expect(deployments).toContainEqual(
      expect.objectContaining({ environmentName: 'staging', sha: 'abc123', groupId: group.id }),
    )
  })

  it('a test session has its results, and does not change the check', async () => {
    const { account } = scene
    const variable = '{{#if HOW}}/{{HOW}}{{/if}}'
    const id = await check('/tested', { request: { method: 'GET', url: site.url(`/tested${variable}`) } })
    site.on('/tested/badly', { status: 500 })
    const { testSessionId } = await account.call(triggerTestSession, {
      body: {
        name: 'Before the release',
        runLocation: 'us-west-2',
        target: { checkId: [id] },
        environmentVariables: [{ key: 'HOW', value: 'badly' }],
      },
    })
    const session = await account.call(awaitTestSession, { params: { testSessionId } })
    expect(session).toMatchObject({
      status: 'FAILED',
      results: [{ checkId: id, runLocation: 'us-west-2', hasFailures: true, resultType: 'FINAL' }],
    })
    const testSessionResultId = session.results[0]?.testSessionResultId as string
    const params = { testSessionId, testSessionResultId }
    const detail = await account.call(getTestSessionResult, { params })
    expect(detail).toMatchObject({
      failure: { kind: 'status', code: '500' },
      apiCheckResult: { request: { url: site.url('/tested/badly') } },
    })
    const [groupId] = session.errorGroupIds
    const group = await account.call(getTestSessionErrorGroup, { params: { id: groupId as string } })
    expect(group.rawErrorMessage).toBe(detail.failure?.message)
    expect(await (await account.fetch(`/v1/check-results/${id}`)).json()).toEqual([])
    expect(await (await account.fetch(`/v1/check-statuses/${id}`)).json()).toMatchObject({
      state: 'unknown',
      lastState: null,
      lastRunAt: null,
    })
  })

  it('a badge shows the state of a check without a key', async () => {
    const { account } = scene
    const id = await check('/badge')
    const path = getCheckBadge.path.replace('{checkId}', id)
    await account.run(id)
    const passing = await fetch(account.baseUrl + path)
    expect([passing.status, passing.headers.get('content-type')]).toEqual([
      200,
      'image/svg+xml; charset=utf-8',
    ])
    expect(await passing.text()).toMatch(/^<svg[\s\S]*passing[\s\S]*<\/svg>\s*$/)
    site.on('/badge', { status: 500 })
    await account.run(id)
    expect(await (await fetch(account.baseUrl + path)).text()).toContain('failing')
  })

  it('Prometheus reads the server without a key on its own machine, and an account with its token', async () => {
    const { account } = scene
    const id = await check('/measured')
    await account.run(id)
    const server = await fetch(`${account.baseUrl}/metrics`)
    expect(server.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/)
    const text = await server.text()
    expect(text).toMatch(/^vedette_store_up 1$/m)
    expect(text).toMatch(/^vedette_agents\{kind="built-in"\} 1$/m)
    expect(text).not.toContain(account.id)

    const made = await account.fetch('/v1/accounts/me/prometheus-tokens', { method: 'POST' })
    const { rawKey } = (await made.json()) as { rawKey: string }
    const path = `/accounts/${account.id}/v2/prometheus/metrics`
    const own = await fetch(account.baseUrl + path, { headers: { authorization: `Bearer ${rawKey}` } })
    expect(own.status).toBe(200)
    expect(await own.text()).toContain(id)
    expect((await fetch(account.baseUrl + path)).status).toBe(401)
    const elsewhere = { authorization: `Bearer ${rawKey}` }
    expect((await fetch(`${account.baseUrl}/v1/checks`, { headers: elsewhere })).status).toBe(401)
  })
}
