import { randomUUID } from 'node:crypto'
import { checkTypes, notificationStatuses } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deleteAccount } from '../../storage/accounts/installation.ts'
import { insertNotifications } from '../../storage/alerts/alert-writes.ts'
import { inTransaction } from '../../storage/core/transaction.ts'
import { insertNotification, type SomeNotification } from '../../testing/alerts.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'

const now = Date.UTC(2026, 10, 15, 12)
const hour = 3_600_000
const path = '/v1/alert-notifications'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
})
afterAll(() => api.close())

const opsgenie = {
  type: 'OPSGENIE',
  config: { name: 'web', apiKey: 'genie-key', region: 'EU', priority: 'P1' },
}

/** An account with a channel and its notifications. */
async function ownerWith(notifications: (Partial<SomeNotification> & { at: number })[]) {
  const owner = await api.newAccount()
  const checkId = (await owner.post('/v1/checks/api', checkTypes.API.example)).body.id as string
  const channelId = (await owner.post('/v1/alert-channels', opsgenie)).body.id as number
  const ids: string[] = []
  const of = { account_id: owner.accountId, check_id: checkId, alert_channel_id: channelId, type: 'OPSGENIE' }
  for (const notification of notifications) {
    ids.push(await insertNotification(api.store.db, { ...of, ...notification }))
  }
  const idsOf = async (query: string) => {
    const { status, body } = await owner.get(`${path}?${query}`)
    expect(status).toBe(200)
    return body.map(({ id }: { id: string }) => id)
  }
  return { owner, checkId, channelId, ids, idsOf }
}

describe('GET /v1/alert-notifications', () => {
  it('200: a notification with every field, secrets masked for readers', async () => {
    const notification = {
      at: now - hour,
      check_alert_id: '5c9d3f3e-6d52-4b7d-9a43-0d1c6b0f8c11',
      result_id: '6c9d3f3e-6d52-4b7d-9a43-0d1c6b0f8c12',
      status: 'FAILURE',
      notification_result: '503 Service Unavailable',
    }
    const { owner, checkId, channelId, ids } = await ownerWith([notification])
    const { body, text } = await owner.get(path)
    expect(body).toEqual([
      {
        id: ids[0],
        type: 'OPSGENIE',
        status: 'FAILURE',
        alertConfig: { ...opsgenie.config, apiKey: '***' },
        notificationResult: '503 Service Unavailable',
        timestamp: '2026-11-15T11:00:00.000Z',
        checkType: 'API',
        checkId,
        checkAlertId: notification.check_alert_id,
        alertChannelId: channelId,
        checkResultId: notification.result_id,
      },
    ])
    expect(text).not.toContain('genie-key')
  })

  it('200: what was sent to a channel outlives it', async () => {
    const { owner, channelId, ids } = await ownerWith([{ at: now - hour, result_id: null }])
    await owner.delete(`/v1/alert-channels/${channelId}`)
    const [entry] = (await owner.get(path)).body
    expect([entry.id, entry.alertConfig]).toEqual([ids[0], {}])
    expect(entry).not.toHaveProperty('checkResultId')
    expect(entry.alertChannelId).toBe(channelId)
  })

  it('200: masks by the kind that the channel has become', async () => {
    const { owner, channelId } = await ownerWith([{ at: now - hour }])
    const slack = { type: 'SLACK', config: { url: 'https://hooks.example.com/secret-link', channel: '#ops' } }
    await owner.put(`/v1/alert-channels/${channelId}`, slack)
    const [entry] = (await owner.get(path)).body
    expect([entry.type, entry.alertConfig]).toEqual(['OPSGENIE', { url: '***', channel: '#ops' }])
  })

  it.each<[string, number | undefined, number | undefined, number, number]>([
    ['neither: the last 24 hours', undefined, undefined, now - 24 * hour, now],
    ['from: 24 hours from there', now - 60 * hour, undefined, now - 60 * hour, now - 36 * hour],
    ['to: since 24 hours before now', undefined, now - hour, now - 24 * hour, now - hour],
    ['both', now - 30 * hour, now - 29 * hour, now - 30 * hour, now - 29 * hour],
  ])(
    '200: one at the beginning of the window is in it, one at its end is not (%s)',
    async (_, from, to, begin, end) => {
      const { ids, idsOf } = await ownerWith([begin - 1, begin, end - 1, end].map((at) => ({ at })))
      const query = queryOf({ from, to })
      expect(await idsOf(query)).toEqual([ids[2], ids[1]])
    },
  )

  it('200: only one channel, only what failed, only what did not', async () => {
    const { owner, channelId, ids, idsOf } = await ownerWith(
      notificationStatuses.map((status, index) => ({ at: now - 1 - index, status })),
    )
    const [inProgress, success, failure, limited] = ids
    expect(await idsOf('hasFailures=true')).toEqual([failure])
    expect(await idsOf('hasFailures=false')).toEqual([inProgress, success, limited])
    expect(await idsOf(`alertChannelId=${channelId}`)).toEqual(ids)
    expect(await idsOf(`alertChannelId=${channelId}&hasFailures=true`)).toEqual([failure])
    expect(await idsOf(`alertChannelId=${channelId + 1}`)).toEqual([])
    const { headers } = await owner.get(`${path}?hasFailures=false&limit=2&page=2`)
    expect(headers.get('content-range')).toBe('items 2-2/3')
  })

  it('200: certificates that are about to expire are not in the log', async () => {
    const { owner, ids, idsOf } = await ownerWith([{ at: now - 1, kind: 'ssl' }, { at: now - 2 }])
    expect(await idsOf('')).toEqual([ids[1]])
    expect((await owner.get(path)).headers.get('content-range')).toBe('items 0-0/1')
  })

  it('200: another account sees nothing, also by the id of the channel', async () => {
    const { channelId } = await ownerWith([{ at: now - 1 }])
    expect((await api.bob.get(`${path}?alertChannelId=${channelId}`)).body).toEqual([])
    expect((await api.bob.get(path)).body).toEqual([])
  })

  it.each([
    ['limit=101&alertChannelId=x&hasFailures=maybe', ['limit', 'alertChannelId', 'hasFailures']],
    [`from=${now / 1000}&to=${now / 1000}`, ['to']],
    [`from=${now / 1000}&to=${(now + 24 * hour + 1) / 1000}`, ['to']],
    [`from=${now}`, ['from']],
  ])('400: %s', async (query, wrong) => {
    const { status, body } = await api.alice.get(`${path}?${query}`)
    expect([status, Object.keys(body.attributes)]).toEqual([400, wrong])
  })
})

