import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { insertTestCheck, insertTestGroup } from '../../testing/targets.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const email = { type: 'EMAIL', config: { address: 'a@example.com, b@example.com' } }
const webhook = {
  type: 'WEBHOOK',
  config: {
    name: 'Pager',
    url: 'https://hooks.example.com/T0/secret-link',
    method: 'PUT',
    template: '{"title": "{{ALERT_TITLE}}"}',
    headers: [{ key: 'authorization', value: 'secret-token', locked: true }],
    queryParameters: [{ key: 'token', value: 'secret-parameter', locked: false }],
    webhookSecret: 'secret-signature',
    webhookType: 'WEBHOOK_ROOTLY',
  },
}

describe('POST /v1/alert-channels', () => {
  it('201: returns the channel with its defaults', async () => {
    const { status, body } = await api.alice.post('/v1/alert-channels', email)
    expect(status).toBe(201)
    expect(body).toEqual({
      ...email,
      id: expect.any(Number),
      sendRecovery: true,
      sendFailure: true,
      sendDegraded: false,
      sslExpiry: false,
      sslExpiryThreshold: 30,
      autoSubscribe: false,
      subscriptions: [],
      health: { status: 'OK', since: null, error: null },
      created_at: expect.any(String),
      updated_at: null,
    })
    expect((await api.alice.get(`/v1/alert-channels/${body.id}`)).body).toEqual(body)
  })

  it.each([
    webhook,
    { type: 'WEBHOOK', config: { url: '{{HOOK_URL}}', webhookType: null, webhookSecret: '' } },
    { type: 'SLACK', config: { url: 'https://hooks.slack.com/services/x', channel: '#ops' } },
    { type: 'SLACK_APP', config: { slackChannels: ['#ops', '@dana'] } },
    { type: 'SMS', config: { name: 'Dana', number: '+14155550100' } },
    { type: 'CALL', config: { name: 'Dana', number: '+14155550100' } },
    { type: 'PAGERDUTY', config: { account: 'x', serviceName: 'web', serviceKey: 'k' } },
    { type: 'OPSGENIE', config: { name: 'web', apiKey: 'k', region: 'EU', priority: 'P1' } },
  ])('201: stores what was sent ($type)', async (channel) => {
    const { status, body } = await api.alice.post('/v1/alert-channels', channel)
    expect(status).toBe(201)
    expect((await api.alice.get(`/v1/alert-channels/${body.id}`)).body).toMatchObject(channel)
  })

  it('201: makes the subscriptions that are sent', async () => {
    const checkId = await insertTestCheck(api.store.db, api.alice.accountId)
    const groupId = await insertTestGroup(api.store.db, api.alice.accountId)
    const subscriptions = [
      { checkId, activated: false },
      { groupId, checkId: null, activated: true },
    ]
    const { status, body } = await api.alice.post('/v1/alert-channels', { ...email, subscriptions })
    expect(status).toBe(201)
    expect(body.subscriptions).toEqual([
      { id: expect.any(Number), checkId, groupId: null, activated: false },
      { id: expect.any(Number), checkId: null, groupId, activated: true },
    ])
  })

  it('400: names every wrong field', async () => {
    const { status, body } = await api.alice.post('/v1/alert-channels', {
      type: 'WEBHOOK',
      config: { url: 'ftp://example.com', method: 'OPTIONS', headers: [{ value: 'x' }] },
      sslExpiryThreshold: 31,
      sendFailure: 'yes',
      subscriptions: [{ activated: true }],
    })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes).sort()).toEqual([
      'config.headers.0.key',
      'config.method',
      'config.url',
      'sendFailure',
      'sslExpiryThreshold',
      'subscriptions.0',
    ])
  })

  it.each([{}, { type: 'FAX', config: {} }])('400: refuses %j, naming the type', async (body) => {
    const response = await api.alice.post('/v1/alert-channels', body)
    expect(response.status).toBe(400)
    expect(Object.keys(response.body.attributes)).toEqual(['type'])
  })

  it("400: a mask isn't a secret", async () => {
    const { status, body } = await api.alice.post('/v1/alert-channels', {
      type: 'SLACK',
      config: { url: '***' },
    })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes)).toEqual(['config.url'])
  })

  it('400: refuses subscriptions to another account, and creates no channel', async () => {
    const owner = await api.newAccount()
    const checkId = await insertTestCheck(api.store.db, api.bob.accountId)
    const { status, body } = await owner.post('/v1/alert-channels', {
      ...email,
      subscriptions: [{ checkId }],
    })
    expect(status).toBe(400)
    expect(body.attributes).toEqual({ 'subscriptions.0.checkId': 'does not exist' })
    expect((await owner.get('/v1/alert-channels')).body).toEqual([])
  })

  it.each([
    ['hobby', 'SMS', { number: '+14155550100' }, 402],
    ['hobby', 'CALL', { number: '+14155550100' }, 402],
    ['starter', 'SMS', { number: '+14155550100' }, 201],
    ['starter', 'PAGERDUTY', { serviceKey: 'k' }, 402],
    ['starter', 'OPSGENIE', { apiKey: 'k' }, 402],
    ['team', 'OPSGENIE', { apiKey: 'k' }, 201],
    ['hobby', 'EMAIL', { address: 'a@example.com' }, 201],
  ])('on the plan %s, a channel of type %s %j: %i', async (plan, type, config, expected) => {
    const owner = await api.newAccount(plan)
    expect((await owner.post('/v1/alert-channels', { type, config })).status).toBe(expected)
    const { body: channel } = await owner.post('/v1/alert-channels', email)
    const replaced = await owner.put(`/v1/alert-channels/${channel.id}`, { type, config })
    expect(replaced.status).toBe(expected === 201 ? 200 : 402)
  })

  it('403: a key that may only read creates nothing', async () => {
    expect((await (await api.as('READ_RUN')).post('/v1/alert-channels', email)).status).toBe(403)
  })

  it('stores no readable secret', async () => {
    const { body } = await api.alice.post('/v1/alert-channels', webhook)
    const { rows } = await api.store.pool.query('select config::text from alert_channels where id = $1', [
      body.id,
    ])
    expect(rows[0].config).not.toContain('secret')
    expect(rows[0].config).toContain('ALERT_TITLE')
  })
})

