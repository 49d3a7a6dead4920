import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

describe('GET /v1/locations', () => {
  it('200: lists all data-center locations, also without a key', async () => {
    const { status, body } = await api.nobody.get('/v1/locations')
    expect(status).toBe(200)
    expect(body).toHaveLength(22)
    expect(body).toContainEqual({ region: 'eu-west-1', name: 'Ireland' })
    expect((await api.alice.get('/v1/locations')).body).toEqual(body)
  })
})
