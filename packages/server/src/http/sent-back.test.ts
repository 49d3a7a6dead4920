// Clients read a resource, change a field and send the whole of it: nothing that a response contains is refused.
import { type AnyRoute, routes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../testing/api.ts'
import { createFixtures, type Fixtures } from '../testing/fixtures.ts'

let api: TestApi
let fixtures: Fixtures
beforeAll(async () => {
  api = await startTestApi()
  fixtures = await createFixtures(api, api.alice)
})
afterAll(() => api.close())

/** Checks are updated under their type and groups in two versions; both are read under one path. */
const readTemplate = ({ path }: AnyRoute) =>
  path.replace(/^\/v1\/checks\/[a-z]+\/\{id\}$/, '/v1/checks/{id}').replace(/^\/v2\//, '/v1/')

const updates = routes.filter(
  (route) =>
    (route.method === 'PUT' || route.method === 'PATCH') &&
    routes.some((other) => other.method === 'GET' && other.path === readTemplate(route)),
)

/** Without what a write is bound to change: its time, and the ids of subscriptions, replaced as a set. */
function comparable(resource: unknown): unknown {
  const text = JSON.stringify(resource, function (this: Record<string, unknown>, name, value) {
    const isSubscription = 'checkId' in this && 'groupId' in this
    const isTime = name === 'updated_at' || name === 'updatedAt'
    return isTime || (name === 'id' && isSubscription) ? undefined : value
  })
  return JSON.parse(text)
}

describe('a resource sent back as it was read', () => {
  it.each(updates.map((route) => [`${route.method} ${route.path}`, route] as const))(
    '200: %s changes nothing',
    async (_name, route) => {
      const path = fixtures.pathOf(route)
      const readPath = path.replace(/^\/v1\/checks\/[a-z]+\//, '/v1/checks/').replace(/^\/v2\//, '/v1/')
      const before = (await api.alice.get(readPath)).body
      const response = await api.alice.send(route.method, path, JSON.stringify(before))
      expect(response.status, response.text).toBe(200)
      expect(response.headers.get('vedette-ignored')).toBeNull()
      expect(response.headers.get('vedette-warnings')).toBeNull()
      const after = (await api.alice.get(readPath)).body
      expect(comparable(after)).toEqual(comparable(before))
    },
  )
})
