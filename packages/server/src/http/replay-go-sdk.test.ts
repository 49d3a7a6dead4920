// What Terraform and Pulumi send, by the tables in testing/go-sdk: create, read back, update, remove each attribute, destroy. After each
// step the resource reads as it was written, so a second plan is empty.
import { createClientCertificate } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../testing/api.ts'
import { tarGzOf } from '../testing/archives.ts'
import { checkResources, type References } from '../testing/go-sdk/checks.ts'
import { otherResources, type Pem } from '../testing/go-sdk/others.ts'
import { differences, type GoResource, marshal } from '../testing/go-sdk/resource.ts'

let api: TestApi
let refs: References
beforeAll(async () => {
  api = await startTestApi()
  refs = await createReferences()
})
afterAll(() => api.close())

/** As the library sends it. */
const send = (method: string, path: string, body?: unknown) =>
  api.alice.send(method, path, body === undefined ? undefined : JSON.stringify(body), {
    'x-checkly-source': 'TF',
    'x-checkly-account': api.alice.accountId,
    'content-type': 'application/json',
  })

const archive = tarGzOf({ 'package.json': '{}' })

async function createReferences(): Promise<References> {
  const make = async (path: string, body: object) => (await api.alice.post(path, body)).body
  const uploaded = await api.alice.send('POST', '/next/checkly-storage/upload-code-bundle', archive, {
    'content-type': 'application/octet-stream',
  })
  return {
    groupId: (await make('/v1/check-groups', { name: 'g' })).id,
    channelId: (await make('/v1/alert-channels', { type: 'EMAIL', config: { address: 'a@example.com' } })).id,
    snippetId: (await make('/v1/snippets', { name: 's', script: 'const a = 1' })).id,
    serviceId: (await make('/v1/status-pages/services', { name: 'Shop' })).id,
    privateLocation: (await make('/v1/private-locations', { name: 'Lab', slugName: 'lab' })).slugName,
    codeBundle: uploaded.body.key,
  }
}

const pem = createClientCertificate.example as Pem

/** Only to name the tests: the references don't exist yet. */
const none: References = {
  ...{ groupId: 0, channelId: 0, snippetId: 0 },
  ...{ serviceId: '', privateLocation: '', codeBundle: '' },
}

const listResources = (of: References): GoResource[] => [...checkResources(of), ...otherResources(of, pem)]

describe.each(listResources(none).map(({ title }) => title))('%s', (title) => {
  it.concurrent('is created, read back, updated, reduced and destroyed', async () => {
    const resource = listResources(refs).find((one) => one.title === title) as GoResource
    const { attributes, change } = resource
    const whole = marshal(attributes)
    const created = await send('POST', resource.create, whole)
    expect([created.status, created.text]).toEqual([resource.createStatus ?? 201, expect.any(String)])
    const path = resource.read(created.body)
    const expectRead = async (body: Record<string, unknown>, step: string) => {
      const { status, body: read } = await send('GET', path)
      expect([step, status, differences(body, attributes, read)]).toEqual([step, 200, []])
    }
    await expectRead(whole, 'created')
    if (resource.update !== null) {
      const target = resource.update(created.body)
      const put = async (body: Record<string, unknown>, step: string) => {
        const { status, text } = await send('PUT', target, body)
        expect([step, status === 200 ? 200 : text]).toEqual([step, 200])
        await expectRead(body, step)
      }
      await put({ ...whole, ...change }, 'changed')
      await put(whole, 'changed back')
      for (const name of Object.keys(attributes)) {
        if (attributes[name]?.removed === undefined) continue
        await put(marshal(attributes, name), `without ${name}`)
      }
      await put(whole, 'whole again')
    }
    expect((await send('DELETE', resource.remove(created.body))).status).toBe(204)
    expect((await send('GET', path)).status).toBe(404)
  })
})

it('a code bundle is peeked at, and is gone for another account', async () => {
  const peek = (key: string) => send('POST', '/next/checkly-storage/peek-code-bundle', { key })
  const { status, body } = await peek(refs.codeBundle)
  expect([status, body.contentLength, body.checksumSha256.length]).toEqual([200, archive.length, 64])
  expect((await peek('code-bundles/gone.tar.gz')).status).toBe(404)
})

it.each(['checks', 'check-groups'])('triggers of %s are created, read and destroyed', async (kind) => {
  const check = await api.alice.post('/v1/checks/url', {
    ...{ name: 'u', locations: ['eu-west-1'], request: { url: 'https://example.com' } },
  })
  const id = kind === 'checks' ? check.body.id : refs.groupId
  const path = `/v1/triggers/${kind}/${id}`
  const created = await send('POST', path)
  expect(created.status).toBe(201)
  expect(created.body).toMatchObject({
    id: expect.any(Number),
    token: expect.any(String),
    [kind === 'checks' ? 'checkId' : 'groupId']: id,
  })
  expect((await send('GET', path)).body.token).toBe(created.body.token)
  expect((await send('DELETE', path)).status).toBe(204)
  expect((await send('GET', path)).status).toBe(404)
})

it('a heartbeat keeps its token when an empty one is sent, and a dashboard its key', async () => {
  const heartbeat = { period: 1, periodUnit: 'days', grace: 1, graceUnit: 'hours', pingToken: '' }
  const { body: monitor } = await send('POST', '/v1/checks/heartbeat', { name: 'h', heartbeat })
  expect(monitor.heartbeat.pingToken).toMatch(/^[0-9a-f-]{36}$/)
  const updated = await send('PUT', `/v1/checks/heartbeat/${monitor.id}`, { name: 'i', heartbeat })
  expect(updated.body.heartbeat.pingToken).toBe(monitor.heartbeat.pingToken)
  const fields = { header: 'd', customUrl: 'with-a-key', isPrivate: true }
  const { body: dashboard } = await send('POST', '/v1/dashboards', fields)
  const read = await send('GET', `/v1/dashboards/${dashboard.dashboardId}`)
  expect(read.body.keys[0].rawKey).toBe(dashboard.keys[0].rawKey)
})

it('the frequency changes from seconds to any number of minutes', async () => {
  const body = { name: 'f', locations: ['eu-west-1'], request: { url: 'https://example.com' } }
  const seconds = { ...body, frequency: 0, frequencyOffset: 30 }
  const { body: check } = await send('POST', '/v1/checks/url', seconds)
  const path = `/v1/checks/url/${check.id}`
  for (const frequency of [1, 2, 5, 120, 1440]) {
    const { status, body: read } = await send('PUT', path, { ...body, frequency })
    expect([status, read.frequency, read.frequencyOffset]).toEqual([200, frequency, undefined])
    expect((await send('PUT', path, seconds)).status).toBe(200)
  }
})
