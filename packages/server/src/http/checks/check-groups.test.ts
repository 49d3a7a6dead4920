import { randomUUID } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { unsealDeep } from '../../storage/core/vault.ts'
import { type Caller, startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const full = {
  name: 'Shop, Zürich 🛒',
  activated: false,
  muted: true,
  tags: ['shop', 'eu'],
  locations: ['eu-central-1', 'us-east-1'],
  privateLocations: [],
  concurrency: 7,
  apiCheckDefaults: {
    url: 'https://{{HOST}}/api',
    headers: [
      { key: 'x-plain', value: 'open', locked: false },
      { key: 'x-locked', value: 'a locked header', locked: true },
    ],
    queryParameters: [{ key: 'token', value: 'a locked parameter', locked: true }],
    assertions: [{ source: 'STATUS_CODE', comparison: 'EQUALS', property: '', target: '200', regex: '' }],
    basicAuth: { username: 'ann', password: 'a basic password' },
  },
  browserCheckDefaults: 'https://shop.example.com',
  runtimeId: '2025.04',
  doubleCheck: false,
  runParallel: true,
  useGlobalAlertSettings: false,
  alertSettings: {
    escalationType: 'TIME_BASED',
    runBasedEscalation: { failedRunThreshold: 2 },
    timeBasedEscalation: { minutesFailingThreshold: 10 },
    reminders: { amount: 100_000, interval: 15 },
    parallelRunFailureThreshold: { enabled: true, percentage: 50 },
  },
  retryStrategy: { type: 'SINGLE_RETRY', baseBackoffSeconds: 5, sameRegion: false },
  localSetupScript: 'request.headers.a = 1',
  localTearDownScript: 'console.log(response.statusCode)',
}
const variables = [
  { key: 'HOST', value: 'shop.example.com', locked: false, secret: false },
  { key: 'USER', value: 'a locked value', locked: true, secret: false },
  { key: 'PASSWORD', value: 'a secret value', locked: false, secret: true },
]
const variablesRead = [variables[0], variables[1], { ...variables[2], value: null }]

for (const version of ['v1', 'v2'] as const) {
  const path = `/${version}/check-groups`

  describe(`POST ${path}`, () => {
    it('201: responds with the group as it was stored, secret values hidden', async () => {
      const setup = await newSnippet(api.alice)
      const tearDown = await newSnippet(api.alice)
      const slug = await newPrivateLocation(api.alice)
      const sent = { ...full, privateLocations: [slug], setupSnippetId: setup, tearDownSnippetId: tearDown }
      const { status, body } = await api.alice.post(path, { ...sent, environmentVariables: variables })
      expect(status).toBe(201)
      expect(body).toEqual({
        ...sent,
        mutedUntil: null,
        id: expect.any(Number),
        environmentVariables: variablesRead,
        alertChannelSubscriptions: [],
        created_at: expect.any(String),
        updated_at: null,
      })
      expect((await api.alice.get(`/v1/check-groups/${body.id}`)).body).toEqual(body)
    })

    it('201: keeps secrets sealed in the table', async () => {
      const { body } = await api.alice.post(path, { ...full, environmentVariables: variables })
      const row = await storedText(body.id)
      expect(row).toContain('shop.example.com')
      for (const secret of [
        'a locked header',
        'a locked parameter',
        'a basic password',
        'a locked value',
        'a secret value',
      ]) {
        expect(row).not.toContain(secret)
      }
    })

    it('201: reads null lists back as they were sent', async () => {
      const { body } = await api.alice.post(path, {
        name: 'g',
        privateLocations: null,
        environmentVariables: null,
      })
      expect(body).toMatchObject({ privateLocations: null, environmentVariables: null })
    })

    it('201: values that a form leaves empty are empty texts', async () => {
      const { body } = await api.alice.post(path, {
        name: 'g',
        apiCheckDefaults: { headers: [{ key: 'x-a' }], basicAuth: {} },
      })
      expect(body.apiCheckDefaults).toMatchObject({
        headers: [{ key: 'x-a', value: '', locked: false }],
        basicAuth: { username: '', password: '' },
      })
    })

    it('400: names every wrong field', async () => {
      const { status, body } = await api.alice.post(path, {
        concurrency: 0,
        locations: ['the-moon'],
        retryStrategy: 'SOMETIMES',
        apiCheckDefaults: { url: 'ftp://example.com', headers: [{ value: 'a' }] },
        environmentVariables: [
          { key: 'SECRET', secret: true },
          { key: '1', value: '' },
        ],
        alertChannelSubscriptions: [{}],
      })
      expect(status).toBe(400)
      expect(Object.keys(body.attributes).sort()).toEqual([
        'alertChannelSubscriptions.0.alertChannelId',
        'apiCheckDefaults.headers.0.key',
        'apiCheckDefaults.url',
        'concurrency',
        'environmentVariables.0.value',
        'environmentVariables.1.key',
        'locations.0',
        'name',
        'retryStrategy',
      ])
    })

    it('400: accepts at most 100 variables', async () => {
      const many = Array.from({ length: 101 }, (_, index) => ({ key: `V${index}`, value: '' }))
      const { status, body } = await api.alice.post(path, { name: 'g', environmentVariables: many })
      expect(status).toBe(400)
      expect(body.attributes).toEqual({ environmentVariables: 'must have at most 100 entries' })
    })

    it('400: what belongs to another account does not exist', async () => {
      const { status, body } = await api.alice.post(path, {
        name: 'g',
        privateLocations: [await newPrivateLocation(api.bob)],
        setupSnippetId: await newSnippet(api.bob),
        tearDownSnippetId: await newSnippet(api.bob),
      })
      expect(status).toBe(400)
      expect(body.attributes).toEqual({
        'privateLocations.0': 'does not exist',
        setupSnippetId: 'does not exist',
        tearDownSnippetId: 'does not exist',
      })
    })

    it('400: an alert channel of another account does not exist, and nothing is stored', async () => {
      const owner = await api.newAccount()
      const alertChannelSubscriptions = [{ alertChannelId: await newChannel(api.bob) }]
      const { status, body } = await owner.post(path, { name: 'g', alertChannelSubscriptions })
      expect(status).toBe(400)
      expect(body.attributes).toEqual({ 'alertChannelSubscriptions.0.alertChannelId': 'does not exist' })
      expect((await owner.get('/v1/check-groups')).body).toEqual([])
    })

    it('402: the plan allows five groups', async () => {
      const owner = await api.newAccount('hobby')
      const responses = await Promise.all(
        Array.from({ length: 6 }, (_, index) => owner.post(path, { name: `g${index}` })),
      )
      expect(responses.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, 402])
      expect((await owner.post(path, { name: 'one more' })).body.attributes).toEqual({
        entitlement: 'CHECK_GROUPS',
        quantity: 5,
      })
    })

    it('403: a key that may only run creates nothing', async () => {
      expect((await (await api.as('READ_RUN')).post(path, { name: 'g' })).status).toBe(403)
    })

    it('201: subscribes the group to all channels, or only to those that are named', async () => {
      const owner = await api.newAccount()
      const [one, two] = [await newChannel(owner), await newChannel(owner)]
      const alertChannelSubscriptions = [{ alertChannelId: two, activated: false }]
      const all = await owner.post(`${path}?autoAssignAlerts=true`, {
        name: 'all',
        alertChannelSubscriptions,
      })
      expect(all.body.alertChannelSubscriptions).toEqual([
        { alertChannelId: one, activated: true },
        { alertChannelId: two, activated: false },
      ])
      for (const query of ['', '?autoAssignAlerts=false']) {
        const named = await owner.post(`${path}${query}`, { name: 'named', alertChannelSubscriptions })
        expect(named.body.alertChannelSubscriptions).toEqual(alertChannelSubscriptions)
      }
      const none = await owner.post(path, { name: 'none', alertChannelSubscriptions: [] })
      expect(none.body.alertChannelSubscriptions).toEqual([])
    })
  })

  describe(`PUT ${path}/{id}`, () => {
    it('200: changes only what is sent', async () => {
      const { body: created } = await api.alice.post('/v2/check-groups', {
        ...full,
        environmentVariables: variables,
      })
      const { status, body } = await api.alice.put(`${path}/${created.id}`, { concurrency: 9 })
      expect(status).toBe(200)
      expect(body).toEqual({ ...created, concurrency: 9, updated_at: expect.any(String) })
      expect((await api.alice.put(`${path}/${created.id}`, {})).body).toMatchObject({
        ...full,
        concurrency: 9,
      })
    })

    it('200: two concurrent updates are both applied', async () => {
      const { body: created } = await api.alice.post('/v2/check-groups', { name: 'g' })
      const changes = [{ name: 'renamed' }, { muted: true }, { localSetupScript: 'x' }, { tags: ['t'] }]
      await Promise.all(changes.map((change) => api.alice.put(`${path}/${created.id}`, change)))
      const { body } = await api.alice.get(`/v1/check-groups/${created.id}`)
      expect(body).toMatchObject(Object.assign({}, ...changes))
    })

    it('200: a secret that is sent back as it was read keeps its value', async () => {
      const { body: created } = await api.alice.post('/v2/check-groups', {
        name: 'g',
        environmentVariables: variables,
      })
      const change = { environmentVariables: [...created.environmentVariables, { key: 'MORE', value: 'm' }] }
      const { status } = await api.alice.put(`${path}/${created.id}`, change)
      expect(status).toBe(200)
      expect(await storedVariables(created.id)).toEqual({ ...variableValues(), MORE: 'm' })
      await api.alice.put(`${path}/${created.id}`, {
        environmentVariables: [{ ...variables[2], value: 'new' }],
      })
      expect(await storedVariables(created.id)).toEqual({ PASSWORD: 'new' })
    })

    it('400: a value may only be left out where a secret is stored', async () => {
      const { body: created } = await api.alice.post('/v2/check-groups', {
        name: 'g',
        environmentVariables: variables,
      })
      const environmentVariables = [
        { key: 'PASSWORD', secret: false },
        { key: 'HOST', secret: true },
        { key: 'UNKNOWN', secret: true, value: null },
      ]
      const { status, body } = await api.alice.put(`${path}/${created.id}`, { environmentVariables })
      expect(status).toBe(400)
      expect(body.attributes).toEqual({
        'environmentVariables.0.value': 'is required',
        'environmentVariables.1.value': 'is required',
        'environmentVariables.2.value': 'is required',
      })
      expect(await storedVariables(created.id)).toEqual(variableValues())
    })

    it('200: sets exactly the subscriptions that are sent', async () => {
      const owner = await api.newAccount()
      const [one, two] = [await newChannel(owner), await newChannel(owner)]
      const { body: created } = await owner.post('/v2/check-groups', {
        name: 'g',
        alertChannelSubscriptions: [{ alertChannelId: one }],
      })
      const kept = await owner.put(`${path}/${created.id}`, { name: 'renamed' })
      expect(kept.body.alertChannelSubscriptions).toEqual([{ alertChannelId: one, activated: true }])
      const alertChannelSubscriptions = [{ alertChannelId: two, activated: true }]
      const changed = await owner.put(`${path}/${created.id}`, { alertChannelSubscriptions })
      expect(changed.body.alertChannelSubscriptions).toEqual(alertChannelSubscriptions)
    })

    it('400: names every wrong field and changes nothing', async () => {
      const { body: created } = await api.alice.post('/v2/check-groups', { name: 'g' })
      const { status, body } = await api.alice.put(`${path}/${created.id}`, {
        muted: 'yes',
        runtimeId: '1999.01',
      })
      expect(status).toBe(400)
      expect(Object.keys(body.attributes)).toEqual(['muted', 'runtimeId'])
      const change = { name: 'h', setupSnippetId: 2_000_000_000, privateLocations: ['nowhere'] }
      const unknown = await api.alice.put(`${path}/${created.id}`, change)
      expect(unknown.body.attributes).toEqual({
        'privateLocations.0': 'does not exist',
        setupSnippetId: 'does not exist',
      })
      expect((await api.alice.get(`/v1/check-groups/${created.id}`)).body).toEqual(created)
    })

    it('403: a key that may only run changes nothing', async () => {
      const { body } = await api.alice.post('/v2/check-groups', { name: 'g' })
      expect((await (await api.as('READ_RUN')).put(`${path}/${body.id}`, { name: 'h' })).status).toBe(403)
    })

    it('404: another account sees nothing', async () => {
      const { body } = await api.alice.post('/v2/check-groups', { name: 'g' })
      expect((await api.bob.put(`${path}/${body.id}`, { name: 'mine' })).status).toBe(404)
    })
  })
}

