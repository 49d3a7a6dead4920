import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const update = (path: string, body: object, source?: string) =>
  api.alice.send('PUT', path, JSON.stringify(body), {
    'content-type': 'application/json',
    ...(source !== undefined && { 'x-checkly-source': source }),
  })

async function createCheck() {
  const { body: channel } = await api.alice.post('/v1/alert-channels', {
    type: 'EMAIL',
    config: { address: 'a@example.com' },
  })
  const { body } = await api.alice.post('/v1/checks/url?autoAssignAlerts=false', {
    name: 'u',
    locations: ['eu-west-1'],
    request: { url: 'https://example.com' },
    tags: ['a'],
    alertChannelSubscriptions: [{ alertChannelId: channel.id, activated: true }],
  })
  return body
}

it.each([undefined, 'CLI', 'UI'])('a caller from %s keeps what it does not send', async (source) => {
  const check = await createCheck()
  const { status, body } = await update(`/v1/checks/url/${check.id}`, { name: 'v' }, source)
  expect([status, body.tags]).toEqual([200, ['a']])
  expect(body.alertChannelSubscriptions).toEqual(check.alertChannelSubscriptions)
})

it.each(['TF', 'Pulumi', 'go-sdk'])('%s removes what it does not send, on both routes', async (source) => {
  for (const path of ['/v1/checks/url', '/v1/checks']) {
    const { id } = await createCheck()
    const { status, body } = await update(`${path}/${id}`, { name: 'v' }, source)
    expect([status, body.name, body.tags, body.alertChannelSubscriptions]).toEqual([200, 'v', [], []])
    expect(body.request.url).toBe('https://example.com')
  }
})

it('a mute that ends by itself stays: the library does not know it', async () => {
  const { id } = await createCheck()
  const mutedUntil = new Date(Date.now() + 3_600_000).toISOString()
  await update(`/v1/checks/url/${id}`, { mutedUntil })
  expect((await update(`/v1/checks/url/${id}`, { name: 'v' }, 'TF')).body.mutedUntil).toBe(mutedUntil)
})

it('400: an empty body of such a client is still none', async () => {
  const { id } = await createCheck()
  expect((await update(`/v1/checks/url/${id}`, [], 'TF')).status).toBe(400)
})
