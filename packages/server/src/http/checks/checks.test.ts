import { randomUUID } from 'node:crypto'
import { type CheckType, checkTypeNames, checkTypes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const pathOf = (type: CheckType) => `/v1/checks/${checkTypes[type].path}`
const example = (type: CheckType): Record<string, unknown> => checkTypes[type].example

async function create(type: CheckType, changes: object = {}, caller: Caller = api.alice) {
  const response = await caller.post(pathOf(type), { ...example(type), ...changes })
  expect(response).toMatchObject({ status: 201 })
  return response.body
}

async function storedRow(id: string) {
  return api.store.db.selectFrom('checks').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
}

/** The required fields of a type, besides the name. */
const ownFields = {
  API: { request: { method: 'POST', url: 'https://example.com/new' } },
  BROWSER: { script: 'new script' },
  MULTI_STEP: { script: 'new script' },
  HEARTBEAT: { heartbeat: { period: 2, periodUnit: 'hours', grace: 1, graceUnit: 'minutes' } },
  ICMP: { request: { hostname: 'new.example.com' } },
  TCP: { request: { hostname: 'new.example.com', port: 443 } },
  PLAYWRIGHT: { testCommand: 'npx playwright test --grep smoke' },
  URL: { request: { url: 'https://example.com/new' } },
  DNS: { request: { query: 'new.example.com', recordType: 'A' } },
  AGENTIC: { prompt: 'a new prompt' },
  GRPC: { request: { url: 'new.example.com', port: 50_051, grpcConfig: { mode: 'HEALTH' } } },
  SSL: { request: { sslConfig: { hostname: 'new.example.com', port: 8443 } } },
  TRACEROUTE: { request: { url: 'new.example.com', protocol: 'UDP' } },
} satisfies Record<CheckType, object>

describe.each(checkTypeNames)('a check of type %s', (type) => {
  it('201: its example is created, and reads back as the response showed it', async () => {
    const { status, body } = await api.alice.post(pathOf(type), example(type))
    expect(status).toBe(201)
    expect(body).toMatchObject({
      checkType: type,
      name: example(type).name,
      activated: true,
      updated_at: null,
    })
    expect(body.alertChannels).toEqual({ email: [], webhook: [], slack: [], sms: [] })
    const read = await api.alice.get(`/v1/checks/${body.id}`)
    expect(read.status).toBe(200)
    expect(read.body).toEqual(body)
  })

  it('200: a PUT changes only what is sent', async () => {
    const before = await create(type)
    const renamed = await api.alice.put(`${pathOf(type)}/${before.id}`, { name: 'renamed' })
    expect(renamed.status).toBe(200)
    expect(renamed.body).toEqual({ ...before, name: 'renamed', updated_at: expect.any(String) })
    const changed = await api.alice.put(`${pathOf(type)}/${before.id}`, ownFields[type])
    expect(changed.status).toBe(200)
    expect(changed.body).toMatchObject({ name: 'renamed', tags: before.tags, ...ownFields[type] })
    expect((await api.alice.get(`/v1/checks/${before.id}`)).body).toEqual(changed.body)
  })

  it('200: what was read can be sent back, and nothing changes', async () => {
    const before = await create(type)
    const { status, body } = await api.alice.put(`${pathOf(type)}/${before.id}`, before)
    expect(status).toBe(200)
    expect(body).toEqual({ ...before, updated_at: expect.any(String) })
  })

  it('200: the generic routes create and update it too', async () => {
    const created = await api.alice.post('/v1/checks', { ...example(type), checkType: type })
    expect(created.status).toBe(200)
    expect(created.body.checkType).toBe(type)
    const { status, body } = await api.alice.put(`/v1/checks/${created.body.id}`, ownFields[type])
    expect(status).toBe(200)
    expect(body).toMatchObject({ name: created.body.name, ...ownFields[type] })
  })

  it('400: names a missing or invalid name', async () => {
    const { name: _, ...nameless } = example(type)
    expect((await api.alice.post(pathOf(type), nameless)).body.attributes).toEqual({ name: 'is required' })
    const { id } = await create(type)
    const { status, body } = await api.alice.put(`${pathOf(type)}/${id}`, { name: 7, muted: 'yes' })
    expect(status).toBe(400)
    expect(body.attributes).toEqual({ name: 'must be a string', muted: 'must be a boolean' })
  })

  it('403: a key that may only read changes nothing', async () => {
    const { id } = await create(type)
    const reader = await api.as('READ_ONLY')
    expect((await reader.post(pathOf(type), example(type))).status).toBe(403)
    expect((await reader.put(`${pathOf(type)}/${id}`, { name: 'x' })).status).toBe(403)
    expect((await reader.delete(`/v1/checks/${id}`)).status).toBe(403)
    expect((await reader.get(`/v1/checks/${id}`)).status).toBe(200)
  })

  it('404: another account sees, changes and deletes nothing', async () => {
    const { id } = await create(type)
    expect((await api.bob.get(`/v1/checks/${id}`)).status).toBe(404)
    expect((await api.bob.put(`${pathOf(type)}/${id}`, { name: 'mine' })).status).toBe(404)
    expect((await api.bob.put(`/v1/checks/${id}`, { name: 'mine' })).status).toBe(404)
    expect((await api.bob.delete(`/v1/checks/${id}`)).status).toBe(404)
    expect((await api.alice.get(`/v1/checks/${id}`)).body.name).toBe(example(type).name)
  })

  it('404: under the path of another type it does not exist; 400: its type cannot change', async () => {
    const { id } = await create(type)
    const other = type === 'API' ? 'BROWSER' : 'API'
    expect((await api.alice.put(`${pathOf(other)}/${id}`, { name: 'x' })).status).toBe(404)
    const { status, body } = await api.alice.put(`/v1/checks/${id}`, { checkType: other })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes)).toEqual(['checkType'])
  })

  it('204: deletes it; a second time is 404', async () => {
    const { id } = await create(type)
    expect((await api.alice.delete(`/v1/checks/${id}`)).status).toBe(204)
    expect((await api.alice.delete(`/v1/checks/${id}`)).status).toBe(404)
    expect((await api.alice.get(`/v1/checks/${id}`)).status).toBe(404)
  })
})

