import { checkTypes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

async function channel(caller: Caller, type: string, config: object, changes: object = {}): Promise<number> {
  const response = await caller.post('/v1/alert-channels', { type, config, ...changes })
  expect(response).toMatchObject({ status: 201 })
  return response.body.id
}

const email = (caller: Caller, address: string, changes: object = {}) =>
  channel(caller, 'EMAIL', { address }, changes)

async function create(caller: Caller, changes: object = {}, query = '') {
  const response = await caller.post(`/v1/checks/url${query}`, { ...checkTypes.URL.example, ...changes })
  expect(response).toMatchObject({ status: 201 })
  return response.body
}

describe('subscriptions of a check', () => {
  it('201: all channels by default, or only those that subscribe by themselves', async () => {
    const owner = await api.newAccount()
    const quiet = await email(owner, 'quiet@example.com')
    const eager = await email(owner, 'eager@example.com', { autoSubscribe: true })
    expect((await create(owner)).alertChannelSubscriptions).toEqual([
      { alertChannelId: quiet, activated: true },
      { alertChannelId: eager, activated: true },
    ])
    const picky = await create(owner, {}, '?autoAssignAlerts=false')
    expect(picky.alertChannelSubscriptions).toEqual([{ alertChannelId: eager, activated: true }])
  })

  it('201, 200: explicit subscriptions win, and an update sets exactly what it sends', async () => {
    const owner = await api.newAccount()
    const first = await email(owner, 'first@example.com')
    const second = await email(owner, 'second@example.com')
    const named = { alertChannelSubscriptions: [{ alertChannelId: first, activated: false }] }
    expect((await create(owner, named)).alertChannelSubscriptions).toEqual(named.alertChannelSubscriptions)
    expect((await create(owner, { alertChannelSubscriptions: [] })).alertChannelSubscriptions).toEqual([])
    const check = await create(owner, named, '?autoAssignAlerts=true')
    expect(check.alertChannelSubscriptions).toEqual([
      { alertChannelId: first, activated: false },
      { alertChannelId: second, activated: true },
    ])
    const eager = await email(owner, 'eager@example.com', { autoSubscribe: true })
    expect((await create(owner, named)).alertChannelSubscriptions).toEqual([
      { alertChannelId: first, activated: false },
      { alertChannelId: eager, activated: true },
    ])
    const path = `/v1/checks/url/${check.id}`
    expect((await owner.put(path, { name: 'same' })).body.alertChannelSubscriptions).toHaveLength(2)
    const only = [{ alertChannelId: first, activated: true }]
    expect(
      (await owner.put(path, { alertChannelSubscriptions: only })).body.alertChannelSubscriptions,
    ).toEqual(only)
    expect((await owner.put(path, { alertChannelSubscriptions: [] })).body.alertChannelSubscriptions).toEqual(
      [],
    )
  })

  it('400: a channel of another account, or one named twice, is refused', async () => {
    const theirs = await email(api.bob, 'bob@example.com')
    const check = await create(api.alice)
    const path = `/v1/checks/url/${check.id}`
    const foreign = await api.alice.put(path, {
      alertChannelSubscriptions: [{ alertChannelId: theirs, activated: true }],
    })
    expect(foreign.status).toBe(400)
    expect(Object.keys(foreign.body.attributes)).toEqual(['alertChannelSubscriptions.0.alertChannelId'])
    const mine = await email(api.alice, 'alice@example.com')
    const entry = { alertChannelId: mine, activated: true }
    const twice = await api.alice.put(path, { alertChannelSubscriptions: [entry, entry] })
    expect(twice.body.attributes).toEqual({ 'alertChannelSubscriptions.1.alertChannelId': 'must be unique' })
  })

  it('200: the old summary names the active channels of four kinds', async () => {
    const owner = await api.newAccount()
    await email(owner, 'oncall@example.com')
    await channel(owner, 'SMS', { name: 'On call', number: '+14155550100' })
    await channel(owner, 'SLACK', { url: 'https://hooks.slack.com/services/x' })
    const hook = {
      name: 'Hook',
      url: 'https://hooks.example.com/a',
      method: 'PUT',
      headers: [{ key: 'x-key', value: 'hidden', locked: true }],
    }
    await channel(owner, 'WEBHOOK', hook)
    const silent = await email(owner, 'silent@example.com')
    const alertChannelSubscriptions = [{ alertChannelId: silent, activated: false }]
    const check = await create(owner, { alertChannelSubscriptions }, '?autoAssignAlerts=true')
    expect(check.alertChannels).toEqual({
      email: [{ address: 'oncall@example.com' }],
      sms: [{ name: 'On call', number: '+14155550100' }],
      slack: [{ url: 'https://hooks.slack.com/services/x' }],
      webhook: [{ ...hook, queryParameters: [] }],
    })
    expect((await owner.get('/v1/checks')).body).toEqual([check])
  })

  it("200: readers don't see secrets of channels in it", async () => {
    await channel(api.alice, 'SLACK', { url: 'https://hooks.slack.com/services/secret' })
    const check = await create(api.alice)
    const reader = await api.as('READ_ONLY')
    const { text, body } = await reader.get(`/v1/checks/${check.id}`)
    expect(body.alertChannels.slack).toEqual([{ url: '***' }])
    expect(text).not.toContain('services/secret')
  })

  it('204: deleting the check deletes its subscriptions', async () => {
    const owner = await api.newAccount()
    await email(owner, 'oncall@example.com')
    const { id } = await create(owner)
    expect((await owner.delete(`/v1/checks/${id}`)).status).toBe(204)
    const left = await api.store.db
      .selectFrom('alert_channel_subscriptions')
      .select('id')
      .where('account_id', '=', owner.accountId)
      .execute()
    expect(left).toEqual([])
  })
})
