// Generated bodies, valid and invalid, to every create and update route: never a 5xx, never a stored invalid
// resource, and what was stored reads back equal.
import { createHash } from 'node:crypto'
import {
  type AnyRoute,
  checkTypes,
  errorStatuses,
  routes,
  runCheckJobs,
  stateFields,
} from '@vedette/contracts'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { z } from 'zod'
import { startTestApi, type TestAnswer, type TestApi } from '../testing/api.ts'
import { type Known, spoiledFor, validFor } from '../testing/arbitrary.ts'
import { testCertificate, testPrivateKey } from '../testing/certificates.ts'
import { createFixtures, type Fixtures } from '../testing/fixtures.ts'
import { differences } from '../testing/same.ts'
import { testPassword } from '../testing/sign-in.ts'

const runs = Number(process.env.PROPERTY_RUNS ?? 5)
/**
 * Few generated bodies fit: the check of the fixtures has one type, the mode of a gRPC monitor decides about its fields, and a
 * traceroute monitor has rules between thresholds, frequency and retries.
 */
const demanding = [
  '/v1/checks/{id}',
  '/v1/checks/grpc',
  '/v1/checks/grpc/{id}',
  '/v1/checks/traceroute',
  '/v1/checks/traceroute/{id}',
]
const runsOf = ({ path }: AnyRoute) => (demanding.includes(path) ? 4 * runs : runs)

let api: TestApi
let fixtures: Fixtures
beforeAll(async () => {
  api = await startTestApi()
  fixtures = await createFixtures(api, api.alice)
})
afterAll(() => api.close())

const runnable = Object.values(checkTypes).filter(({ capacity }) => capacity !== null)

/** Fields that name other resources are given ones that exist; the rest is read off the schemas. */
function knownIds(route: AnyRoute): Known {
  const { ids } = fixtures
  const one = (name: string) => fc.constant(ids[name])
  const known: Known = {
    groupId: fc.option(one('group')),
    alertChannelId: one('channel'),
    setupSnippetId: fc.option(one('snippet')),
    tearDownSnippetId: fc.option(one('snippet')),
    serviceId: one('service'),
    services: fc.constant([{ id: ids.service }]),
    privateLocations: fc.constantFrom([], ['office']),
    components: fc.constant([{ componentId: ids.component, targetImpact: 'PARTIAL_OUTAGE' }]),
    parentId: fc.option(one('componentGroup')),
    dashboardId: one('dashboard'),
    codeBundlePath: fc.constant(checkTypes.PLAYWRIGHT.example.codeBundlePath),
    timezone: fc.constantFrom(null, 'UTC', 'Europe/Berlin', 'Asia/Kolkata'),
  }
  if (route.path === '/v1/client-certificates') {
    known.cert = fc.constant(testCertificate)
    known.key = fc.constant(testPrivateKey)
    known.ca = fc.constantFrom(null, testCertificate)
    known.passphrase = fc.constant(null)
  }
  if (route.path.endsWith('/subscriptions')) {
    known.groupId = fc.constant(undefined)
    known.checkId = one('api')
  }
  if (route.path.startsWith('/v1/maintenance-windows')) {
    // Published windows have limits that generated dates rarely keep.
    known.enabled = fc.constant(false)
    known.statusPageIds = fc.constantFrom([], [ids.page])
    known.serviceIds = fc.constantFrom([], [ids.service])
  }
  // Other times are refused: they must be in the future, and at most a year away.
  if (/^\/v[12]\/(checks|check-groups|bulk-actions)/.test(route.path))
    known.mutedUntil = fc.constantFrom(null, new Date(Date.now() + 3_600_000).toISOString())
  if (route.path === '/v1/alert-settings/backtest') {
    known.target = fc.constantFrom({ checkId: [ids.url] }, { usesAccountSettings: true })
    // Most generated times are in the future, or too far apart.
    known.from = fc.constantFrom(undefined, new Date(Date.now() - 86_400_000).toISOString())
    known.to = fc.constant(undefined)
  }
  if (route.path.startsWith('/v1/alert-channels')) known.subscriptions = fc.constant([])
  if (/^\/next\/checkly-storage\/(download|peek-code-bundle)$/.test(route.path)) known.key = one('upload')
  if (route.path === '/v1/setup') known.token = one('setupToken')
  if (route.path === '/v1/users/me/password') known.currentPassword = fc.constant(testPassword)
  if (route.path === '/v1/sign-in') {
    known.email = one('email')
    known.password = fc.constant(testPassword)
  }
  if (route.path === '/v1/cancel') {
    known.checkSessionId = one('checkSession')
    known.testSessionId = one('testSession')
  }
  if (route.path === '/v1/test-sessions/drafts') {
    const drafts = runnable.map(({ type, example }) => [{ check: { ...example, checkType: type } }])
    known.drafts = fc.constantFrom(...drafts)
    known.locations = fc.constantFrom(undefined, ['eu-central-1', 'office'])
  }
  if (route.path === '/next/test-sessions/trigger' || route.path === '/v1/test-sessions/run') {
    known.runLocation = fc.constantFrom(
      { type: 'PUBLIC', region: 'eu-central-1' },
      { type: 'PRIVATE', slugName: 'office' },
    )
    known.checkRunJobs = fc.constant(Object(runCheckJobs.example).checkRunJobs)
    known.targetTags = fc.constant(undefined)
    known.checkId = fc.constant([ids.url])
  } else if (route.path.endsWith('-sessions/trigger')) {
    known.target = fc.constantFrom(undefined, { checkId: [ids.url] })
    known.runLocation = fc.constantFrom('eu-central-1', 'office')
  }
  return known
}