describe('creating a check', () => {
  it('201: fills in the defaults of the contract', async () => {
    const { body } = await api.alice.post('/v1/checks/api', {
      name: 'least',
      locations: ['eu-west-1'],
      request: { method: 'GET', url: 'https://example.com' },
    })
    expect(body).toMatchObject({
      activated: true,
      muted: false,
      doubleCheck: true,
      shouldFail: false,
      retryStrategy: null,
      privateLocations: [],
      tags: [],
      frequency: 10,
      runParallel: false,
      groupId: null,
      groupOrder: null,
      runtimeId: null,
      triggerIncident: null,
      description: null,
      useGlobalAlertSettings: true,
      degradedResponseTime: 5000,
      maxResponseTime: 20_000,
      setupSnippetId: null,
      localSetupScript: null,
      alertChannelSubscriptions: [],
    })
    expect(body.alertSettings).toMatchObject({
      escalationType: 'RUN_BASED',
      reminders: { amount: 0, interval: 5 },
    })
    expect(body.request).toEqual({
      method: 'GET',
      url: 'https://example.com',
      followRedirects: true,
      skipSSL: false,
      ipFamily: 'IPv4',
      body: '',
      bodyType: 'NONE',
      headers: [],
      queryParameters: [],
      assertions: [],
      basicAuth: null,
    })
  })

  it('201: the generic route accepts a browser check without a script', async () => {
    const later = { name: 'later', checkType: 'BROWSER', locations: ['eu-west-1'] }
    const { status, body } = await api.alice.post('/v1/checks', later)
    expect(status).toBe(200)
    expect(body).toMatchObject({ checkType: 'BROWSER', script: null })
  })

  it('201: fields that a type lacks are ignored like unknown ones', async () => {
    const extras = {
      retryStrategy: 'nonsense',
      doubleCheck: 5,
      shouldFail: 5,
      runtimeId: 'nonsense',
      unknown: 1,
    }
    for (const type of ['HEARTBEAT', 'PLAYWRIGHT'] as const) {
      const { status, body } = await api.alice.post(pathOf(type), { ...example(type), ...extras })
      expect(status).toBe(201)
      for (const field of Object.keys(extras)) expect(body).not.toHaveProperty(field)
    }
  })

  it('400: names every wrong field at once, the rules between fields included', async () => {
    const { status, body } = await api.alice.post('/v1/checks/api', {
      request: { method: 'GET', url: 'gopher://example.com' },
      frequency: 0,
      alertSettings: null,
      useGlobalAlertSettings: false,
      description: 'x'.repeat(501),
    })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes).sort()).toEqual([
      'alertSettings',
      'description',
      'frequencyOffset',
      'name',
      'request.url',
    ])
  })

  it('400: the generic route needs a type it knows', async () => {
    for (const checkType of [undefined, 'FTP', 5]) {
      const { status, body } = await api.alice.post('/v1/checks', { name: 'x', checkType })
      expect(status).toBe(400)
      expect(Object.keys(body.attributes)).toEqual(['checkType'])
    }
  })

  it('400: what it points at must exist in the account', async () => {
    const group = await api.store.db
      .insertInto('check_groups')
      .values(groupRow(api.bob.accountId))
      .returning('id')
      .executeTakeFirstOrThrow()
    const { body: snippet } = await api.bob.post('/v1/snippets', { name: 'theirs', script: '' })
    const references = {
      groupId: group.id,
      setupSnippetId: snippet.id,
      tearDownSnippetId: 2_000_000_000,
      privateLocations: ['nowhere'],
      triggerIncident: { serviceId: randomUUID(), name: 'down', description: 'it is down' },
    }
    const { status, body } = await api.alice.post('/v1/checks/api', { ...example('API'), ...references })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes).sort()).toEqual([
      'groupId',
      'privateLocations.0',
      'setupSnippetId',
      'tearDownSnippetId',
      'triggerIncident.serviceId',
    ])
    const { id } = await create('API')
    expect((await api.alice.put(`/v1/checks/api/${id}`, references)).body.attributes).toEqual(body.attributes)
  })

  it('400: an unknown alert channel is named, and no check is left behind', async () => {
    const owner = await api.newAccount()
    const { status, body } = await owner.post('/v1/checks/api', {
      ...example('API'),
      alertChannelSubscriptions: [{ alertChannelId: 2_000_000_000, activated: true }],
    })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes)).toEqual(['alertChannelSubscriptions.0.alertChannelId'])
    expect((await owner.get('/v1/checks')).body).toEqual([])
  })

  it('201: its references are stored', async () => {
    const { db } = api.store
    const accountId = api.alice.accountId
    const group = await db
      .insertInto('check_groups')
      .values(groupRow(accountId))
      .returning('id')
      .executeTakeFirstOrThrow()
    const serviceId = randomUUID()
    await db
      .insertInto('status_page_services')
      .values({ id: serviceId, account_id: accountId, name: 'Shop' })
      .execute()
    await db
      .insertInto('private_locations')
      .values({
        id: randomUUID(),
        account_id: accountId,
        name: 'Cellar',
        slug_name: 'cellar',
        icon: 'location',
      })
      .execute()
    const { body: snippet } = await api.alice.post('/v1/snippets', { name: 'mine', script: '' })
    const body = await create('API', {
      groupId: group.id,
      groupOrder: 3,
      setupSnippetId: snippet.id,
      privateLocations: ['cellar'],
      triggerIncident: { serviceId, name: 'down', description: 'it is down' },
    })
    expect(body).toMatchObject({
      groupId: group.id,
      groupOrder: 3,
      setupSnippetId: snippet.id,
      privateLocations: ['cellar'],
      triggerIncident: { serviceId, severity: 'MAJOR', notifySubscribers: false },
    })
  })
})