describe('defaults', () => {
  it('201: a group of the first version rules over its checks', async () => {
    const { body } = await api.alice.post('/v1/check-groups?autoAssignAlerts=false', { name: 'g' })
    expect(body).toMatchObject({
      ...defaults,
      doubleCheck: true,
      runParallel: false,
      useGlobalAlertSettings: true,
      alertSettings: { escalationType: 'RUN_BASED', runBasedEscalation: { failedRunThreshold: 1 } },
      retryStrategy: null,
    })
  })

  it('201: a group of the second version enforces nothing', async () => {
    const { body } = await api.alice.post('/v2/check-groups?autoAssignAlerts=false', { name: 'g' })
    expect(body).toMatchObject({
      ...defaults,
      doubleCheck: false,
      runParallel: null,
      useGlobalAlertSettings: null,
      retryStrategy: 'FALLBACK',
    })
    expect(body).not.toHaveProperty('alertSettings')
  })

  it("400: version 1 doesn't accept null for enforced settings", async () => {
    const { body } = await api.alice.post('/v1/check-groups', {
      name: 'g',
      runParallel: null,
      useGlobalAlertSettings: null,
    })
    expect(Object.keys(body.attributes)).toEqual(['runParallel', 'useGlobalAlertSettings'])
  })

  it('200: version 2 removes enforced settings', async () => {
    const { body: created } = await api.alice.post('/v1/check-groups', { name: 'g' })
    const change = {
      runParallel: null,
      useGlobalAlertSettings: null,
      retryStrategy: 'FALLBACK',
    }
    const sent = { ...change, alertSettings: null }
    const { body } = await api.alice.put(`/v2/check-groups/${created.id}`, sent)
    expect(body).toMatchObject(change)
    expect(body).not.toHaveProperty('alertSettings')
  })
})

