import { checkTypes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, startTestApi, type TestApi } from '../../testing/api.ts'
import { insertResults } from '../../testing/results.ts'

const now = Date.UTC(2026, 10, 15, 12)
const minute = 60_000

let api: TestApi
let owner: Caller
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

async function newCheck(): Promise<string> {
  return (await owner.post('/v1/checks/api', checkTypes.API.example)).body.id
}

async function fail(checkId: string, message: string, minutes = 0): Promise<void> {
  const failure = { kind: 'connect', message } as const
  const scheduledAt = now + minutes * minute
  const result = { accountId: owner.accountId, checkId, scheduledAt, hasFailures: true, failure }
  await insertResults(api.store, [{ ...result, startedAt: scheduledAt, stoppedAt: scheduledAt }])
}

const list = async (path = '/v1/error-groups') => (await owner.get(path)).body
const messages = (groups: { rawErrorMessage: string }[]) => groups.map((group) => group.rawErrorMessage)

describe('GET /v1/error-groups', () => {
  it('200: one for alike failures of a check, the latest seen first', async () => {
    owner = await api.newAccount()
    const [shop, blog] = [await newCheck(), await newCheck()]
    await fail(shop, 'refused by 192.0.2.1:443')
    await fail(blog, 'refused by 192.0.2.2:443', 1)
    await fail(shop, 'no such name', 2)
    await fail(shop, 'refused by 192.0.2.9:80', 3)
    const { status, body, headers } = await owner.get('/v1/error-groups')
    expect(status).toBe(200)
    expect(headers.get('content-range')).toBe('items 0-2/3')
    expect(messages(body)).toEqual(['refused by 192.0.2.1:443', 'no such name', 'refused by 192.0.2.2:443'])
    expect(body[0]).toEqual({
      id: expect.any(String),
      checkId: shop,
      errorHash: body[2].errorHash,
      rawErrorMessage: 'refused by 192.0.2.1:443',
      cleanedErrorMessage: 'refused by <ip>',
      firstSeen: new Date(now).toISOString(),
      lastSeen: new Date(now + 3 * minute).toISOString(),
      archivedUntilNextEvent: false,
      archiveForEver: false,
      rootCauseAnalyses: [],
    })
    expect(messages(await list(`/v1/error-groups/checks/${blog}`))).toEqual(['refused by 192.0.2.2:443'])
    const second = await owner.get(`/v1/error-groups/checks/${shop}?limit=1&page=2`)
    expect(messages(second.body)).toEqual(['no such name'])
    expect(second.headers.get('content-range')).toBe('items 1-1/2')
    expect((await api.bob.get('/v1/error-groups')).body).toEqual([])
  })

  it('400: a limit over 100', async () => {
    for (const path of ['/v1/error-groups', `/v1/error-groups/checks/${await newCheck()}`]) {
      const { status, body } = await owner.get(`${path}?limit=101`)
      expect([status, Object.keys(body.attributes)]).toEqual([400, ['limit']])
    }
  })

  it('404: a check of another account', async () => {
    expect((await api.bob.get(`/v1/error-groups/checks/${await newCheck()}`)).status).toBe(404)
  })
})

describe('PATCH /v1/error-groups/{id}', () => {
  async function newGroup() {
    owner = await api.newAccount()
    const checkId = await newCheck()
    await fail(checkId, 'refused')
    const [group] = await list()
    return { checkId, group, path: `/v1/error-groups/${group.id}` }
  }

  it('200: archived until the next event, it is left out of lists until then', async () => {
    const { checkId, group, path } = await newGroup()
    const archived = { ...group, archivedUntilNextEvent: true }
    expect(await owner.patch(path, { archivedUntilNextEvent: true })).toMatchObject({
      status: 200,
      body: archived,
    })
    expect(await list()).toEqual([])
    expect(await list('/v1/error-groups?archived=true')).toEqual([archived])
    expect(await list(`/v1/error-groups/checks/${checkId}`)).toEqual([])
    expect((await owner.get(path)).body).toEqual(archived)
    await fail(checkId, 'refused', 1)
    expect(await list()).toEqual([{ ...group, lastSeen: new Date(now + minute).toISOString() }])
  })

  it('200: archived forever, it stays out of lists, and can be restored', async () => {
    const { checkId, group, path } = await newGroup()
    expect((await owner.patch(path, { archiveForEver: true })).body).toEqual({
      ...group,
      archiveForEver: true,
    })
    await fail(checkId, 'refused', 1)
    expect(await list()).toEqual([])
    const { body } = await owner.patch(path, { archiveForEver: false })
    expect(body).toEqual({ ...group, lastSeen: new Date(now + minute).toISOString() })
    expect(await list()).toEqual([body])
  })

  it('200: nothing sent, nothing changed', async () => {
    const { group, path } = await newGroup()
    expect(await owner.patch(path, {})).toMatchObject({ status: 200, body: group })
  })

  it('400: names every wrong field', async () => {
    const { path } = await newGroup()
    const { status, body } = await owner.patch(path, { archiveForEver: 1, archivedUntilNextEvent: 'yes' })
    expect([status, Object.keys(body.attributes)]).toEqual([
      400,
      ['archiveForEver', 'archivedUntilNextEvent'],
    ])
  })

  it('404: another account neither reads nor changes it', async () => {
    const { group, path } = await newGroup()
    expect((await api.bob.get(path)).status).toBe(404)
    expect((await api.bob.patch(path, { archiveForEver: true })).status).toBe(404)
    expect((await api.bob.patch(path, {})).status).toBe(404)
    expect((await owner.get(path)).body).toEqual(group)
  })
})