describe('updating a check', () => {
  it('200: concurrent updates of different fields all survive', async () => {
    const { id } = await create('API')
    const changes = [
      { name: 'concurrent' },
      { muted: true },
      { tags: ['a', 'b'] },
      { maxResponseTime: 25_000 },
      { degradedResponseTime: 100 },
      { localSetupScript: 'setup()' },
      { request: { method: 'PUT', url: 'https://example.com/concurrent' } },
    ]
    const responses = await Promise.all(
      changes.map((change) => api.alice.put(`/v1/checks/api/${id}`, change)),
    )
    expect(responses.map(({ status }) => status)).toEqual(changes.map(() => 200))
    expect((await api.alice.get(`/v1/checks/${id}`)).body).toMatchObject(Object.assign({}, ...changes))
  })

  it('400: a rule between a sent and a stored field is checked on the whole', async () => {
    const { id } = await create('API', { frequency: 1440, frequencyOffset: 24 })
    const later = await api.alice.put(`/v1/checks/api/${id}`, { frequencyOffset: 25 })
    expect(later.status).toBe(400)
    expect(Object.keys(later.body.attributes)).toEqual(['frequencyOffset'])
    expect((await api.alice.put(`/v1/checks/api/${id}`, { frequency: 1, frequencyOffset: 10 })).status).toBe(
      200,
    )
    const { body } = await api.alice.put(`/v1/checks/api/${id}`, { frequencyOffset: null })
    expect(body).not.toHaveProperty('frequencyOffset')
  })

  it('200: another frequency drops the offset, which belonged to the old one', async () => {
    const { id } = await create('URL', { frequency: 0, frequencyOffset: 30 })
    const path = `/v1/checks/url/${id}`
    expect((await api.alice.put(path, { frequency: 0, muted: true })).body.frequencyOffset).toBe(30)
    const { status, body } = await api.alice.put(path, { frequency: 120 })
    expect([status, body.frequency, body.frequencyOffset]).toEqual([200, 120, undefined])
    expect((await api.alice.put(path, { frequency: 0 })).status).toBe(400)
  })

  it('200: reads never say null for alert settings', async () => {
    const { id } = await create('API', { alertSettings: null })
    const { body } = await api.alice.get(`/v1/checks/${id}`)
    expect(body.alertSettings).toMatchObject({ escalationType: 'RUN_BASED' })
  })

  it.each(['browser', 'multistep'])(
    '200: %s checks keep response times, and read without them',
    async (type) => {
      const fields = { name: 'b', locations: ['eu-west-1'], script: 'const a = 1' }
      const { body: plain } = await api.alice.post(`/v1/checks/${type}`, fields)
      expect(plain).not.toHaveProperty('maxResponseTime')
      const times = { degradedResponseTime: 15_000, maxResponseTime: 30_000 }
      const { body } = await api.alice.post(`/v1/checks/${type}`, { ...fields, ...times })
      expect((await api.alice.get(`/v1/checks/${body.id}`)).body).toMatchObject(times)
    },
  )

  it('200: an object that is sent is replaced as a whole, with its defaults', async () => {
    const { id } = await create('API', { retryStrategy: { type: 'LINEAR', baseBackoffSeconds: 5 } })
    const { body } = await api.alice.put(`/v1/checks/api/${id}`, { retryStrategy: {}, alertSettings: {} })
    expect(body.retryStrategy).toEqual({
      type: 'FIXED',
      baseBackoffSeconds: 60,
      sameRegion: true,
      maxRetries: 2,
      maxDurationSeconds: 600,
    })
    const off = await api.alice.put(`/v1/checks/api/${id}`, { retryStrategy: null, doubleCheck: false })
    expect(off.body).toMatchObject({ retryStrategy: null, doubleCheck: false })
  })
})