describe('GET /v1/check-groups', () => {
  it('200: pages with the total in Content-Range', async () => {
    const owner = await api.newAccount()
    for (let index = 0; index < 7; index++) await owner.post('/v2/check-groups', { name: `g${index}` })
    const last = await owner.get('/v1/check-groups?limit=3&page=3')
    expect(last.status).toBe(200)
    expect(names(last.body)).toEqual(['g6'])
    expect(last.headers.get('content-range')).toBe('items 6-6/7')
  })

  it('200: filters by any of several tags and by exact names', async () => {
    const owner = await api.newAccount()
    await owner.post('/v2/check-groups', { name: 'Shop', tags: ['a', 'b'] })
    await owner.post('/v2/check-groups', { name: 'Shop, old', tags: ['c'] })
    await owner.post('/v2/check-groups', { name: 'Blog', tags: ['b'] })
    const list = async (query: string) => names((await owner.get(`/v1/check-groups?${query}`)).body)
    expect(await list('tag=a&tag=c')).toEqual(['Shop', 'Shop, old'])
    expect(await list('tag=b')).toEqual(['Shop', 'Blog'])
    expect(await list('name=Shop')).toEqual(['Shop'])
    expect(await list('name=Shop&name=Blog')).toEqual(['Shop', 'Blog'])
    expect(await list('name=Shop,%20old')).toContain('Shop, old')
    expect(await list('tag=b&name=Blog')).toEqual(['Blog'])
    expect(await list('name=shop')).toEqual([])
    expect(await list('tag=&name=')).toHaveLength(3)
  })

  it('200: shows no secrets, and nothing of another account', async () => {
    await api.alice.post('/v2/check-groups', { name: 'secretive', environmentVariables: variables })
    const { body, text } = await api.alice.get('/v1/check-groups?name=secretive')
    expect(body[0].environmentVariables).toEqual(variablesRead)
    expect(text).not.toContain('a secret value')
    expect((await api.bob.get('/v1/check-groups?name=secretive')).body).toEqual([])
  })
})