describe('GET /v1/alert-channels', () => {
  it('200: pages, each channel with its own subscriptions', async () => {
    const owner = await api.newAccount()
    const groupId = await insertTestGroup(api.store.db, owner.accountId)
    for (let index = 0; index < 3; index++) {
      const config = { address: `a${index}@example.com` }
      const subscriptions = index === 1 ? [{ groupId, activated: true }] : []
      await owner.post('/v1/alert-channels', { type: 'EMAIL', config, subscriptions })
    }
    const { status, body, headers } = await owner.get('/v1/alert-channels?limit=2')
    expect(status).toBe(200)
    expect(body).toMatchObject([
      { config: { address: 'a0@example.com' }, subscriptions: [] },
      { config: { address: 'a1@example.com' }, subscriptions: [{ groupId, checkId: null }] },
    ])
    expect(headers.get('content-range')).toBe('items 0-1/3')
  })

  it.each(['READ_ONLY', 'READ_RUN'] as const)('200: %s keys see masked secrets', async (role) => {
    const { body: created } = await api.alice.post('/v1/alert-channels', webhook)
    const reader = await api.as(role)
    const { status, body, text } = await reader.get(`/v1/alert-channels/${created.id}`)
    expect(status).toBe(200)
    expect(text).not.toContain('secret')
    expect(body.config).toMatchObject({
      name: 'Pager',
      url: '***',
      headers: [{ key: 'authorization', value: '***', locked: true }],
      queryParameters: [{ key: 'token', value: '***' }],
      webhookSecret: '***',
    })
    expect((await reader.get('/v1/alert-channels?limit=100')).text).not.toContain('secret-')
  })

  it('404: another account sees nothing', async () => {
    const { body } = await api.alice.post('/v1/alert-channels', email)
    expect((await api.bob.get(`/v1/alert-channels/${body.id}`)).status).toBe(404)
    expect((await api.bob.get('/v1/alert-channels')).body).toEqual([])
  })
})

