import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { insertAlarm, resolveAlarm } from '../../storage/alerts/location-alarms.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'

const now = Date.UTC(2026, 10, 15, 12)
const path = '/v1/location-alarms'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

async function openAlarm(accountId: string, location: string, at: number): Promise<string> {
  const found = {
    accountId,
    locationKey: location,
    location,
    kind: 'no_agent',
    checkCount: 2,
    isDue: true,
  } as const
  const alarm = await insertAlarm(
    api.store.pool,
    { ...found, checks: ['A', 'B'], unservedTypes: ['BROWSER'] },
    at,
  )
  if (alarm === null) throw new Error('there is one already')
  return alarm.id
}

describe('GET /v1/location-alarms', () => {
  it('200: open ones first, then the latest, paged', async () => {
    const owner = await api.newAccount()
    const open = await openAlarm(owner.accountId, 'eu-west-1', now - 1000)
    const over: string[] = []
    for (let n = 0; n < 3; n++) {
      const id = await openAlarm(owner.accountId, 'us-east-1', now + n)
      await resolveAlarm(api.store.pool, id, now + n + 1)
      over.unshift(id)
    }
    const { status, body, headers } = await owner.get(path)
    expect(status).toBe(200)
    expect(body.map(({ id }: { id: string }) => id)).toEqual([open, ...over])
    expect(headers.get('content-range')).toBe('items 0-3/4')
    expect(body[0]).toEqual({
      id: open,
      cause: 'no_agent',
      checkIds: [],
      location: 'eu-west-1',
      kind: 'no_agent',
      checkCount: 2,
      checks: ['A', 'B'],
      unservedTypes: ['BROWSER'],
      openedAt: new Date(now - 1000).toISOString(),
      resolvedAt: null,
    })
    expect(body[1].resolvedAt).toBe(new Date(now + 3).toISOString())
    const second = await owner.get(`${path}?limit=3&page=2`)
    expect(second.body.map(({ id }: { id: string }) => id)).toEqual([over[2]])
  })

  it('200: a second one of a kind is not opened, one that is over is not ended again', async () => {
    const { accountId } = await api.newAccount()
    const id = await openAlarm(accountId, 'eu-west-1', now)
    await expect(openAlarm(accountId, 'eu-west-1', now + 1)).rejects.toThrow('there is one already')
    expect(await resolveAlarm(api.store.pool, id, now + 2)).toBe(true)
    expect(await resolveAlarm(api.store.pool, id, now + 3)).toBe(false)
  })

  it('200: another account sees nothing; a key that may only read sees its own', async () => {
    await openAlarm(api.alice.accountId, 'eu-west-1', now)
    expect((await api.bob.get(path)).body).toEqual([])
    expect((await (await api.as('READ_ONLY')).get(path)).body).toHaveLength(1)
  })

  it('400: names every wrong field', async () => {
    const { status, body } = await api.alice.get(`${path}?limit=0&page=first`)
    expect([status, Object.keys(body.attributes)]).toEqual([400, ['limit', 'page']])
  })
})