describe('GET /v1/check-groups/{id}', () => {
  it('400: an id is a whole number', async () => {
    expect((await api.alice.get('/v1/check-groups/abc')).body.attributes).toEqual({ id: 'must be a number' })
  })

  it('404: another account sees nothing', async () => {
    const { body } = await api.alice.post('/v2/check-groups', { name: 'g' })
    expect((await api.bob.get(`/v1/check-groups/${body.id}`)).status).toBe(404)
  })
})

for (const version of ['v1', 'v2'] as const) {
  describe(`GET /${version}/check-groups/{id}/checks`, () => {
    it('200: pages through the checks of the group, with its settings merged in', async () => {
      const owner = await api.newAccount()
      const { body: group } = await owner.post('/v2/check-groups', { ...enforcing })
      for (let index = 0; index < 3; index++) await newCheck(owner, { name: `c${index}`, groupId: group.id })
      await newCheck(owner, { name: 'elsewhere' })
      const { status, body, headers } = await owner.get(`/${version}/check-groups/${group.id}/checks?limit=2`)
      expect(status).toBe(200)
      expect(headers.get('content-range')).toBe('items 0-1/3')
      expect(names(body)).toEqual(['c2', 'c1'])
      expect(body[0]).toMatchObject({ groupId: group.id, ...effective })
    })

    it('404: another account sees nothing', async () => {
      const { body } = await api.alice.post('/v2/check-groups', { name: 'g' })
      expect((await api.bob.get(`/${version}/check-groups/${body.id}/checks`)).status).toBe(404)
    })
  })

  describe(`GET /${version}/check-groups/{groupId}/checks/{checkId}`, () => {
    it('200: reads a check with the settings of its group merged in', async () => {
      const owner = await api.newAccount()
      const channel = await newChannel(owner)
      const { body: group } = await owner.post('/v2/check-groups', enforcing)
      const id = await newCheck(owner, { groupId: group.id, alertChannelSubscriptions: [] })
      const { status, body } = await owner.get(`/${version}/check-groups/${group.id}/checks/${id}`)
      expect(status).toBe(200)
      expect(body).toMatchObject({
        id,
        ...effective,
        alertChannelSubscriptions: [{ alertChannelId: channel, activated: true }],
      })
      expect(body).toEqual((await owner.get(`/v1/checks/${id}?applyGroupSettings=true`)).body)
    })

    it('200: what the group does not enforce stays as it is', async () => {
      const { body: group } = await api.alice.post('/v2/check-groups', { name: 'g' })
      const id = await newCheck(api.alice, { groupId: group.id })
      const { body } = await api.alice.get(`/${version}/check-groups/${group.id}/checks/${id}`)
      expect(body).toEqual((await api.alice.get(`/v1/checks/${id}`)).body)
    })

    it('404: a check of another group, without a group, or of another account', async () => {
      const { body: group } = await api.alice.post('/v2/check-groups', { name: 'g' })
      const { body: other } = await api.alice.post('/v2/check-groups', { name: 'h' })
      const id = await newCheck(api.alice, { groupId: group.id })
      const loose = await newCheck(api.alice)
      expect((await api.alice.get(`/${version}/check-groups/${other.id}/checks/${id}`)).status).toBe(404)
      expect((await api.alice.get(`/${version}/check-groups/${group.id}/checks/${loose}`)).status).toBe(404)
      expect((await api.bob.get(`/${version}/check-groups/${group.id}/checks/${id}`)).status).toBe(404)
    })
  })
}

