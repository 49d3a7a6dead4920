import { type CheckType, checkTypeNames, checkTypes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
let owner: Caller
beforeAll(async () => {
  api = await startTestApi()
  owner = await api.newAccount()
  const names = ['100% up', 'under_score', 'Ünïcode', 'back\\slash']
  for (const [index, name] of names.entries()) {
    await create('API', {
      name,
      tags: [`tag-${index}`, 'all'],
      request: requestTo(`https://example.com/${index}?a=%20b`),
    })
  }
  await create('URL', { name: 'A page', tags: ['page', 'all'], request: { url: 'https://example.com/0' } })
  await create('HEARTBEAT', { name: 'Backup', tags: [] })
})
afterAll(() => api.close())

const requestTo = (url: string) => ({ method: 'GET', url })

async function create(type: CheckType, changes: object, caller = owner) {
  const response = await caller.post(`/v1/checks/${checkTypes[type].path}`, {
    ...checkTypes[type].example,
    ...changes,
  })
  expect(response).toMatchObject({ status: 201 })
  return response.body
}

async function names(query: string): Promise<string[]> {
  const { status, body, headers } = await owner.get(`/v1/checks?${query}`)
  expect(status).toBe(200)
  expect(headers.get('content-range')).toMatch(new RegExp(`/${body.length}$`))
  return body.map(({ name }: { name: string }) => name)
}

describe('GET /v1/checks', () => {
  it('200: lists checks of all types, newest first, as each reads by itself', async () => {
    const { body } = await owner.get('/v1/checks')
    expect(body.map(({ name }: { name: string }) => name)).toEqual([
      'Backup',
      'A page',
      'back\\slash',
      'Ünïcode',
      'under_score',
      '100% up',
    ])
    for (const check of body) expect((await owner.get(`/v1/checks/${check.id}`)).body).toEqual(check)
  })

  it('200: pages with the total in Content-Range', async () => {
    const { body, headers } = await owner.get('/v1/checks?limit=4&page=2')
    expect(body.map(({ name }: { name: string }) => name)).toEqual(['under_score', '100% up'])
    expect(headers.get('content-range')).toBe('items 4-5/6')
    const filtered = await owner.get('/v1/checks?limit=2&page=2&tag=all')
    expect(filtered.body.map(({ name }: { name: string }) => name)).toEqual(['Ünïcode', 'under_score'])
    expect(filtered.headers.get('content-range')).toBe('items 2-3/5')
  })

  it('200: another account sees none of them', async () => {
    expect((await api.bob.get('/v1/checks')).body).toEqual([])
    expect((await api.bob.get('/v1/checks?tag=all&search=up')).body).toEqual([])
  })

  it.each([
    ['search=UP', ['Backup', '100% up']],
    ['search=%25', ['100% up']],
    ['search=_', ['under_score']],
    ['search=%5C', ['back\\slash']],
    ['search=%C3%BCN%C3%8F', ['Ünïcode']],
    ['search=nothing', []],
    ['checkType=URL', ['A page']],
    ['checkType=API&search=s', ['back\\slash', 'under_score']],
    ['tag=tag-0', ['100% up']],
    ['tag=tag-0,page', ['A page', '100% up']],
    ['tag=tag-0&tag=tag-1', ['under_score', '100% up']],
    ['tag[]=tag-2', ['Ünïcode']],
    ['tag=none', []],
    ['apiCheckUrlFilterPattern=example.com/0', ['100% up']],
    ['apiCheckUrlFilterPattern=%2520', ['back\\slash', 'Ünïcode', 'under_score', '100% up']],
    ['apiCheckUrlFilterPattern=%25', ['back\\slash', 'Ünïcode', 'under_score', '100% up']],
    // Nothing has run yet, so no check has a status.
    ['status=passing', []],
    ['status=failing', []],
    ['status=degraded', []],
  ])('200: %s', async (query, expected) => {
    expect(await names(query)).toEqual(expected)
  })

  it('400: names every filter that is wrong', async () => {
    const { status, body } = await owner.get(
      '/v1/checks?checkType=FTP&status=fine&limit=0&applyGroupSettings=maybe',
    )
    expect(status).toBe(400)
    expect(Object.keys(body.attributes).sort()).toEqual([
      'applyGroupSettings',
      'checkType',
      'limit',
      'status',
    ])
  })
})

describe('applyGroupSettings', () => {
  it('200: merges the settings of the group into a check, only when asked', async () => {
    const caller = await api.newAccount()
    const group = await caller.post('/v1/check-groups', {
      name: 'Shop',
      muted: true,
      tags: ['group'],
      locations: ['eu-west-1'],
      apiCheckDefaults: { headers: [{ key: 'x-group', value: 'yes', locked: false }] },
    })
    expect(group).toMatchObject({ status: 201 })
    for (const type of checkTypeNames) await create(type, { groupId: group.body.id, tags: ['own'] }, caller)
    const plain = await caller.get('/v1/checks?limit=100')
    const merged = await caller.get('/v1/checks?limit=100&applyGroupSettings=true')
    expect(plain.body).toHaveLength(checkTypeNames.length)
    expect(merged.body).toHaveLength(checkTypeNames.length)
    for (const check of plain.body) expect(check).toMatchObject({ muted: false, tags: ['own'] })
    for (const check of merged.body) expect(check).toMatchObject({ muted: true, tags: ['own', 'group'] })
    const own = plain.body.find(({ checkType }: { checkType: string }) => checkType === 'API')
    const { body } = await caller.get(`/v1/checks/${own.id}?applyGroupSettings=true`)
    expect(body.request.headers.map(({ key }: { key: string }) => key)).toEqual(['accept', 'x-group'])
    expect((await caller.get(`/v1/checks/${own.id}`)).body).toEqual(own)
  })

  it('200: a check without a group reads as it is', async () => {
    const caller = await api.newAccount()
    const check = await create('URL', {}, caller)
    expect((await caller.get(`/v1/checks/${check.id}?applyGroupSettings=true`)).body).toEqual(check)
    expect((await caller.get('/v1/checks?applyGroupSettings=true')).body).toEqual([check])
  })
})