describe('heartbeats', () => {
  it('201: get their own ping URL, which stays when the period changes', async () => {
    const { id, heartbeat } = await create('HEARTBEAT')
    expect(heartbeat.pingUrl).toBe(`http://vedette.test/ping/${heartbeat.pingToken}`)
    const { body } = await api.alice.put(`/v1/checks/heartbeat/${id}`, ownFields.HEARTBEAT)
    expect(body.heartbeat).toMatchObject({ pingToken: heartbeat.pingToken, period: 2 })
  })

  it('409: a ping token belongs to one heartbeat of all accounts', async () => {
    const pingToken = randomUUID()
    const heartbeat = { ...(example('HEARTBEAT').heartbeat as object), pingToken }
    expect((await create('HEARTBEAT', { heartbeat })).heartbeat.pingToken).toBe(pingToken)
    const taken = await api.bob.post('/v1/checks/heartbeat', { name: 'theirs', heartbeat })
    expect(taken.status).toBe(409)
    expect(taken.body.attributes).toEqual({ 'heartbeat.pingToken': 'is taken already' })
    const { id } = await create('HEARTBEAT', {}, api.bob)
    expect((await api.bob.put(`/v1/checks/heartbeat/${id}`, { heartbeat })).status).toBe(409)
    const { status } = await api.bob.post('/v1/checks', { checkType: 'HEARTBEAT', name: 'theirs', heartbeat })
    expect(status).toBe(409)
  })
})

