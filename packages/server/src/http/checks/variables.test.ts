import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
let count = 0
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

const newKey = () => `KEY_${++count}`

async function create(
  flags: { locked?: boolean; secret?: boolean } = {},
  value = 'plain-text',
): Promise<string> {
  const key = newKey()
  expect((await api.alice.post('/v1/variables', { key, value, ...flags })).status).toBe(201)
  return key
}

async function storedText(key: string): Promise<string> {
  const { rows } = await api.store.pool.query(
    'select value::text from variables where account_id = $1 and key = $2',
    [api.alice.accountId, key],
  )
  return rows[0].value
}

describe('POST /v1/variables', () => {
  it('201: returns the variable with its defaults', async () => {
    const key = newKey()
    const { status, body } = await api.alice.post('/v1/variables', { key, value: '' })
    expect(status).toBe(201)
    expect(body).toEqual({ key, value: '', locked: false, secret: false })
    expect((await api.alice.get(`/v1/variables/${key}`)).body).toEqual(body)
  })

  it('201: shows the value of a secret this once', async () => {
    const key = newKey()
    const { status, body } = await api.alice.post('/v1/variables', { key, value: 'hush', secret: true })
    expect(status).toBe(201)
    expect(body).toEqual({ key, value: 'hush', locked: false, secret: true })
    expect((await api.alice.get(`/v1/variables/${key}`)).body).toEqual({ ...body, value: null })
  })

  it('400: names every wrong field', async () => {
    const { status, body } = await api.alice.post('/v1/variables', { key: '1 A', value: 5, locked: 'no' })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes).sort()).toEqual(['key', 'locked', 'value'])
  })

  it('403: a key that may only read creates nothing', async () => {
    const reader = await api.as('READ_RUN')
    expect((await reader.post('/v1/variables', { key: newKey(), value: 'x' })).status).toBe(403)
  })

  it('409: a key exists once in an account, and again in another', async () => {
    const key = await create()
    const { status, body } = await api.alice.post('/v1/variables', { key, value: 'other' })
    expect(status).toBe(409)
    expect(body.attributes).toEqual({ key: 'is taken already' })
    expect((await api.alice.get(`/v1/variables/${key}`)).body.value).toBe('plain-text')
    expect((await api.bob.post('/v1/variables', { key, value: 'other' })).status).toBe(201)
  })

  it.each([{ secret: true }, { locked: true }])(
    'keeps no value readable in the table when %j',
    async (flags) => {
      expect(await storedText(await create(flags))).not.toContain('plain-text')
    },
  )
})

describe('GET /v1/variables', () => {
  it('200: pages in the order of the keys', async () => {
    const owner = await api.newAccount()
    for (const key of ['C', 'A', 'D', 'B'])
      await owner.post('/v1/variables', { key, value: key, secret: key === 'B' })
    const { status, body, headers } = await owner.get('/v1/variables?limit=3')
    expect(status).toBe(200)
    expect(body.map(({ key, value }: { key: string; value: string }) => [key, value])).toEqual([
      ['A', 'A'],
      ['B', null],
      ['C', 'C'],
    ])
    expect(headers.get('content-range')).toBe('items 0-2/4')
  })

  it('200: the command-line client, which knows no pages, gets all', async () => {
    const owner = await api.newAccount()
    for (let index = 0; index < 12; index++)
      await owner.post('/v1/variables', { key: `K${index}`, value: 'x' })
    const list = (path: string, source: string) =>
      owner.send('GET', path, undefined, { 'x-checkly-source': source })
    const { body, headers } = await list('/v1/variables', 'CLI')
    expect([body.length, headers.get('content-range')]).toEqual([12, 'items 0-11/12'])
    expect((await list('/v1/variables?page=1', 'CLI')).body).toHaveLength(10)
    expect((await list('/v1/variables', 'UI')).body).toHaveLength(10)
  })

  it.each([
    ['READ_ONLY', null],
    ['READ_RUN', null],
    ['READ_WRITE', 'plain-text'],
    ['ADMIN', 'plain-text'],
  ] as const)('200: a %s key reads a locked value as %s', async (role, expected) => {
    const key = await create({ locked: true })
    const caller = await api.as(role)
    const { status, body } = await caller.get(`/v1/variables/${key}`)
    expect(status).toBe(200)
    expect(body).toEqual({ key, value: expected, locked: true, secret: false })
    const { body: list } = await caller.get('/v1/variables?limit=100')
    expect(list.find((variable: { key: string }) => variable.key === key)).toEqual(body)
  })

  it('404: another account sees nothing', async () => {
    const key = await create()
    expect((await api.bob.get(`/v1/variables/${key}X`)).status).toBe(404)
    expect((await (await api.newAccount()).get(`/v1/variables/${key}`)).status).toBe(404)
  })
})

