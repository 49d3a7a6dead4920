import { randomUUID } from 'node:crypto'
import { defaultAccountSettings, defaultAlertSettings } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertMembership } from '../../storage/accounts/users.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

describe('GET /v1/accounts', () => {
  it('200: lists every account the key reaches, without choosing one', async () => {
    const owner = await api.newAccount()
    const other = await api.newAccount()
    await insertMembership(api.store.db, {
      account_id: other.accountId,
      user_id: owner.userId!,
      role: 'READ_ONLY',
    })
    const { status, body } = await owner.get('/v1/accounts')
    expect(status).toBe(200)
    const ids = body.map(({ id }: { id: string }) => id)
    expect(ids.sort()).toEqual([owner.accountId, other.accountId].sort())
  })

  it('200: a service key sees its one account', async () => {
    const reader = await api.as('READ_ONLY')
    const { body } = await reader.get('/v1/accounts')
    expect(body).toHaveLength(1)
    expect(body[0].id).toBe(api.alice.accountId)
  })
})

describe('GET /v1/accounts/me and /v1/accounts/{accountId}', () => {
  it('200: both show the account with its plan, settings and alert settings', async () => {
    const { status, body } = await api.alice.get('/v1/accounts/me')
    expect(status).toBe(200)
    expect(body).toEqual({
      id: api.alice.accountId,
      name: 'An account',
      runtimeId: '2026.04',
      plan: 'self-hosted',
      planDisplayName: 'Self-hosted',
      addons: {
        communicate: { tier: 'team', tierDisplayName: 'Communicate Team' },
        resolve: { tier: 'team', tierDisplayName: 'Resolve Team' },
      },
      settings: defaultAccountSettings,
      alertSettings: defaultAlertSettings,
      features: [],
    })
    expect((await api.alice.get(`/v1/accounts/${api.alice.accountId}`)).body).toEqual(body)
    expect((await api.alice.get(`/v1/accounts/${api.alice.accountId.toUpperCase()}`)).body).toEqual(body)
  })

  it('200: the path chooses where the key reaches several accounts', async () => {
    const owner = await api.newAccount()
    const other = await api.newAccount('hobby')
    await insertMembership(api.store.db, {
      account_id: other.accountId,
      user_id: owner.userId!,
      role: 'READ_ONLY',
    })
    expect((await owner.get(`/v1/accounts/${other.accountId}`)).body).toMatchObject({
      plan: 'hobby',
      addons: { communicate: { tier: 'hobby' } },
    })
    expect((await owner.get('/v1/accounts/me')).status).toBe(400)
  })

  it("404: another's account, an unknown one and nonsense look the same", async () => {
    for (const id of [api.alice.accountId, randomUUID(), 'nonsense']) {
      const { status, body } = await api.bob.get(`/v1/accounts/${id}`)
      expect(status).toBe(404)
      expect(body.message).toBe('This account does not exist, or the key has no role in it.')
    }
    const chosen = await api.bob.send('GET', '/v1/accounts/me', undefined, {
      'x-service-account': api.alice.accountId,
    })
    expect(chosen.status).toBe(404)
  })
})