describe('access to locked values', () => {
  it('200: a key that may only read or run sees them masked, also in the checks of the group', async () => {
    const { body: group } = await api.alice.post('/v2/check-groups', {
      ...full,
      environmentVariables: variables,
    })
    const id = await newCheck(api.alice, { groupId: group.id })
    for (const role of ['READ_ONLY', 'READ_RUN'] as const) {
      const reader = await api.as(role)
      const read = await reader.get(`/v1/check-groups/${group.id}`)
      expect(read.body.environmentVariables).toEqual([
        variables[0],
        { ...variables[1], value: '***' },
        { ...variables[2], value: null },
      ])
      const member = await reader.get(`/v1/check-groups/${group.id}/checks/${id}`)
      const effectiveCheck = await reader.get(`/v1/checks/${id}?applyGroupSettings=true`)
      expect(member.body.request.basicAuth).toEqual({ username: 'ann', password: '***' })
      for (const { text } of [read, member, effectiveCheck]) {
        expect(text).not.toMatch(
          /a locked header|a locked parameter|a basic password|a locked value|a secret value/,
        )
      }
    }
  })
})

describe('DELETE /v1/check-groups/{id}', () => {
  it('204: removes it with its subscriptions and trigger; a second time is 404', async () => {
    const owner = await api.newAccount()
    await newChannel(owner)
    const { body } = await owner.post('/v2/check-groups', { name: 'g' })
    await owner.post(`/v1/triggers/check-groups/${body.id}`)
    expect((await owner.delete(`/v1/check-groups/${body.id}`)).status).toBe(204)
    expect((await owner.delete(`/v1/check-groups/${body.id}`)).status).toBe(404)
  })

  it('409: refused while it contains checks', async () => {
    const { body } = await api.alice.post('/v2/check-groups', { name: 'g' })
    const checkId = await newCheck(api.alice, { groupId: body.id })
    const refused = await api.alice.delete(`/v1/check-groups/${body.id}`)
    expect(refused.status).toBe(409)
    await api.alice.delete(`/v1/checks/${checkId}`)
    expect((await api.alice.delete(`/v1/check-groups/${body.id}`)).status).toBe(204)
  })

  it('403: a key that may only run deletes nothing', async () => {
    const { body } = await api.alice.post('/v2/check-groups', { name: 'g' })
    expect((await (await api.as('READ_RUN')).delete(`/v1/check-groups/${body.id}`)).status).toBe(403)
  })

  it('404: another account deletes nothing', async () => {
    const { body } = await api.alice.post('/v2/check-groups', { name: 'g' })
    expect((await api.bob.delete(`/v1/check-groups/${body.id}`)).status).toBe(404)
  })
})

