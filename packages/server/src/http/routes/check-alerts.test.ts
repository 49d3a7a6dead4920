import { checkTypes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'

const now = Date.UTC(2026, 10, 15, 12)

let api: TestApi
let checkId: string
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
  checkId = (await api.alice.post('/v1/checks/api', checkTypes.API.example)).body.id
})
afterAll(() => api.close())

describe.each([
  ['/v1/check-alerts', () => '/v1/check-alerts'],
  ['/v1/check-alerts/{checkId}', () => `/v1/check-alerts/${checkId}`],
])('GET %s', (_, path) => {
  it.each(['', '?limit=100&page=3', `?from=${now / 1000 - 600}`, `?to=${now / 1000}`])(
    '200: a page of none%s',
    async (query) => {
      const { status, body, headers } = await api.alice.get(path() + query)
      expect([status, body]).toEqual([200, []])
      expect(headers.get('content-range')).toBe('items */0')
    },
  )

  it.each([
    ['limit=0&page=x', ['limit', 'page']],
    ['from=2026-11-15', ['from']],
    [`from=${now / 1000}&to=${now / 1000}`, ['to']],
    [`from=${now / 1000}&to=${now / 1000 + 6 * 3_600 + 1}`, ['to']],
  ])('400: %s', async (query, wrong) => {
    const { status, body } = await api.alice.get(`${path()}?${query}`)
    expect([status, Object.keys(body.attributes)]).toEqual([400, wrong])
  })
})

describe('GET /v1/check-alerts/{checkId}', () => {
  it('404: a check of another account', async () => {
    expect((await api.bob.get(`/v1/check-alerts/${checkId}`)).status).toBe(404)
  })
})