describe('PUT /v1/alert-channels/{id}', () => {
  it('200: replaces type, config and switches; subscriptions that are not sent stay', async () => {
    const groupId = await insertTestGroup(api.store.db, api.alice.accountId)
    const { body: created } = await api.alice.post('/v1/alert-channels', {
      ...webhook,
      sendRecovery: false,
      sslExpiryThreshold: 7,
      subscriptions: [{ groupId }],
    })
    const { status, body } = await api.alice.put(`/v1/alert-channels/${created.id}`, {
      ...email,
      autoSubscribe: true,
    })
    expect(status).toBe(200)
    expect(body).toEqual({
      ...created,
      ...email,
      sendRecovery: true,
      sslExpiryThreshold: 30,
      autoSubscribe: true,
      updated_at: expect.any(String),
    })
  })

  it('200: subscriptions that are sent replace the set', async () => {
    const groupId = await insertTestGroup(api.store.db, api.alice.accountId)
    const checkId = await insertTestCheck(api.store.db, api.alice.accountId)
    const { body: created } = await api.alice.post('/v1/alert-channels', {
      ...email,
      subscriptions: [{ groupId }],
    })
    const path = `/v1/alert-channels/${created.id}`
    const replaced = await api.alice.put(path, { ...email, subscriptions: [{ checkId, activated: false }] })
    expect(replaced.body.subscriptions).toMatchObject([{ checkId, groupId: null, activated: false }])
    expect((await api.alice.put(path, { ...email, subscriptions: [] })).body.subscriptions).toEqual([])
  })

  it('200: a secret sent back masked stays as it is, also when a list was reordered', async () => {
    const headers = [
      { key: 'a', value: 'secret-a', locked: false },
      { key: 'b', value: 'secret-b', locked: false },
    ]
    const { body: created } = await api.alice.post('/v1/alert-channels', {
      ...webhook,
      config: { ...webhook.config, headers },
    })
    const reader = await api.as('READ_ONLY')
    const { config } = (await reader.get(`/v1/alert-channels/${created.id}`)).body
    const changed = {
      ...config,
      name: 'Renamed',
      headers: [config.headers[1], { key: 'c', value: 'new', locked: false }, config.headers[0]],
    }
    const { status, body } = await api.alice.put(`/v1/alert-channels/${created.id}`, {
      type: 'WEBHOOK',
      config: changed,
    })
    expect(status).toBe(200)
    expect(body.config).toEqual({
      ...webhook.config,
      name: 'Renamed',
      headers: [headers[1], { key: 'c', value: 'new', locked: false }, headers[0]],
    })
    expect((await api.alice.get(`/v1/alert-channels/${created.id}`)).body.config).toEqual(body.config)
  })

  it('400: a mask with nothing stored behind it', async () => {
    const { body: created } = await api.alice.post('/v1/alert-channels', email)
    const config = { url: '***', headers: [{ key: 'x', value: '***' }] }
    const { status, body } = await api.alice.put(`/v1/alert-channels/${created.id}`, {
      type: 'WEBHOOK',
      config,
    })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes).sort()).toEqual(['config.headers.0.value', 'config.url'])
  })

  it('400: type and config are required', async () => {
    const { body: created } = await api.alice.post('/v1/alert-channels', email)
    const path = `/v1/alert-channels/${created.id}`
    expect((await api.alice.put(path, { sendFailure: false })).body.attributes).toHaveProperty('type')
    expect((await api.alice.put(path, { type: 'EMAIL' })).body.attributes).toEqual({ config: 'is required' })
  })

  it('403: a key that may only read changes nothing', async () => {
    const { body } = await api.alice.post('/v1/alert-channels', email)
    expect((await (await api.as('READ_ONLY')).put(`/v1/alert-channels/${body.id}`, email)).status).toBe(403)
  })

  it('404: another account changes nothing', async () => {
    const { body } = await api.alice.post('/v1/alert-channels', email)
    expect((await api.bob.put(`/v1/alert-channels/${body.id}`, webhook)).status).toBe(404)
    expect((await api.alice.get(`/v1/alert-channels/${body.id}`)).body).toEqual(body)
  })
})

