// What a caller reads after a mistake names the mistake.
import { type AnyRoute, routes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../testing/api.ts'
import { createFixtures, type Fixtures } from '../testing/fixtures.ts'

let api: TestApi
let fixtures: Fixtures
beforeAll(async () => {
  api = await startTestApi()
  fixtures = await createFixtures(api, api.alice)
})
afterAll(() => api.close())

const stranger = '00000000-0000-4000-8000-000000000000'

describe('a 404', () => {
  it.each([
    [`/v1/checks/${stranger}`, `No check with id ${stranger} in this account.`],
    [`/v1/check-groups/999`, 'No check group with id 999 in this account.'],
    [`/v1/check-statuses/${stranger}`, `No check status with id ${stranger} in this account.`],
    [`/v1/variables/NOPE`, 'No variable with key NOPE in this account.'],
    [
      `/v1/check-groups/999/checks/${stranger}`,
      `No check with id ${stranger} of the check group with id 999 in this account.`,
    ],
  ])('of %s names what was not found', async (path, message) => {
    const response = await api.alice.get(path)
    expect([response.status, response.body.message]).toEqual([404, message])
  })

  it('is the same for what another account has, and for a check of another type', async () => {
    const id = fixtures.ids.url as string
    const theirs = await api.bob.get(`/v1/checks/${id}`)
    expect([theirs.status, theirs.body.message]).toEqual([404, `No check with id ${id} in this account.`])
    const other = await api.alice.put(`/v1/checks/api/${id}`, { name: 'x' })
    expect([other.status, other.body.message]).toEqual([404, `No api check with id ${id} in this account.`])
  })

  it("explains that heartbeat monitors can't be triggered", async () => {
    const target = { checkId: [fixtures.ids.heartbeat] }
    const message = "Heartbeat monitors can't be triggered: they wait for pings."
    expect((await api.alice.post('/v1/check-sessions/trigger', { target })).body.message).toBe(message)
    const theirs = await api.bob.post('/v1/check-sessions/trigger', { target })
    expect(theirs.body.message).toBe('No matching checks were found.')
  })
})

describe('a 401', () => {
  it('distinguishes a missing key from a wrong one', async () => {
    const none = await api.nobody.send('GET', '/v1/checks', undefined, { authorization: '' })
    expect(none.body.message).toBe('No API key was sent: add the header Authorization: Bearer <key>.')
    const wrong = await api.nobody.send('GET', '/v1/checks', undefined, { authorization: 'Bearer wrong' })
    expect([wrong.status, wrong.body.message]).toEqual([401, 'Bad Token'])
  })
})

describe('a 400', () => {
  it('explains the format of times', async () => {
    const response = await api.alice.get('/v1/check-alerts?from=yesterday')
    expect(response.body.attributes).toEqual({ from: 'must be a UNIX timestamp in seconds' })
  })

  it('has long lists once', async () => {
    const path = `/v1/analytics/api-checks/${fixtures.ids.api}?metrics=nope`
    const { body } = await api.alice.get(path)
    expect(Object.values(body.attributes as Record<string, string>)[0]).toContain('download_sum')
    expect(body.message).not.toContain('download_sum')
  })

  it('names one problem of an agentic check at frequency 0', async () => {
    const body = { name: 'w', locations: ['eu-west-1'], prompt: 'Open it', frequency: 0 }
    const response = await api.alice.post('/v1/checks/agentic', body)
    expect(response.status).toBe(400)
    expect(Object.keys(response.body.attributes)).toEqual(['frequency'])
  })

  it.each([
    '/v1/check-sessions/trigger',
    '/v2/check-sessions/trigger',
    '/v1/alert-channels/{id}/test',
    '/v1/check-sessions/{checkSessionId}/cancel',
  ])('refuses null as the body of %s, where nothing at all is accepted', async (template) => {
    const route = routes.find(({ method, path }) => method === 'POST' && path === template) as AnyRoute
    const path = fixtures.pathOf(route)
    const response = await api.alice.send('POST', path, 'null', { 'content-type': 'application/json' })
    expect([response.status, response.body.message]).toEqual([400, '"body" must be an object'])
  })

  it('refuses an upload without a body', async () => {
    const response = await api.alice.send('POST', '/next/checkly-storage/upload')
    expect([response.status, response.body.attributes]).toEqual([400, { body: 'is required' }])
  })
})

describe('the token of a heartbeat monitor', () => {
  it('is shown to keys that may run checks, not to those that may only read', async () => {
    const path = `/v1/checks/${fixtures.ids.heartbeat}`
    const reader = await api.as('READ_ONLY')
    const { body } = await reader.get(path)
    expect(body.heartbeat).toMatchObject({ period: 1, periodUnit: 'hours' })
    expect(body.heartbeat).not.toHaveProperty('pingToken')
    expect(body.heartbeat).not.toHaveProperty('pingUrl')
    expect((await reader.get('/v1/checks?limit=100')).text).not.toContain('/ping/')
    const runner = await (await api.as('READ_RUN')).get(path)
    expect(runner.body.heartbeat.pingUrl).toContain(`/ping/${runner.body.heartbeat.pingToken}`)
  })
})

describe('tags of a group', () => {
  it('count as tags of its checks in lists and reports', async () => {
    const owner = await api.newAccount()
    const { body: group } = await owner.post('/v2/check-groups', { name: 'g', tags: ['shop'] })
    const request = { url: 'https://example.com' }
    const shared = { locations: ['eu-west-1'], request }
    const member = await owner.post('/v1/checks/url', {
      ...shared,
      name: 'in',
      groupId: group.id,
      tags: ['eu'],
    })
    await owner.post('/v1/checks/url', { ...shared, name: 'out', tags: ['eu'] })
    const listed = await owner.get('/v1/checks?tag=shop')
    expect(listed.body.map(({ id }: { id: string }) => id)).toEqual([member.body.id])
    expect(listed.headers.get('content-range')).toBe('items 0-0/1')
    expect((await owner.get('/v1/checks?tag=shop,eu')).body).toHaveLength(2)
    const report = await owner.get('/v1/reporting?filterByTags=shop')
    expect(report.body).toMatchObject([{ checkId: member.body.id, tags: ['eu', 'shop'] }])
  })
})
