import { checkTypes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, startTestApi, type TestApi } from '../../testing/api.ts'
import { insertResults } from '../../testing/results.ts'

const now = Date.UTC(2026, 10, 15, 12)
const minute = 60_000
const day = 86_400_000
const path = '/v2/check-results'

let api: TestApi
let shop: string
let blog: string
/** By the minutes and days before now at which they were scheduled. */
let ids: Record<'latest' | 'failed' | 'blog' | 'attempt' | 'tcp' | 'yesterday', string>

beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
  shop = await newCheck(api.alice, { name: 'Shop', tags: ['shop'] })
  blog = await newCheck(api.alice, { name: 'Blog', tags: ['blog', 'slow'] })
  const { accountId } = api.alice
  const failure = { kind: 'connect', message: 'refused' } as const
  const inserted = await insertResults(
    api.store,
    [
      { accountId, checkId: shop, scheduledAt: now - minute, detail: { observed: { requestError: null } } },
      { accountId, checkId: shop, scheduledAt: now - 2 * minute, hasFailures: true, failure },
      { accountId, checkId: blog, scheduledAt: now - 3 * minute, location: 'us-east-1' },
      { accountId, checkId: shop, scheduledAt: now - 4 * minute, resultType: 'ATTEMPT' },
      { accountId, checkId: blog, scheduledAt: now - 5 * minute, checkType: 'TCP' },
      { accountId, checkId: blog, scheduledAt: now - day },
    ],
    now,
  )
  const [latest = '', failed = '', ofBlog = '', attempt = '', tcp = '', yesterday = ''] = inserted
  ids = { latest, failed, blog: ofBlog, attempt, tcp, yesterday }
})
afterAll(() => api.close())

async function newCheck(caller: Caller, settings: object): Promise<string> {
  const { status, body } = await caller.post('/v1/checks/api', { ...checkTypes.API.example, ...settings })
  expect(status).toBe(201)
  return body.id
}

async function list(query = '', caller = api.alice): Promise<string[]> {
  const { status, body, text } = await caller.get(`${path}?limit=100&${query}`)
  expect(status, text).toBe(200)
  expect(body.length).toBe(body.entries.length)
  return body.entries.map(({ id }: { id: string }) => id)
}

describe('GET /v2/check-results', () => {
  it('200: the final results of all checks, the latest first, over the days', async () => {
    expect(await list()).toEqual([ids.latest, ids.failed, ids.blog, ids.tcp, ids.yesterday])
  })

  it('200: each result as the list of its check has it', async () => {
    const all = (await api.alice.get(`${path}?limit=100`)).body.entries
    const ofShop = (await api.alice.get(`${path}/${shop}?limit=100`)).body.entries
    expect(all.filter(({ checkId }: { checkId: string }) => checkId === shop)).toEqual(ofShop)
    expect(all[2]).toMatchObject({ name: 'Blog', checkId: blog, runLocation: 'us-east-1' })
  })

  it('200: page by page, each result once', async () => {
    for (const query of ['', `checkId=${shop},${blog}&`]) {
      const seen: string[] = []
      let nextId: string | null = ''
      while (nextId !== null) {
        const { body } = await api.alice.get(`${path}?${query}limit=2&nextId=${nextId}`)
        seen.push(...body.entries.map(({ id }: { id: string }) => id))
        nextId = body.nextId
      }
      expect(seen).toEqual([ids.latest, ids.failed, ids.blog, ids.tcp, ids.yesterday])
    }
  })

  it('200: filtered by check, type, location, failure, kind of result, tag and time', async () => {
    expect(await list(`checkId=${blog}`)).toEqual([ids.blog, ids.tcp, ids.yesterday])
    expect(await list(`checkId=${blog.toUpperCase()}&checkId=${shop}`)).toHaveLength(5)
    expect(await list('checkType=TCP')).toEqual([ids.tcp])
    expect(await list('location=us-east-1')).toEqual([ids.blog])
    expect(await list('hasFailures=true')).toEqual([ids.failed])
    expect(await list('hasFailures=false')).not.toContain(ids.failed)
    expect(await list('resultType=ATTEMPT')).toEqual([ids.attempt])
    expect(await list('resultType=ALL')).toHaveLength(6)
    expect(await list('tag=slow')).toEqual([ids.blog, ids.tcp, ids.yesterday])
    expect(await list(`tag=slow&checkId=${shop}`)).toEqual([])
    expect(await list('tag=none')).toEqual([])
    expect(await list(`from=${(now - 150_000) / 1000}`)).toEqual([ids.latest, ids.failed])
    expect(await list(`to=${(now - day / 2) / 1000}`)).toEqual([ids.yesterday])
  })

  it('200: only the fields that were asked for', async () => {
    const { body } = await api.alice.get(`${path}?fields=id,name&limit=1`)
    expect(body.entries).toEqual([{ id: ids.latest, name: 'Shop' }])
  })

  it('200: nothing of another account, with any filter', async () => {
    expect(await list('', api.bob)).toEqual([])
    expect(await list(`checkId=${shop}`, api.bob)).toEqual([])
    expect(await list('tag=shop', api.bob)).toEqual([])
    const { body } = await api.alice.get(`${path}?limit=1`)
    expect(await list(`nextId=${body.nextId}`, api.bob)).toEqual([])
  })

  it('200: nothing of a check that was deleted', async () => {
    const gone = await newCheck(api.alice, { name: 'Gone' })
    const { accountId } = api.alice
    const [id] = await insertResults(api.store, [{ accountId, checkId: gone, scheduledAt: now }], now)
    expect(await list()).toContain(id)
    expect((await api.alice.delete(`/v1/checks/${gone}`)).status).toBe(204)
    expect(await list()).not.toContain(id)
  })

  it('400: an invalid cursor, and invalid values', async () => {
    for (const query of ['nextId=x', 'limit=101', 'checkId=x', 'hasFailures=2', 'resultType=x', 'from=-1']) {
      expect((await api.alice.get(`${path}?${query}`)).status).toBe(400)
    }
  })

  it('401 without a key', async () => {
    expect((await api.nobody.get(path)).status).toBe(401)
  })
})