describe('PUT /v1/alert-channels/{id}/subscriptions', () => {
  it('200: adds one, then toggles it', async () => {
    const { body: channel } = await api.alice.post('/v1/alert-channels', email)
    const checkId = await insertTestCheck(api.store.db, api.alice.accountId)
    const path = `/v1/alert-channels/${channel.id}/subscriptions`
    const added = await api.alice.put(path, { checkId, activated: true })
    expect(added).toMatchObject({ status: 200, body: { checkId, groupId: null, activated: true } })
    const toggled = await api.alice.put(path, { checkId, groupId: null, activated: false })
    expect(toggled.body).toEqual({ ...added.body, activated: false })
    const { body } = await api.alice.get(`/v1/alert-channels/${channel.id}`)
    expect(body.subscriptions).toEqual([toggled.body])
  })

  it('200: several at once for one target leave one subscription', async () => {
    const { body: channel } = await api.alice.post('/v1/alert-channels', email)
    const groupId = await insertTestGroup(api.store.db, api.alice.accountId)
    const path = `/v1/alert-channels/${channel.id}/subscriptions`
    const responses = await Promise.all(
      [true, false, true, false].map((activated) => api.alice.put(path, { groupId, activated })),
    )
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect((await api.alice.get(`/v1/alert-channels/${channel.id}`)).body.subscriptions).toHaveLength(1)
  })

  it.each([
    { activated: true },
    { checkId: '6a1c3f0e-8f0b-4b58-9d5e-0d6cf3d1a111', groupId: 1, activated: true },
  ])('400: %j names not exactly one target', async (body) => {
    const { body: channel } = await api.alice.post('/v1/alert-channels', email)
    expect((await api.alice.put(`/v1/alert-channels/${channel.id}/subscriptions`, body)).status).toBe(400)
  })

  it('403: a key that may only read subscribes nothing', async () => {
    const { body: channel } = await api.alice.post('/v1/alert-channels', email)
    const reader = await api.as('READ_ONLY')
    const path = `/v1/alert-channels/${channel.id}/subscriptions`
    expect((await reader.put(path, { groupId: 1, activated: true })).status).toBe(403)
  })

  it('404: a target of another account, an unknown one, and the channel of another account', async () => {
    const { body: channel } = await api.alice.post('/v1/alert-channels', email)
    const path = `/v1/alert-channels/${channel.id}/subscriptions`
    const foreign = await insertTestCheck(api.store.db, api.bob.accountId)
    expect((await api.alice.put(path, { checkId: foreign, activated: true })).status).toBe(404)
    expect((await api.alice.put(path, { groupId: 2_147_483_647, activated: true })).status).toBe(404)
    expect((await api.bob.put(path, { checkId: foreign, activated: true })).status).toBe(404)
  })
})