const enforcing = {
  name: 'g',
  muted: true,
  tags: ['of the group'],
  locations: ['eu-west-1'],
  runParallel: true,
  runtimeId: '2025.04',
  retryStrategy: { type: 'LINEAR' },
  useGlobalAlertSettings: true,
  apiCheckDefaults: {
    headers: [{ key: 'x-from', value: 'the group' }],
    assertions: [{ source: 'STATUS_CODE', comparison: 'LESS_THAN', target: '400' }],
    basicAuth: { username: 'ann', password: 'pw' },
  },
}
const effective = {
  activated: true,
  muted: true,
  tags: ['of the group'],
  locations: ['eu-west-1'],
  privateLocations: [],
  runParallel: true,
  runtimeId: '2025.04',
  retryStrategy: { type: 'LINEAR', maxRetries: 2 },
  useGlobalAlertSettings: true,
  request: {
    url: 'https://example.com',
    headers: [{ key: 'x-from', value: 'the group', locked: false }],
    assertions: [{ source: 'STATUS_CODE', comparison: 'LESS_THAN', target: '400' }],
    basicAuth: { username: 'ann', password: 'pw' },
  },
}

const defaults = {
  activated: true,
  muted: false,
  mutedUntil: null,
  tags: [],
  locations: [],
  privateLocations: [],
  concurrency: 3,
  apiCheckDefaults: { url: '', headers: [], queryParameters: [], assertions: [], basicAuth: null },
  browserCheckDefaults: '',
  environmentVariables: [],
  runtimeId: null,
  alertChannelSubscriptions: [],
  setupSnippetId: null,
  tearDownSnippetId: null,
  localSetupScript: null,
  localTearDownScript: null,
}

function names(groups: { name: string }[]): string[] {
  return groups.map(({ name }) => name)
}

function variableValues(): Record<string, string> {
  return Object.fromEntries(variables.map(({ key, value }) => [key, value]))
}

async function storedText(id: number): Promise<string> {
  const { rows } = await sql<{
    text: string
  }>`select check_groups::text as text from check_groups where id = ${id}`.execute(api.store.db)
  return rows[0]!.text
}

async function storedVariables(id: number): Promise<Record<string, string>> {
  const row = await api.store.db
    .selectFrom('check_groups')
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  const settings = unsealDeep(api.vault, row.account_id, row.settings) as {
    environmentVariables: typeof variables
  }
  return Object.fromEntries(settings.environmentVariables.map(({ key, value }) => [key, value]))
}

async function newSnippet(caller: Caller): Promise<number> {
  return (await caller.post('/v1/snippets', { name: 's', script: '' })).body.id
}

async function newPrivateLocation(caller: Caller): Promise<string> {
  const slug = `cellar-${randomUUID().slice(0, 8)}`
  const row = {
    id: randomUUID(),
    account_id: caller.accountId,
    name: 'Cellar',
    slug_name: slug,
    icon: 'location',
  }
  await api.store.db.insertInto('private_locations').values(row).execute()
  return slug
}

async function newChannel(caller: Caller): Promise<number> {
  const { body } = await caller.post('/v1/alert-channels', {
    type: 'EMAIL',
    config: { address: 'ann@example.com' },
  })
  return body.id
}

async function newCheck(caller: Caller, values: Record<string, unknown> = {}): Promise<string> {
  const request = { method: 'GET', url: 'https://example.com' }
  const { body } = await caller.post('/v1/checks/api', {
    name: 'c',
    locations: ['us-east-1'],
    request,
    ...values,
  })
  return body.id
}
