import { checkTypes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, startTestApi, type TestApi } from '../../testing/api.ts'
import { insertFailedResult } from '../../testing/results.ts'
import { createTestSession } from '../../testing/sessions.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

/** The paths of both kinds of groups. */
async function newGroups(owner: Caller): Promise<string[]> {
  const { id } = (await owner.post('/v1/checks/api', checkTypes.API.example)).body
  const test = await createTestSession(api, owner, id)
  await insertFailedResult(api.store, owner.accountId, id)
  const [group] = (await owner.get(`/v1/error-groups/checks/${id}`)).body
  return [`error-groups/${group.id}`, `test-session-error-groups/${test.errorGroupId}`].map(
    (path) => `/v1/root-cause-analyses/${path}`,
  )
}

describe('POST /v1/root-cause-analyses/{kind}/{id}', () => {
  it('202: waits to be made, whether the body is there or absent', async () => {
    for (const path of await newGroups(api.alice)) {
      const ids = []
      for (const body of [undefined, {}, { userContext: null }, { userContext: '' }]) {
        const { status, body: response } = await api.alice.send('POST', path, body)
        expect([status, response]).toEqual([202, { id: expect.any(String), status: 'PENDING' }])
        ids.push(response.id)
      }
      // A second request returns the pending analysis.
      expect(new Set(ids).size).toBe(1)
      const other = await api.alice.post(path, { userContext: 'x'.repeat(256) })
      expect(other.status).toBe(202)
      expect(ids).not.toContain(other.body.id)
    }
  })

  it("400: context over 256 characters, context that isn't text, or null instead of an object", async () => {
    for (const path of await newGroups(api.alice)) {
      expect((await api.alice.send('POST', path, 'null')).status).toBe(400)
      for (const userContext of ['x'.repeat(257), 7]) {
        const { status, body } = await api.alice.post(path, { userContext })
        expect([status, Object.keys(body.attributes)]).toEqual([400, ['userContext']])
      }
    }
  })

  it("402: the account isn't entitled to it", async () => {
    const owner = await api.newAccount('hobby')
    for (const path of await newGroups(owner)) {
      const { status, body } = await owner.post(path)
      expect([status, body.attributes]).toEqual([402, { entitlement: 'ROOT_CAUSE_ANALYSIS' }])
    }
  })

  it('403: a key that may only read', async () => {
    const reader = await api.as('READ_ONLY')
    for (const path of await newGroups(api.alice)) expect((await reader.post(path)).status).toBe(403)
  })

  it('404: a group of another account, or of the other kind', async () => {
    const [ofCheck = '', ofTest = ''] = await newGroups(api.alice)
    for (const path of [ofCheck, ofTest]) expect((await api.bob.post(path)).status).toBe(404)
    const swapped = `${ofTest.slice(0, ofTest.lastIndexOf('/'))}${ofCheck.slice(ofCheck.lastIndexOf('/'))}`
    expect((await api.alice.post(swapped)).status).toBe(404)
  })
})

describe('GET /v1/root-cause-analyses/{id}', () => {
  it('202 while it waits, and 404 for another account', async () => {
    for (const path of await newGroups(api.alice)) {
      const asked = (await api.alice.post(path)).body
      const own = await api.alice.get(`/v1/root-cause-analyses/${asked.id}`)
      expect([own.status, own.body]).toEqual([202, asked])
      expect((await api.bob.get(`/v1/root-cause-analyses/${asked.id}`)).status).toBe(404)
    }
  })
})
