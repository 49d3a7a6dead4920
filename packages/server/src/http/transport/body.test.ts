import { once } from 'node:events'
import { connect } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { routes } from '@vedette/contracts'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { bodyLimitOf } from './body.ts'
import { BodyMemory } from './body-memory.ts'
import { findExcess } from './json-limits.ts'

let api: TestApi
beforeAll(async () => {
  api = await startTestApi()
})
afterAll(() => api.close())

/** Sends only the headers; resolves with what comes back while the server is still owed the whole body. */
async function responseWithoutBody(
  method: string,
  path: string,
  headers: Record<string, string | undefined> = {},
) {
  const socket = connect(Number(new URL(api.url).port), '127.0.0.1')
  const lines = Object.entries({
    host: 'vedette.test',
    'content-type': 'application/json',
    'content-length': '100000',
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  const [first] = (await once(socket, 'data')) as [Buffer]
  socket.destroy()
  return String(first)
}

describe('before a byte of the body is read', () => {
  it.each(['POST', 'PUT', 'PATCH', 'DELETE'])('404: %s of an unknown route', async (method) => {
    for (const headers of [
      {},
      { authorization: `Bearer ${api.alice.key}` },
      { 'content-encoding': 'gzip' },
    ]) {
      const response = await responseWithoutBody(method, '/nope', headers)
      expect(response).toMatch(/^HTTP\/1\.1 404 /)
      expect(response).toContain("This route doesn't exist.")
    }
  })

  it('401: without a key and with a wrong one, on every route that reads a body', async () => {
    for (const { method, path, body, access } of routes) {
      if (body === undefined || access === 'public') continue
      for (const headers of [{}, { authorization: 'Bearer vu_00000000000000000000000000000000' }]) {
        const response = await responseWithoutBody(method, path.replaceAll(/\{\w+\}/g, '1'), headers)
        expect(response, `${method} ${path}`).toMatch(/^HTTP\/1\.1 401 /)
      }
    }
  })

  it('403: with a role that is too low', async () => {
    const reader = await api.as('READ_ONLY')
    const headers = { authorization: `Bearer ${reader.key}` }
    expect(await responseWithoutBody('POST', '/v1/snippets', headers)).toMatch(/^HTTP\/1\.1 403 /)
  })

  it('413: with a length above the limit of the route, which the response names', async () => {
    const headers = { authorization: `Bearer ${api.alice.key}`, 'content-length': '1048577' }
    const response = await responseWithoutBody('POST', '/v1/variables', headers)
    expect(response).toMatch(/^HTTP\/1\.1 413 /)
    expect(response).toContain('larger than 1,048,576 bytes')
    expect(response).toContain('"maxBytes":1048576')
  })
})

describe('limits of bodies', () => {
  const bomb = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)

  it('413: counts after inflation, by the limit of the route', async () => {
    const text = JSON.stringify({ key: 'A', value: 'x'.repeat(1_100_000) })
    for (const [encoding, pack] of [
      ['gzip', gzipSync],
      ['br', brotliCompressSync],
    ] as const) {
      const headers = { 'content-encoding': encoding }
      expect((await api.alice.send('POST', '/v1/variables', pack(text), headers)).status).toBe(413)
    }
    expect((await api.alice.post('/v1/variables', text)).status).toBe(413)
  })

  it('201: scripts and files of checks may be larger than the limit of other routes', async () => {
    const name = 'large'
    const script = `// ${'x'.repeat(3_000_000)}`
    const created = await api.alice.post('/v1/checks/browser', { name, script, locations: ['eu-west-1'] })
    expect(created.status).toBe(201)
    expect((await api.alice.post('/v1/snippets', { name, script: 'é'.repeat(900_000) })).status).toBe(201)
  })

  it('400: deep nesting is refused before it is parsed, also in unknown fields', async () => {
    const reader = await api.as('READ_ONLY')
    for (const body of [bomb(65), bomb(100_000), `{"unknown": ${bomb(64)}}`]) {
      const packed = gzipSync(body)
      const headers = { 'content-encoding': 'gzip' }
      const response = await reader.send('POST', '/v1/alert-settings/backtest', packed, headers)
      expect(response.status).toBe(400)
      expect(response.body).toMatchObject({
        message: 'The request body must not be nested deeper than 64 levels.',
        attributes: { body: 'must not be nested deeper than 64 levels' },
      })
    }
  })

  it('400: more values than any request needs', async () => {
    const many = `{"name": "a", "script": "b", "unknown": [${'[],'.repeat(250_000)}0]}`
    const response = await api.alice.post('/v1/snippets', many)
    expect(response.status).toBe(400)
    expect(response.body.message).toContain('250,000 values')
  })

  it('sends a form of a public page nowhere near a parser of JSON', async () => {
    const path = '/s/nobody/subscriptions'
    const large = await api.nobody.send('POST', path, bomb(10_000))
    expect(large.status).toBe(413)
    const packed = gzipSync(bomb(8_000_000))
    const inflated = await api.nobody.send('POST', path, packed, { 'content-encoding': 'gzip' })
    expect(inflated.status).toBe(404)
  })

  it('gives every route without scripts a megabyte', () => {
    const largest = 16 * 1024 * 1024
    const large = routes.filter(
      (route) => route.body && bodyLimitOf(route, { setting: largest, project: largest }) > 1024 * 1024,
    )
    expect(large.map(({ access }) => access)).not.toContain('READ_ONLY')
    expect(large.map(({ access }) => access)).not.toContain('public')
    expect(bodyLimitOf(undefined, { setting: 1000, project: 1000 })).toBe(1000)
  })
})

describe('findExcess', () => {
  it.each([
    ['[[]]', null],
    [`"${'['.repeat(100)}"`, null],
    [`{"a\\"${'['.repeat(100)}": "\\\\", "b": [1]}`, null],
    [`["\\\\", ${'['.repeat(64)}`, 'must not be nested deeper than 64 levels'],
    ['{"a":'.repeat(65), 'must not be nested deeper than 64 levels'],
    ['"never closed [[[', null],
    ['"ends in an escape\\', null],
    [']]]]', null],
    [`[${'0,'.repeat(1000)}0]`, 'must not hold more than 1,000 values'],
  ])('of %j', (text, expected) => {
    expect(findExcess(Buffer.from(text), 1000)).toBe(expected)
  })
})

describe('BodyMemory', () => {
  it('refuses one caller beyond its share, and all beyond the whole; what is released can be held again', () => {
    const memory = new BodyMemory({ maxTotal: 100, maxPerCaller: 60 })
    memory.hold('a', 60)
    expect(() => memory.hold('a', 1)).toThrow('too many large bodies')
    memory.hold('b', 40)
    expect(() => memory.hold('b', 1)).toThrow('too many large bodies')
    memory.release('a', 60)
    memory.hold('b', 20)
    memory.hold('a', 40)
  })
})
