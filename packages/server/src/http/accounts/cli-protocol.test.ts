import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

describe('GET /next/accounts and /next/accounts/{accountId}', () => {
  it('200: respond as their siblings under /v1 do', async () => {
    const id = api.alice.accountId
    const list = await api.alice.get('/next/accounts')
    expect(list.status).toBe(200)
    expect(list.body).toEqual((await api.alice.get('/v1/accounts')).body)
    const one = await api.alice.get(`/next/accounts/${id}`)
    expect(one.status).toBe(200)
    expect(one.body).toEqual((await api.alice.get(`/v1/accounts/${id}`)).body)
    expect(one.body).toMatchObject({ id, name: 'An account', runtimeId: '2026.04', features: [] })
  })

  it("404: another's account", async () => {
    expect((await api.bob.get(`/next/accounts/${api.alice.accountId}`)).status).toBe(404)
  })
})

describe('GET /next/users/me', () => {
  it('200: names the user, or the service key', async () => {
    const { status, body } = await api.alice.get('/next/users/me')
    expect(status).toBe(200)
    expect(body).toEqual({ id: api.alice.userId, name: 'Owner', email: expect.any(String) })
    const service = await api.as('READ_RUN')
    expect((await service.get('/next/users/me')).body).toMatchObject({ name: 'READ_RUN', email: null })
  })
})