describe('secrets', () => {
  const request = {
    method: 'GET',
    url: 'https://example.com',
    headers: [
      { key: 'authorization', value: 'Bearer locked-header', locked: true },
      { key: 'accept', value: 'text/plain', locked: false },
    ],
    queryParameters: [{ key: 'token', value: 'locked-parameter', locked: true }],
    basicAuth: { username: 'someone', password: 'basic-password' },
  }

  it('are not readable in the table', async () => {
    const { id } = await create('API', { request })
    const stored = JSON.stringify(await storedRow(id))
    for (const text of ['locked-header', 'locked-parameter', 'basic-password'])
      expect(stored).not.toContain(text)
    expect(stored).toContain('text/plain')
    const browser = await create('BROWSER', {
      environmentVariables: [
        { key: 'SECRET', value: 'secret-value', secret: true },
        { key: 'LOCKED', value: 'locked-value', locked: true },
        { key: 'OPEN', value: 'open-value' },
      ],
    })
    const row = JSON.stringify(await storedRow(browser.id))
    expect(row).not.toMatch(/secret-value|locked-value/)
    expect(row).toContain('open-value')
  })

  it('200: locked values are shown to keys that may write and masked for others; secrets are never shown', async () => {
    const reader = await api.as('READ_RUN')
    const { id } = await create('API', { request })
    expect((await api.alice.get(`/v1/checks/${id}`)).body.request).toMatchObject(request)
    const masked = (await reader.get(`/v1/checks/${id}`)).body.request
    expect(masked.headers.map(({ value }: { value: string }) => value)).toEqual(['***', 'text/plain'])
    expect(masked.queryParameters[0].value).toBe('***')
    expect(masked.basicAuth).toEqual({ username: 'someone', password: '***' })
    const browser = await create('BROWSER', {
      environmentVariables: [
        { key: 'SECRET', value: 'secret-value', secret: true },
        { key: 'LOCKED', value: 'locked-value', locked: true },
      ],
    })
    expect(browser.environmentVariables).toEqual([
      { key: 'SECRET', value: null, locked: false, secret: true },
      { key: 'LOCKED', value: 'locked-value', locked: true, secret: false },
    ])
    const values = (await reader.get(`/v1/checks/${browser.id}`)).body.environmentVariables
    expect(values.map(({ value }: { value: string }) => value)).toEqual([null, '***'])
  })

  it('200: a secret without a value keeps the stored one; 400: a new secret needs a value', async () => {
    const { id } = await create('BROWSER', {
      environmentVariables: [{ key: 'A', value: 'first', secret: true }],
    })
    const sealed = (await storedRow(id)).settings as { environmentVariables: { value: unknown }[] }
    const kept = await api.alice.put(`/v1/checks/browser/${id}`, {
      environmentVariables: [
        { key: 'B', value: 'plain' },
        { key: 'A', value: null, secret: true },
      ],
    })
    expect(kept.status).toBe(200)
    const after = (await storedRow(id)).settings as { environmentVariables: { value: unknown }[] }
    expect(after.environmentVariables[1]?.value).toEqual(sealed.environmentVariables[0]?.value)
    const unknown = await api.alice.put(`/v1/checks/browser/${id}`, {
      environmentVariables: [
        { key: 'C', secret: true },
        { key: 'A', secret: false },
      ],
    })
    expect(unknown.status).toBe(400)
    expect(unknown.body.attributes).toEqual({
      'environmentVariables.0.value': 'is required',
      'environmentVariables.1.value': 'is required',
    })
    const created = await api.alice.post('/v1/checks/browser', {
      ...example('BROWSER'),
      environmentVariables: [{ key: 'C', secret: true, value: null }],
    })
    expect(created.body.attributes).toEqual({ 'environmentVariables.0.value': 'is required' })
  })
})