describe('PUT /v1/variables/{key}', () => {
  it('200: changes only what is sent', async () => {
    const key = await create({ locked: true })
    const path = `/v1/variables/${key}`
    expect((await api.alice.put(path, { value: 'new' })).body).toEqual({
      key,
      value: 'new',
      locked: true,
      secret: false,
    })
    const { status, body } = await api.alice.put(path, { locked: false, key: 'RENAMED' })
    expect(status).toBe(200)
    expect(body).toEqual({ key, value: 'new', locked: false, secret: false })
    expect((await api.alice.get(path)).body).toEqual(body)
    expect((await api.alice.put(path, {})).body).toEqual(body)
  })

  it('200: seals the value when a variable becomes locked, and unseals it when it is unlocked', async () => {
    const key = await create()
    await api.alice.put(`/v1/variables/${key}`, { locked: true })
    expect(await storedText(key)).not.toContain('plain-text')
    await api.alice.put(`/v1/variables/${key}`, { locked: false })
    expect(await storedText(key)).toBe('"plain-text"')
  })

  it('200: making a variable secret hides its value', async () => {
    const key = await create()
    const { status, body } = await api.alice.put(`/v1/variables/${key}`, { secret: true })
    expect(status).toBe(200)
    expect(body).toEqual({ key, value: null, locked: false, secret: true })
    expect(await storedText(key)).not.toContain('plain-text')
  })

  it('200: a new value of a secret is shown in this response only', async () => {
    const key = await create({ secret: true })
    const { body } = await api.alice.put(`/v1/variables/${key}`, { value: 'rotated', secret: true })
    expect(body).toEqual({ key, value: 'rotated', locked: false, secret: true })
    expect((await api.alice.get(`/v1/variables/${key}`)).body.value).toBeNull()
  })

  it('200: unlocking a secret leaves it sealed', async () => {
    const key = await create({ secret: true, locked: true })
    expect((await api.alice.put(`/v1/variables/${key}`, { locked: false })).body.value).toBeNull()
    expect(await storedText(key)).not.toContain('plain-text')
  })

  it('400: secret cannot be turned off', async () => {
    const key = await create({ secret: true })
    const { status, body } = await api.alice.put(`/v1/variables/${key}`, { secret: false, value: 'x' })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes)).toEqual(['secret'])
    expect((await api.alice.get(`/v1/variables/${key}`)).body.secret).toBe(true)
  })

  it('400: names every wrong field', async () => {
    const key = await create()
    const { status, body } = await api.alice.put(`/v1/variables/${key}`, { value: null, locked: 1 })
    expect(status).toBe(400)
    expect(Object.keys(body.attributes).sort()).toEqual(['locked', 'value'])
  })

  it('403: a key that may only read changes nothing', async () => {
    const key = await create()
    expect((await (await api.as('READ_ONLY')).put(`/v1/variables/${key}`, { value: 'x' })).status).toBe(403)
  })

  it('404: another account changes nothing', async () => {
    const key = await create()
    const stranger = await api.newAccount()
    expect((await stranger.put(`/v1/variables/${key}`, { value: 'mine' })).status).toBe(404)
  })
})

describe('DELETE /v1/variables/{key}', () => {
  it('204: removes it; a second time is 404', async () => {
    const key = await create()
    expect((await api.alice.delete(`/v1/variables/${key}`)).status).toBe(204)
    expect((await api.alice.delete(`/v1/variables/${key}`)).status).toBe(404)
  })

  it('404: another account deletes nothing; 403: nor does a key that may only read', async () => {
    const key = await create()
    expect((await (await api.newAccount()).delete(`/v1/variables/${key}`)).status).toBe(404)
    expect((await (await api.as('READ_RUN')).delete(`/v1/variables/${key}`)).status).toBe(403)
    expect((await api.alice.get(`/v1/variables/${key}`)).status).toBe(200)
  })
})

describe('GET /v1/variables/{key}/uses', () => {
  it('200: checks whose settings or scripts name it as a whole word', async () => {
    const owner = await api.newAccount()
    await owner.post('/v1/variables', { key: 'BASE', value: 'https://example.com' })
    await owner.post('/v1/checks/api', {
      name: 'API',
      activated: false,
      request: { method: 'GET', url: '{{BASE}}/x' },
    })
    await owner.post('/v1/checks/browser', {
      name: 'Script',
      activated: false,
      script: 'open(process.env.BASE)',
    })
    await owner.post('/v1/checks/browser', {
      name: 'Other',
      activated: false,
      script: 'open(process.env.BASE_URL)',
    })
    const { body } = await owner.get('/v1/variables/BASE/uses')
    expect(body.checks.map(({ name }: { name: string }) => name)).toEqual(['API', 'Script'])
    expect(body).toMatchObject({ checkCount: 2, groupCount: 0, groups: [] })
    expect((await owner.get('/v1/variables/MISSING/uses')).status).toBe(404)
  })
})
