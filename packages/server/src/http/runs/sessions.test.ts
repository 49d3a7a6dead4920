import type { SessionEntry } from '@vedette/contracts'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { createCheckSession, createTestSession } from '../../testing/sessions.ts'

let api: TestApi
let checkId: string
let checkSession: string
let testSession: string
beforeAll(async () => {
  api = await startTestApi()
  const { body } = await api.alice.post('/v1/checks/url', {
    ...{ name: 'Shop', locations: ['eu-west-1'] },
    request: { url: 'https://example.com' },
  })
  checkId = body.id
  checkSession = await createCheckSession(api, api.alice, checkId)
  testSession = (await createTestSession(api, api.alice, checkId)).testSessionId
  await api.alice.post('/v1/test-sessions/trigger', {
    ...{ name: 'Nightly', runLocation: 'eu-west-1', target: { checkId: [checkId] } },
    metadata: { branchName: 'main', commitId: '9b1f5a3e', commitMessage: 'Fix the cart' },
  })
})
afterAll(() => api.close())

async function list(query = ''): Promise<{ length: number; entries: SessionEntry[]; nextId: string | null }> {
  const { status, body, text } = await api.alice.get(`/v1/sessions?${query}`)
  expect(status, text).toBe(200)
  return body
}

const namesOf = async (query: string) =>
  (await list(query)).entries.map(({ kind, name }) => `${kind} ${name}`)

it('lists both kinds, the latest first, in pages', async () => {
  const { entries, length } = await list()
  expect(length).toBe(3)
  expect(entries.map(({ id }) => id).slice(1)).toEqual([testSession, checkSession])
  expect(entries[0]).toMatchObject({
    ...{ kind: 'test', name: 'Nightly', state: 'running', branchName: 'main', commitId: '9b1f5a3e' },
    ...{ expected: 1, done: 0, provider: 'API', checkId: null, locations: ['eu-west-1'] },
  })
  expect(entries[1]).toMatchObject({ state: 'failed', failed: 1, environment: 'staging' })
  expect(entries[2]).toMatchObject({ kind: 'check', name: 'Shop', checkId, checkType: 'URL', provider: null })
  const paged: SessionEntry[] = []
  for (let next: string | null = ''; next !== null; ) {
    const page = await list(`limit=1&nextId=${next}`)
    paged.push(...page.entries)
    next = page.nextId
  }
  expect(paged).toEqual(entries)
})

it.each([
  ['kind=check', ['check Shop']],
  ['states=running&kind=test', ['test Nightly']],
  ['states=failed', ['test Before the release']],
  ['branch=main', ['test Nightly']],
  ['commit=9b1f', ['test Nightly']],
  ['commit=b1f', []],
  ['textSearch=the+cart', ['test Nightly']],
  ['textSearch=SHOP', ['check Shop']],
  ['providers=GITHUB', []],
  ['kind=check&branch=main', []],
  ['to=1', []],
])('filters by %s', async (query, names) => expect(await namesOf(query)).toEqual(names))

it('filters by check', async () => {
  expect(await namesOf(`checkId=${checkId}`)).toEqual(['check Shop'])
})

it('says which kind a session is', async () => {
  expect((await api.alice.get(`/v1/sessions/${checkSession}`)).body).toMatchObject({ kind: 'check' })
  expect((await api.alice.get(`/v1/sessions/${testSession}`)).body).toMatchObject({ kind: 'test' })
  expect((await api.bob.get(`/v1/sessions/${testSession}`)).status).toBe(404)
  expect((await api.bob.get('/v1/sessions')).body.entries).toEqual([])
})