describe('GET /v1/alert-channels/{id}/subscribers, DELETE …/subscriptions/{subscriptionId}', () => {
  it('200: groups, then checks, by name; 204: one is removed', async () => {
    const { accountId } = api.alice
    const id = (await api.alice.post('/v1/alert-channels', email)).body.id
    const checkId = await insertTestCheck(api.store.db, accountId)
    const groupId = await insertTestGroup(api.store.db, accountId)
    const path = `/v1/alert-channels/${id}/subscriptions`
    await api.alice.put(path, { checkId })
    await api.alice.put(path, { groupId })
    const list = `/v1/alert-channels/${id}/subscribers`
    const { status, body } = await api.alice.get(list)
    expect(status).toBe(200)
    expect(body).toMatchObject([
      { groupId, checkId: null, name: expect.any(String), activated: true },
      { groupId: null, checkId, name: expect.any(String), activated: true },
    ])
    expect((await api.alice.get(`${list}?query=nothing-like-it`)).body).toEqual([])
    expect((await api.bob.get(list)).status).toBe(404)
    const one = `${path}/${body[0].id}`
    expect((await api.bob.delete(one)).status).toBe(404)
    expect((await (await api.as('READ_ONLY')).delete(one)).status).toBe(403)
    expect((await api.alice.delete(one)).status).toBe(204)
    expect((await api.alice.delete(one)).status).toBe(404)
    expect((await api.alice.get(list)).body).toHaveLength(1)
  })
})

describe('GET /v1/alert-channels/{id}/dependents', () => {
  it('200: the checks that no other channel would notify', async () => {
    const owner = await api.newAccount()
    const make = async (path: string, part: object) => {
      const { status, body, text } = await owner.post(path, part)
      expect(status, text).toBe(201)
      return body.id
    }
    const only = await make('/v1/alert-channels', email)
    const other = await make('/v1/alert-channels', email)
    const subscribe = (alertChannelId: number) => [{ alertChannelId, activated: true }]
    const group = (part: object) => make('/v1/check-groups', { name: 'G', ...part })
    const check = (name: string, part: object) =>
      make('/v1/checks/url', {
        ...{ name, locations: ['eu-west-1'], request: { url: 'https://example.com' } },
        ...part,
      })
    const none = { alertChannelSubscriptions: [] }
    await check('alone', { alertChannelSubscriptions: subscribe(only) })
    await check('both', {
      alertChannelSubscriptions: [...subscribe(only), ...subscribe(other)],
    })
    await check('turned off', {
      alertChannelSubscriptions: [...subscribe(only), { alertChannelId: other, activated: false }],
    })
    await check('by its group', {
      ...none,
      groupId: await group({ alertChannelSubscriptions: subscribe(only) }),
    })
    // The group decides, and is subscribed by another channel only.
    await check('overruled', {
      alertChannelSubscriptions: subscribe(only),
      groupId: await group({
        alertChannelSubscriptions: subscribe(other),
        useGlobalAlertSettings: true,
      }),
    })
    const { status, body } = await owner.get(`/v1/alert-channels/${only}/dependents`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ checks: 4, onlyHere: 3 })
    expect(body.onlyHereChecks.map(({ name }: { name: string }) => name)).toEqual([
      'alone',
      'by its group',
      'turned off',
    ])
    expect((await api.bob.get(`/v1/alert-channels/${only}/dependents`)).status).toBe(404)
  })
})

describe('DELETE /v1/alert-channels/{id}', () => {
  it('204: removes it with its subscriptions; a second time is 404', async () => {
    const groupId = await insertTestGroup(api.store.db, api.alice.accountId)
    const { body } = await api.alice.post('/v1/alert-channels', { ...email, subscriptions: [{ groupId }] })
    expect((await api.alice.delete(`/v1/alert-channels/${body.id}`)).status).toBe(204)
    expect((await api.alice.delete(`/v1/alert-channels/${body.id}`)).status).toBe(404)
  })

  it('404: another account deletes nothing; 403: nor does a key that may only read', async () => {
    const { body } = await api.alice.post('/v1/alert-channels', email)
    expect((await api.bob.delete(`/v1/alert-channels/${body.id}`)).status).toBe(404)
    expect((await (await api.as('READ_RUN')).delete(`/v1/alert-channels/${body.id}`)).status).toBe(403)
    expect((await api.alice.get(`/v1/alert-channels/${body.id}`)).status).toBe(200)
  })
})
