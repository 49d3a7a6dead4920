import { checkTypes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  insertAlert,
  insertNotification,
  type SomeAlert,
  type SomeNotification,
} from '../../testing/alerts.ts'
import { type Caller, startTestApi, type TestApi } from '../../testing/api.ts'

const path = '/v1/alert-history'
const now = Date.UTC(2026, 10, 15, 12)
const minute = 60_000

let api: TestApi
let owner: Caller
let checkId: string
let channelId: number
let failure: string
let held: string
let recovery: string

beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
  owner = await api.newAccount()
  checkId = (await owner.post('/v1/checks/api', { ...checkTypes.API.example, name: 'Shop' })).body.id
  const email = { type: 'EMAIL', config: { address: 'a@example.com' } }
  channelId = (await owner.post('/v1/alert-channels', email)).body.id
  const of = { account_id: owner.accountId, check_id: checkId }
  const alert = (at: number, part: Partial<SomeAlert> = {}) =>
    insertAlert(api.store.db, { ...of, name: 'Shop', at, ...part })
  const notify = (at: number, part: Partial<SomeNotification>) =>
    insertNotification(api.store.db, { ...of, alert_channel_id: channelId, at, ...part })
  held = await alert(now - 30 * minute, { kind: null, alert_type: 'NO_ALERT', held_by: 'muted' })
  failure = await alert(now - 20 * minute)
  recovery = await alert(now - 10 * minute, { kind: 'recovery', alert_type: 'ALERT_RECOVERY' })
  await notify(now - 20 * minute, {
    check_alert_id: failure,
    status: 'FAILURE',
    attempts: 3,
    notification_result: 'no such user',
  })
  await notify(now - 15 * minute, { check_alert_id: failure, is_reminder: true })
})
afterAll(() => api.close())

const idsOf = async (query: string, caller = owner) => {
  const { status, body, text } = await caller.get(`${path}?${query}`)
  expect(status, text).toBe(200)
  return body.entries.map(({ id }: { id: string }) => id)
}

describe('GET /v1/alert-history', () => {
  it('200: alerts with their deliveries, and why nobody was notified', async () => {
    const { body } = await owner.get(path)
    expect(body.entries.map(({ id }: { id: string }) => id)).toEqual([recovery, failure, held])
    expect(body.nextId).toBeNull()
    const [, sent, silent] = body.entries
    expect(sent).toMatchObject({
      checkId,
      name: 'Shop',
      alertType: 'ALERT_FAILURE',
      heldBy: null,
      isPending: false,
      deliveries: [
        {
          alertChannelId: channelId,
          status: 'FAILURE',
          attempts: 3,
          response: 'no such user',
          kind: 'failure',
        },
        { alertChannelId: channelId, status: 'SUCCESS', isReminder: true },
      ],
    })
    expect(silent).toMatchObject({ alertType: 'NO_ALERT', heldBy: 'muted', deliveries: [] })
  })

  it('200: filtered', async () => {
    expect(await idsOf('kind=held')).toEqual([held])
    expect(await idsOf('kind=recovery')).toEqual([recovery])
    expect(await idsOf('heldBy=maintenance')).toEqual([])
    expect(await idsOf('status=FAILURE')).toEqual([failure])
    expect(await idsOf('status=RATE_LIMITED')).toEqual([])
    expect(await idsOf(`alertChannelId=${channelId}`)).toEqual([failure])
    expect(await idsOf(`checkId=${checkId}&kind=failure`)).toEqual([failure])
    const seconds = (at: number) => Math.floor(at / 1000)
    expect(await idsOf(`from=${seconds(now - 20 * minute)}&to=${seconds(now - 10 * minute)}`)).toEqual([
      failure,
    ])
  })

  it('200: in pages', async () => {
    const first = (await owner.get(`${path}?limit=2`)).body
    expect(first.entries).toHaveLength(2)
    expect(await idsOf(`limit=2&nextId=${first.nextId}`)).toEqual([held])
  })

  it('200: nothing of another account', async () => {
    expect(await idsOf(`checkId=${checkId}`, api.bob)).toEqual([])
    expect(await idsOf(`alertChannelId=${channelId}`, api.bob)).toEqual([])
  })

  it('400: a cursor, a kind and an id that are none', async () => {
    const { status, body } = await owner.get(`${path}?kind=loud&checkId=x`)
    expect([status, Object.keys(body.attributes).sort()]).toEqual([400, ['checkId', 'kind']])
    expect((await owner.get(`${path}?nextId=x`)).status).toBe(400)
  })
})

describe('GET /v1/alert-history/deliveries', () => {
  it('200: each message with its attempts', async () => {
    const { body } = await owner.get(`${path}/deliveries`)
    expect(body.entries).toMatchObject([
      { checkId, checkName: 'Shop', isReminder: true, status: 'SUCCESS', attempts: 1, locationAlarmId: null },
      { checkId, checkName: 'Shop', isReminder: false, status: 'FAILURE', attempts: 3 },
    ])
    const failed = (await owner.get(`${path}/deliveries?status=FAILURE&alertChannelId=${channelId}`)).body
    expect(failed.entries).toHaveLength(1)
    const next = (await owner.get(`${path}/deliveries?limit=1`)).body.nextId
    const second = (await owner.get(`${path}/deliveries?limit=1&nextId=${next}`)).body
    expect(second.entries.map(({ status }: { status: string }) => status)).toEqual(['FAILURE'])
  })

  it('200: nothing of another account', async () => {
    const { body } = await api.bob.get(`${path}/deliveries?alertChannelId=${channelId}`)
    expect(body.entries).toEqual([])
  })
})
