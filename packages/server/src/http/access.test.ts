// Rules for every route, tested on the whole list.
import { type AnyRoute, type Role, roles, routes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Caller, startTestApi, type TestApi } from '../testing/api.ts'
import { createFixtures, type Fixtures } from '../testing/fixtures.ts'

let api: TestApi
let fixtures: Fixtures
const byRole = new Map<Role, Caller>()
beforeAll(async () => {
  api = await startTestApi()
  fixtures = await createFixtures(api, api.alice)
  for (const role of roles) byRole.set(role, await api.as(role))
})
afterAll(() => api.close())

type Named = [string, AnyRoute]
const named = (chosen: AnyRoute[]): Named[] => chosen.map((route) => [`${route.method} ${route.path}`, route])
const needKey = routes.filter((route) => route.access !== 'public')
const needRole = needKey.filter((route) => route.access !== 'key')

describe('401 without a key', () => {
  it.each(named(needKey))('%s', async (_name, route) => {
    const { status, body } = await api.nobody.send(route.method, fixtures.pathOf(route), route.example)
    expect(status).toBe(401)
    const message = 'No API key was sent: add the header Authorization: Bearer <key>.'
    expect(body).toEqual({ statusCode: 401, error: 'Unauthorized', message, attributes: {} })
  })
})

describe('403 with too low a role', () => {
  it.each(named(needRole.filter((route) => route.access !== 'READ_ONLY')))('%s', async (_name, route) => {
    const below = roles[roles.indexOf(route.access as Role) - 1] as Role
    const caller = byRole.get(below) as Caller
    expect((await caller.send(route.method, fixtures.pathOf(route), route.example)).status).toBe(403)
  })
})

describe('404 for an account that the key has no role in', () => {
  it.each(named(needRole))('%s', async (_name, route) => {
    const foreign = { 'x-service-account': api.alice.accountId }
    const { status } = await api.bob.send(route.method, fixtures.pathOf(route), route.example, foreign)
    expect(status).toBe(404)
  })
})

/** Runtimes don't belong to an account. Deleting a project that doesn't exist isn't an error: see projects/. */
const common = new Set(['/v1/runtimes/{id}', '/v1/projects/{logicalId}'])

describe('404 for a resource of another account', () => {
  const withParams = needKey.filter((route) => route.params !== undefined && !common.has(route.path))
  it.each(named(withParams))('%s', async (_name, route) => {
    const response = await api.bob.send(route.method, fixtures.pathOf(route), route.example)
    expect(response.status).toBe(404)
    expect(response.body.statusCode).toBe(404)
  })

  it('leaves everything of the other account as it was', async () => {
    const reads = routes.filter(
      (route) => route.method === 'GET' && route.params !== undefined && route.access !== 'public',
    )
    for (const route of reads) {
      expect((await api.alice.get(fixtures.pathOf(route))).status, `${route.method} ${route.path}`).toBe(200)
    }
  })
})

describe('400 names what is wrong', () => {
  const withBody = needKey.filter((route) => route.body !== undefined && !route.bodyOptional)
  it.each(named(withBody))("%s refuses a body that isn't an object", async (_name, route) => {
    const { status, body } = await api.alice.send(route.method, fixtures.pathOf(route), '"text"')
    expect(status).toBe(400)
    expect(Object.keys(body.attributes).length).toBeGreaterThan(0)
  })
})

describe('public routes', () => {
  // Routes with several outcomes have their own tests: trigger URLs, the one about certificates, and those of sign-ins.
  const publicRoutes = routes.filter(
    ({ access, alternativeStatuses, errors, body }) =>
      access === 'public' &&
      alternativeStatuses === undefined &&
      !errors?.some((status) => status === 404 || status === 409) &&
      body === undefined,
  )
  it.each(named(publicRoutes))('%s responds without a key', async (_name, route) => {
    const sendOnce = async () => (await api.nobody.send(route.method, fixtures.pathOf(route))).status
    // On a busy machine a probe of the database takes longer than readiness allows.
    if (route.path === '/readyz') await expect.poll(sendOnce).toBe(route.status)
    else expect(await sendOnce()).toBe(route.status)
  })
})