/** Routes with similar bodies must not get the same ones: unique names would collide. */
function seedOf({ method, path }: AnyRoute): number {
  const hash = createHash('sha256').update(`${method} ${path}`).digest().readInt32BE()
  return (fc.readConfigureGlobal().seed ?? 0) ^ hash
}

const mutations = routes.filter((route) => route.method !== 'GET' && route.body !== undefined)
const named = mutations.map((route) => [`${route.method} ${route.path}`, route] as const)

async function send(route: AnyRoute, body: unknown): Promise<TestAnswer> {
  return api.alice.send(route.method, fixtures.pathOf(route), JSON.stringify(body))
}

/** Where what an update changes can be read: mostly under the same path. */
function readPathOfUpdate(route: AnyRoute): string | undefined {
  const path = route.path
    .replace(/^\/v1\/checks\/[a-z]+\/\{id\}$/, '/v1/checks/{id}')
    .replace(/^\/v2\//, '/v1/')
  const isRead = routes.some((other) => other.method === 'GET' && other.path === path)
  const id = fixtures.pathOf(route).split('/').at(-1) as string
  return !isRead ? undefined : path === route.path ? fixtures.pathOf(route) : path.replace('{id}', id)
}

/** The path of the resource that a mutation returned, if it has one. */
function readPath(route: AnyRoute, response: TestAnswer): string | undefined {
  if (route.method !== 'POST') return readPathOfUpdate(route)
  const collection = route.path.replace(/^\/v1\/checks\/[a-z]+$/, '/v1/checks').replace(/^\/v2\//, '/v1/')
  const reading = routes.find(
    ({ method, path }) =>
      method === 'GET' && new RegExp(`^${RegExp.escape(collection)}/\\{\\w+\\}$`).test(path),
  )
  const name = /\{(\w+)\}$/.exec(reading?.path ?? '')?.[1]
  const id = name === undefined ? undefined : (response.body?.[name] ?? response.body?.id)
  if (id === undefined) return undefined
  const base = collection === route.path ? fixtures.pathOf(route) : collection
  return `${base}/${encodeURIComponent(id)}`
}

/** They need a cookie, or what an earlier step returned. */
const bySteps = new Set([
  // What a payload holds depends on the type of its resource.
  '/v1/projects/deploy',
  // Random filters exclude everything.
  '/next/projects/{logicalId}/imports',
  '/v1/sign-in/confirmation',
  '/v1/sign-in/second-factor',
  '/v1/sign-in/passkey',
  '/v1/sign-in/single-sign-on',
  '/v1/sign-in/single-sign-on/start',
  '/v1/users/me/email',
  '/v1/users/me/email/confirmation',
  '/v1/users/me/passkeys',
  '/v1/users/me/passkeys/{id}',
  '/v1/users/me/totp/confirmation',
])
const forKeys = named.filter(([, { path }]) => !bySteps.has(path))

describe('a body that the contract accepts', () => {
  it.each(forKeys)('%s', { timeout: 120_000 }, async (_name, route) => {
    const schema = route.body as z.ZodType
    let stored = 0
    await fc.assert(
      fc.asyncProperty(validFor(schema, knownIds(route)), async (body) => {
        const response = await send(route, body)
        expect([route.status, ...errorStatuses(route)], response.text).toContain(response.status)
        if (response.status !== route.status) return
        stored += 1
        const path = readPath(route, response)
        if (path === undefined) return
        const read = await api.alice.get(path)
        expect(read.status).toBe(200)
        expect(differences(schema.parse(body), read.body)).toEqual([])
      }),
      { numRuns: runsOf(route), seed: seedOf(route) },
    )
    // A property that never stored anything would prove nothing.
    expect(stored).toBeGreaterThan(0)
  })
})

/** Their public description has "replace". */
const replacing = new Set(['/v1/alert-channels/{id}', '/v1/status-pages/{statusPageId}'])

/** Parts of something larger, or not read by anyone. */
const unreadable = new Set([
  '/v1/accounts/me/members/{userId}',
  '/v1/accounts/{accountId}/members/{userId}',
  '/v1/alert-channels/{id}/subscriptions',
  '/v1/incidents/{incidentId}/updates/{id}',
  '/v1/users/me/passkeys/{id}',
])

describe('an update changes only what is sent', () => {
  const updates = named.filter(
    ([, route]) =>
      (route.method === 'PUT' || route.method === 'PATCH') &&
      !replacing.has(route.path) &&
      !unreadable.has(route.path),
  )
  it.each(updates)('%s', { timeout: 120_000 }, async (_name, route) => {
    const schema = route.body as z.ZodType
    let changed = 0
    await fc.assert(
      fc.asyncProperty(validFor(schema, knownIds(route)), fc.nat(), async (body, choice) => {
        const fields = Object.keys(body as object)
        const field = fields[choice % Math.max(1, fields.length)]
        const sent = field === undefined ? {} : { [field]: (body as Record<string, unknown>)[field] }
        const path = readPathOfUpdate(route) as string
        const before = (await api.alice.get(path)).body
        const response = await send(route, sent)
        if (response.status !== route.status) return
        changed += 1
        const after = (await api.alice.get(path)).body
        const others = ['updated_at', 'updatedAt', ...derivedFields, ...(consequences[field ?? ''] ?? [])]
        for (const name of [field ?? [], others].flat()) {
          delete before[name]
          delete after[name]
        }
        expect(after).toEqual(before)
      }),
      { numRuns: runsOf(route), seed: seedOf(route) },
    )
    expect(changed).toBeGreaterThan(0)
  })
})

/** Derived from the other fields and the clock. */
const derivedFields = Object.keys(stateFields)

/** Fields that are derived from another one. */
const consequences: Record<string, string[]> = {
  alertChannelSubscriptions: ['alertChannels'],
  // Making a dashboard private issues its first key.
  isPrivate: ['keys'],
}

describe('a body that the contract refuses', () => {
  it.each(named)('%s', { timeout: 120_000 }, async (_name, route) => {
    const schema = route.body as z.ZodType
    // If the body is optional, null isn't a body.
    const isAbsent = (body: unknown) => route.bodyOptional === true && body === null
    const isRefused = (body: unknown) => !isAbsent(body) && !schema.safeParse(body).success
    const before = await fingerprint()
    await fc.assert(
      fc.asyncProperty(spoiledFor(schema, knownIds(route)).filter(isRefused), async (body) => {
        const response = await send(route, body)
        expect(response.status, response.text).toBe(400)
        expect(Object.keys(response.body.attributes).length).toBeGreaterThan(0)
      }),
      { numRuns: runsOf(route), seed: seedOf(route) },
    )
    expect(await fingerprint()).toEqual(before)
  })
})

/** The content of every table but the counters and the times of last use. */
async function fingerprint(): Promise<Record<string, string>> {
  // What is in a partition is in its table.
  const { rows: tables } = await api.store.pool.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
       and relname not in ('rate_windows', 'api_keys')`,
  )
  const contents = tables.map(
    ({ name }) =>
      `select '${name}' as name, coalesce(md5(string_agg(t::text, '' order by t::text)), '') as hash from ${name} t`,
  )
  const { rows } = await api.store.pool.query<{ name: string; hash: string }>(contents.join(' union all '))
  expect(rows.filter(({ hash }) => hash !== '').length).toBeGreaterThan(0)
  return Object.fromEntries(rows.map(({ name, hash }) => [name, hash]))
}