describe('files of a script', () => {
  it("200: are only read on request, and kept by an update that doesn't send them", async () => {
    const files = {
      scriptPath: 'checks/sign-in.spec.ts',
      dependencies: [{ path: 'a.ts', content: 'export {}' }],
    }
    const { id, ...plain } = await create('MULTI_STEP', files)
    expect(plain).not.toHaveProperty('dependencies')
    expect(plain).not.toHaveProperty('scriptPath')
    await api.alice.put(`/v1/checks/multistep/${id}`, { name: 'renamed' })
    const { body } = await api.alice.get(`/v1/checks/${id}?includeDependencies=true`)
    expect(body).toMatchObject({ ...files, name: 'renamed' })
  })

  it.each(['node_modules/ms/index.js', './Node_Modules/x.js', 'a/../node_modules/x.js', '../x.js', '/x.js'])(
    '400: are not stored under a path that no agent writes: %s',
    async (path) => {
      const rule = expect.stringContaining('must be a path inside the directory of the script')
      const files = { scriptPath: path, dependencies: [{ path, content: '' }] }
      const created = await api.alice.post('/v1/checks/browser', { ...example('BROWSER'), ...files })
      expect(created.status).toBe(400)
      expect(created.body.attributes).toEqual({ scriptPath: rule, 'dependencies.0.path': rule })
      const { id } = await create('MULTI_STEP')
      const changed = await api.alice.put(`/v1/checks/multistep/${id}`, files)
      expect(changed.status).toBe(400)
    },
  )
})

function groupRow(accountId: string) {
  return {
    account_id: accountId,
    name: 'group',
    activated: true,
    muted: false,
    tags: [],
    locations: [],
    private_locations: [],
    concurrency: 3,
    double_check: true,
    settings: '{}',
  }
}

describe('If-Match', () => {
  const put = (path: string, version: string, body: object) =>
    api.alice.send('PUT', path, body, { 'if-match': version })

  it('412: a check that someone else has changed since it was read stays as it is', async () => {
    const created = await create('URL')
    const path = `${pathOf('URL')}/${created.id}`
    const mine = await put(path, `"${created.created_at}"`, { name: 'mine' })
    expect(mine.status).toBe(200)
    const theirs = await put(path, `"${created.created_at}"`, { name: 'theirs' })
    expect(theirs).toMatchObject({ status: 412, body: { error: 'Precondition Failed' } })
    expect((await api.alice.get(`/v1/checks/${created.id}`)).body.name).toBe('mine')
    const again = await put(`/v1/checks/${created.id}`, `"${mine.body.updated_at}"`, { name: 'theirs' })
    expect(again).toMatchObject({ status: 200, body: { name: 'theirs' } })
    expect(Date.parse(again.body.updated_at)).toBeGreaterThan(Date.parse(mine.body.updated_at))
  })

  it('412: the same for a group', async () => {
    const { body: group } = await api.alice.post('/v2/check-groups', { name: 'Shop' })
    const path = `/v2/check-groups/${group.id}`
    expect((await put(path, `"${group.created_at}"`, { muted: true })).status).toBe(200)
    expect((await put(path, `"${group.created_at}"`, { muted: false })).status).toBe(412)
  })
})