/** Instants as the query has them. */
function queryOf(instants: Record<string, number | undefined>): string {
  const given = Object.entries(instants).filter(([, ms]) => ms !== undefined)
  return given.map(([name, ms]) => `${name}=${Number(ms) / 1000}`).join('&')
}

describe('what is left of notifications', () => {
  const waiting = { at: now - hour, status: 'IN_PROGRESS', due_at: new Date(now - hour) }
  const countOf = async (accountId: string) => {
    const { rows } = await api.store.pool.query<{ total: number }>(
      'select count(*) as total from alert_notifications where account_id = $1',
      [accountId],
    )
    return rows[0]?.total
  }

  it('is nothing of a deleted check, sent or waiting, and nothing is added to it', async () => {
    const { owner, checkId, channelId } = await ownerWith([{ at: now - hour }, waiting])
    const other = (await owner.post('/v1/checks/api', checkTypes.API.example)).body.id as string
    expect((await owner.delete(`/v1/checks/${checkId}`)).status).toBe(204)
    expect(await countOf(owner.accountId)).toBe(0)
    const late = (id: string) => ({
      ...{
        id: randomUUID(),
        accountId: owner.accountId,
        checkId: id,
        checkType: 'API',
        alertId: randomUUID(),
      },
      ...{ channelId, type: 'OPSGENIE', kind: 'failure', resultId: null, episodeAt: null },
      ...{ isReminder: false, reminderSequence: 0, dueAt: now },
    })
    await inTransaction(api.store.pool, (client) =>
      insertNotifications(client, [late(checkId), late(other)], now - 1000),
    )
    expect((await owner.get(path)).body.map((entry: { checkId: string }) => entry.checkId)).toEqual([other])
  })

  it('is nothing of a deleted account', async () => {
    const { owner } = await ownerWith([{ at: now - hour }, waiting])
    expect(await countOf(owner.accountId)).toBe(2)
    await deleteAccount(api.store.db, owner.accountId)
    expect(await countOf(owner.accountId)).toBe(0)
  })
})
