import { Validator } from '@seriousme/openapi-schema-validator'
import { additionMark, checkTypes, errorStatuses, openapi, routes } from '@vedette/contracts'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBlobStore } from '../blobs/blob-store.ts'
import { readConfig } from '../config.ts'
import { openVault } from '../storage/core/vault.ts'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { systemClock } from '../testing/system-clock.ts'
import { buildApp } from './transport/app.ts'

const document = openapi(routes, { serverUrl: 'http://localhost:3000' })
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    name: `${method.toUpperCase()} ${path}`,
    operation,
  })),
)

describe('the OpenAPI document', () => {
  it('is a valid OpenAPI 3 document', async () => {
    const { valid, errors } = await new Validator().validate({ ...structuredClone(document) })
    expect(errors).toBeUndefined()
    expect(valid).toBe(true)
  })

  it('gives every operation a unique name', () => {
    const ids = operations.map(({ operation }) => operation.operationId)
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('resolves every reference', () => {
    const text = JSON.stringify(document)
    for (const [, kind, name] of text.matchAll(/"#\/components\/(\w+)\/([^"]+)"/g)) {
      expect(document.components[kind as string]?.[name as string], `${kind}/${name}`).toBeDefined()
    }
  })

  it.each(
    routes
      .filter((route) => route.body !== undefined)
      .map((route) => [`${route.method} ${route.path}`, route] as const),
  )('%s has an example that its schema accepts', (_name, route) => {
    if (route.bodyOptional && route.example === undefined)
      return expect(route.body?.safeParse({}).success).toBe(true)
    expect(route.example).toBeDefined()
    expect(route.body?.safeParse(route.example).error).toBeUndefined()
  })

  it('shows the fields of each type where a check of any type is updated', () => {
    const text = JSON.stringify(document.paths['/v1/checks/{id}']?.put?.requestBody)
    const names = [...text.matchAll(/schemas\/(\w+)"/g)].map(([, name]) => name)
    expect(names).toEqual(Object.values(checkTypes).map(({ name }) => `${name}Update`))
  })

  it("requires no response field that the wire doesn't have", () => {
    const result = document.components.schemas?.CheckResult as { required: string[]; properties: object }
    expect(Object.keys(result.properties)).toEqual(
      expect.arrayContaining(['scheduledAt', 'failure', 'metrics']),
    )
    expect(result.required).toEqual(expect.arrayContaining(['id', 'resultType', 'traceId']))
    for (const field of ['scheduledAt', 'failure', 'metrics', 'tcpCheckResult']) {
      expect(result.required).not.toContain(field)
    }
    expect(JSON.stringify(document)).not.toContain(additionMark)
  })

  it('names the success and every error of each operation', () => {
    for (const route of routes) {
      const operation = document.paths[route.path]?.[route.method.toLowerCase()]
      const responses = Object.keys(operation?.responses as object)
      const expected = [route.status, ...errorStatuses(route)].map(String)
      expect(responses.sort(), route.path).toEqual(expected.sort())
    }
  })
})

describe('mounted routes', () => {
  let database: TestDatabase
  let app: FastifyInstance
  const mounted = new Set<string>()

  beforeAll(async () => {
    database = await createTestDatabase()
    app = await buildApp({
      store: database.store,
      vault: openVault('a secret key for tests'),
      blobs: openBlobStore(readConfig({})),
      config: readConfig({}),
      clock: systemClock,
      staticIps: { ipv4: {}, ipv6: {} },
      log: pino({ level: 'silent' }),
      onRoute: ({ method, url, config }: RouteOptions) => {
        if (config?.isRefusal) return
        for (const name of [method].flat()) mounted.add(`${name} ${url.replace(/:(\w+)/g, '{$1}')}`)
      },
    })
  })
  afterAll(async () => {
    await app.close()
    await database.drop()
  })

  // HEAD follows from GET, the reference page is for people, and routes of agents aren't public.
  const isApi = (name: string) =>
    !name.startsWith('HEAD ') &&
    !name.startsWith('GET /docs') &&
    !/^\w+ \/agent\//.test(name) &&
    name !== 'GET /'

  it('are in the document, each of them', () => {
    const documented = new Set(operations.map(({ name }) => name))
    expect([...mounted].filter((name) => isApi(name) && !documented.has(name))).toEqual([])
  })

  it('cover the document, each operation of it', () => {
    expect(operations.filter(({ name }) => !mounted.has(name)).map(({ name }) => name)).toEqual([])
    expect(operations.length).toBeGreaterThan(100)
  })
})
