import { defaultAlertSettings } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { inTransaction } from '../core/transaction.ts'
import { readAlertPolicies } from './alert-policies.ts'
import { readCheckFacts } from './check-facts.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
  const account = await api.store.pool.query('update accounts set alert_settings = $2 where id = $1', [
    api.alice.accountId,
    JSON.stringify(threshold(5)),
  ])
  expect(account.rowCount).toBe(1)
})
afterAll(() => api.close())

const threshold = (failedRunThreshold: 1 | 2 | 3 | 4 | 5) => ({
  ...defaultAlertSettings,
  runBasedEscalation: { failedRunThreshold },
})

async function group(settings: Record<string, unknown>): Promise<number> {
  const created = await api.alice.post('/v2/check-groups', { name: 'A group', ...settings })
  expect(created.status, created.text).toBe(201)
  return created.body.id
}

async function policyOf(settings: Record<string, unknown>) {
  const created = await api.alice.post('/v1/checks/url', {
    name: 'A check',
    locations: ['eu-west-1'],
    activated: false,
    request: { method: 'GET', url: 'http://127.0.0.1/' },
    ...settings,
  })
  expect(created.status, created.text).toBe(201)
  const policies = await inTransaction(api.store.pool, (client) =>
    readAlertPolicies(client, [created.body.id], Date.now()),
  )
  const policy = policies.get(created.body.id)
  if (policy === undefined) throw new Error('The check has no policy')
  return policy
}

const own = { useGlobalAlertSettings: false, alertSettings: threshold(2) }
const global = { useGlobalAlertSettings: true, alertSettings: threshold(2) }

describe('which alert settings apply', () => {
  it.each([
    ['the account’s, by default', {}, null, 5],
    ['the account’s, where the check asks for them', global, null, 5],
    ['the check’s own', own, null, 2],
    ['the check’s own, in a group that enforces none', own, {}, 2],
    ['the account’s, in a group that enforces none', global, {}, 5],
    [
      'the group’s, over the check’s own',
      own,
      { alertSettings: threshold(3), useGlobalAlertSettings: false },
      3,
    ],
    [
      'the group’s, over the account’s',
      global,
      { alertSettings: threshold(3), useGlobalAlertSettings: false },
      3,
    ],
    [
      'the account’s, where the group asks for them',
      own,
      { alertSettings: null, useGlobalAlertSettings: true },
      5,
    ],
    [
      'the account’s, where the group has its own and asks for them',
      own,
      { alertSettings: threshold(3), useGlobalAlertSettings: true },
      5,
    ],
  ])('%s', async (_, check, groupSettings, expected) => {
    const groupId = groupSettings === null ? null : await group(groupSettings)
    const policy = await policyOf({ ...check, groupId })
    expect(policy.settings.runBasedEscalation.failedRunThreshold).toBe(expected)
    const isEnforced = groupSettings !== null && Object.keys(groupSettings).length > 0
    expect(policy.isEnforced).toBe(isEnforced)
  })
})

describe('muted and inactive checks', () => {
  it.each([
    [{ muted: false }, {}, false],
    [{ muted: true }, {}, true],
    [{ muted: false }, { muted: true }, true],
    [{ muted: true }, { muted: true }, true],
  ])('check %j in group %j: %s', async (check, groupSettings, isMuted) => {
    const policy = await policyOf({ ...check, groupId: await group(groupSettings) })
    expect(policy.isMuted).toBe(isMuted)
  })

  it.each([
    [{ activated: true }, { activated: true }, true],
    [{ activated: false }, { activated: true }, false],
    [{ activated: true }, { activated: false }, false],
  ])('check %j in group %j: active %s', async (check, groupSettings, isActive) => {
    const policy = await policyOf({ ...check, groupId: await group(groupSettings) })
    expect(policy.isActive).toBe(isActive)
  })
})

it('names the account, the group and the tags of both', async () => {
  const groupId = await group({ name: 'Web', tags: ['team:web'] })
  const { checkId, ...policy } = await policyOf({ groupId, tags: ['shop'], description: 'Sells' })
  expect(policy).toMatchObject({
    accountId: api.alice.accountId,
    name: 'A check',
    checkType: 'URL',
    triggerIncident: null,
    isAnalyzed: false,
  })
  const facts = await inTransaction(api.store.pool, (client) => readCheckFacts(client, [checkId]))
  const { rows } = await api.store.pool.query<{ name: string }>('select name from accounts where id = $1', [
    api.alice.accountId,
  ])
  expect(facts.get(checkId)).toEqual({
    checkId,
    isEnforced: false,
    facts: {
      accountName: rows[0]?.name,
      description: 'Sells',
      tags: ['shop', 'team:web'],
      groupId,
      groupName: 'Web',
    },
  })
})