describe('PATCH /v1/accounts/{accountId} and /v1/accounts/me', () => {
  it('200: changes only what is sent, and merges settings by key', async () => {
    const owner = await api.newAccount()
    const path = `/v1/accounts/${owner.accountId}`
    const first = await owner.patch(path, { settings: { allowBadges: false, someday: 'kept' } })
    expect(first.status).toBe(200)
    expect(first.body).toMatchObject({
      name: 'An account',
      settings: { allowBadges: false, tracing: false, automaticRootCauseAnalysis: false, someday: 'kept' },
    })
    const alertSettings = { ...defaultAlertSettings, escalationType: 'TIME_BASED' }
    const changes = { name: 'Acme', runtimeId: '2025.04', settings: { tracing: true }, alertSettings }
    const second = await owner.patch('/v1/accounts/me', changes)
    expect(second.status).toBe(200)
    expect(second.body).toMatchObject({
      ...changes,
      settings: { allowBadges: false, tracing: true, automaticRootCauseAnalysis: false, someday: 'kept' },
    })
    expect((await owner.get(path)).body).toEqual(second.body)
    expect((await owner.patch(path, {})).body).toEqual(second.body)
  })

  it('200: two changes at the same time do not lose each other', async () => {
    const owner = await api.newAccount()
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    await Promise.all(names.map((name) => owner.patch('/v1/accounts/me', { settings: { [name]: true } })))
    expect(Object.keys((await owner.get('/v1/accounts/me')).body.settings)).toEqual(
      expect.arrayContaining(names),
    )
  })

  it('400: names every wrong field', async () => {
    const { status, body } = await api.alice.patch('/v1/accounts/me', {
      name: '',
      runtimeId: '1999.01',
      settings: { allowBadges: 'yes', other: {} },
      alertSettings: { escalationType: 'NEVER' },
    })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes).sort()).toEqual([
      'alertSettings.escalationType',
      'name',
      'runtimeId',
      'settings.allowBadges',
      'settings.other',
    ])
  })

  it('400: the number of settings is limited', async () => {
    const owner = await api.newAccount()
    const settings = Object.fromEntries(Array.from({ length: 99 }, (_, index) => [`s${index}`, true]))
    expect((await owner.patch('/v1/accounts/me', { settings })).status).toBe(400)
    expect((await owner.get('/v1/accounts/me')).body.settings).toEqual(defaultAccountSettings)
  })

  it('403: needs the role ADMIN, in the path as in the header', async () => {
    const writer = await api.as('READ_WRITE')
    expect((await writer.patch('/v1/accounts/me', { name: 'Mine' })).status).toBe(403)
    expect((await writer.patch(`/v1/accounts/${api.alice.accountId}`, { name: 'Mine' })).status).toBe(403)
    const admin = await api.as('ADMIN')
    expect((await admin.patch(`/v1/accounts/${api.alice.accountId}`, { name: 'An account' })).status).toBe(
      200,
    )
  })

  it("404: another's account does not change", async () => {
    expect((await api.bob.patch(`/v1/accounts/${api.alice.accountId}`, { name: 'Mine' })).status).toBe(404)
    expect((await api.alice.get('/v1/accounts/me')).body.name).toBe('An account')
  })
})

describe('GET /v1/accounts/{accountId}/entitlements and /v1/accounts/me/entitlements', () => {
  it('200: self-hosted accounts have all entitlements without limits', async () => {
    const { status, body } = await api.alice.get('/v1/accounts/me/entitlements')
    expect(status).toBe(200)
    expect(body).toMatchObject({ plan: 'self-hosted', planDisplayName: 'Self-hosted' })
    expect(body.locations.all).toHaveLength(22)
    expect(body.locations.all[0]).toEqual({ id: 'us-east-1', name: 'N. Virginia', available: true })
    expect(body.locations).not.toHaveProperty('maxPerCheck')
    expect(body.entitlements.length).toBeGreaterThan(10)
    for (const entry of body.entitlements) {
      expect(entry.enabled).toBe(true)
      expect(entry).not.toHaveProperty('quantity')
      expect(entry).not.toHaveProperty('requiredPlan')
    }
    expect((await api.alice.get(`/v1/accounts/${api.alice.accountId}/entitlements`)).body).toEqual(body)
  })

  it('200: a limited plan shows its quantities, and which plan has what it lacks', async () => {
    const owner = await api.newAccount('hobby')
    const { body } = await owner.get('/v1/accounts/me/entitlements')
    const entry = (key: string) => body.entitlements.find((one: { key: string }) => one.key === key)
    expect(body.locations.maxPerCheck).toBe(3)
    expect(entry('BROWSER_CHECKS')).toMatchObject({ type: 'metered', enabled: true, quantity: 10 })
    expect(entry('BROWSER_CHECKS')).not.toHaveProperty('requiredPlan')
    expect(entry('PRIVATE_LOCATIONS')).toMatchObject({ enabled: false, quantity: 0, requiredPlan: 'STARTER' })
    expect(entry('AGENTIC_CHECKS')).toMatchObject({
      type: 'flag',
      enabled: false,
      requiredPlan: 'TEAM',
      requiredPlanDisplayName: 'Team',
    })
    expect(entry('AGENTIC_CHECKS')).not.toHaveProperty('quantity')
    expect(entry('INCIDENT_AUTOMATION')).toMatchObject({
      requiredPlan: 'CONTRACT',
      requiredPlanDisplayName: 'Enterprise',
    })
  })

  it("404: another's account", async () => {
    expect((await api.bob.get(`/v1/accounts/${api.alice.accountId}/entitlements`)).status).toBe(404)
  })
})
