import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { gunzipSync } from 'node:zlib'
import fastify, { type FastifyInstance } from 'fastify'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { compressors } from '../../core/ready-bytes.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { openSocket } from '../../testing/open-socket.ts'
import { createHttpServer } from './http-server.ts'
import { cutOffSlowReaders, type ReaderLimits } from './slow-readers.ts'

describe('the API', () => {
  let api: TestApi
  let port: number
  beforeAll(async () => {
    api = await startTestApi()
    port = Number(new URL(api.url).port)
  })
  afterAll(() => api.close())
  afterEach(() => vi.restoreAllMocks())

  async function responseTo(request: string): Promise<string> {
    const { socket, text, closed } = openSocket(port)
    socket.write(request)
    await closed
    return text()
  }

  it.each([
    ['400: no Host header', '', 'The request has no Host header.'],
    ['400: two Host headers', 'host: a\r\nHost: b\r\n', 'The request has more than one Host header.'],
  ])('%s', async (_name, headers, message) => {
    const response = await responseTo(`GET /healthz HTTP/1.1\r\n${headers}connection: close\r\n\r\n`)
    expect(response).toMatch(/^HTTP\/1\.1 400 /)
    expect(response).toContain(`"message":"${message}","attributes":{}`)
  })

  it('200: HTTP/1.0 has no Host header', async () => {
    expect(await responseTo('GET /healthz HTTP/1.0\r\n\r\n')).toMatch(/^HTTP\/1\.1 200 /)
  })

  it('417: an expectation other than 100-continue, in the form of other errors', async () => {
    const response = await responseTo(
      'GET /healthz HTTP/1.1\r\nhost: a\r\nexpect: tea\r\nconnection: close\r\n\r\n',
    )
    expect(response).toMatch(/^HTTP\/1\.1 417 /)
    expect(response).toContain('"statusCode":417')
  })

  it('asks for a body only after the key was found good', async () => {
    const head = 'POST /v1/snippets HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\n'
    const wait = `expect: 100-continue\r\ncontent-length: 25\r\nconnection: close\r\n`
    expect(await responseTo(`${head}${wait}\r\n`)).toMatch(/^HTTP\/1\.1 401 /)
    const { socket, text, closed } = openSocket(port)
    socket.write(`${head}authorization: Bearer ${api.alice.key}\r\n${wait}\r\n`)
    await once(socket, 'data')
    expect(text()).toMatch(/^HTTP\/1\.1 100 Continue/)
    socket.write('{"name":"a","script":"b"}')
    await closed
    expect(text()).toContain('HTTP/1.1 201 ')
  })

  it('compresses each document once per encoding', async () => {
    const counts = { br: vi.spyOn(compressors, 'br'), gzip: vi.spyOn(compressors, 'gzip') }
    const ask = (path: string, encoding: string) =>
      api.nobody.send('GET', path, undefined, { 'accept-encoding': encoding })
    for (const path of ['/openapi.json', '/swagger.json']) {
      const responses = await Promise.all(['br', 'gzip', 'br', 'gzip', 'br'].map((name) => ask(path, name)))
      expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]))
      expect(responses[0]?.body).toEqual(responses[1]?.body)
      expect(responses[0]?.body.openapi).toBe('3.0.3')
    }
    expect(counts.br).toHaveBeenCalledTimes(1)
    expect(counts.gzip).toHaveBeenCalledTimes(1)
    for (const path of ['/docs/js/scalar.js', '/docs/js/scalar.js']) await ask(path, 'gzip')
    expect(counts.gzip).toHaveBeenCalledTimes(2)
  })

  it('200: the document is the same bytes in every encoding, and 304 for a client that has it', async () => {
    const plain = await fetch(`${api.url}/openapi.json`, { headers: { 'accept-encoding': 'identity' } })
    const { socket, closed } = openSocket(port)
    const chunks: Buffer[] = []
    socket.on('data', (chunk) => chunks.push(chunk))
    socket.write(
      'GET /openapi.json HTTP/1.1\r\nhost: a\r\naccept-encoding: gzip\r\nconnection: close\r\n\r\n',
    )
    await closed
    const response = Buffer.concat(chunks)
    const body = response.subarray(response.indexOf('\r\n\r\n') + 4)
    expect(String(gunzipSync(body))).toBe(await plain.text())
    const etag = plain.headers.get('etag') as string
    for (const path of ['/openapi.json', '/docs/js/scalar.js']) {
      const known =
        path === '/openapi.json' ? etag : ((await fetch(api.url + path)).headers.get('etag') ?? '')
      const again = await fetch(api.url + path, { headers: { 'if-none-match': known } })
      expect(again.status).toBe(304)
      expect(await again.text()).toBe('')
    }
  })

  it('responds to a thousand pipelined requests in order to a client that reads', async () => {
    const { socket, text, closed } = openSocket(port)
    const one = (n: number, close = '') =>
      `GET /healthz HTTP/1.1\r\nhost: a\r\nx-request-id: n${n}\r\n${close}\r\n`
    socket.write(Array.from({ length: 999 }, (_, n) => one(n)).join('') + one(999, 'connection: close\r\n'))
    await closed
    const ids = [...text().matchAll(/x-request-id: n(\d+)/g)].map(([, n]) => Number(n))
    expect(ids).toEqual(Array.from({ length: 1000 }, (_, n) => n))
  })
})

describe('a client that does not read', () => {
  let app: FastifyInstance
  afterEach(() => app.close())

  async function start(limits: Partial<ReaderLimits> = {}) {
    app = fastify({ serverFactory: createHttpServer })
    cutOffSlowReaders(app, limits)
    let handled = 0
    const large = Buffer.alloc(8 * 1024 * 1024)
    app.get('/large', async () => {
      handled += 1
      return large
    })
    await app.listen({ host: '127.0.0.1', port: 0 })
    const { port } = app.server.address() as AddressInfo
    const openUnread = () => {
      const socket = connect(port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.pause()
      return socket
    }
    return { handledCount: () => handled, openUnread }
  }
  const get = 'GET /large HTTP/1.1\r\nhost: a\r\n\r\n'
  const connectionCount = () =>
    new Promise<number>((resolve) => app.server.getConnections((_error, count) => resolve(count)))

  it('has one response in memory, however many it requests, and is cut off after a while', async () => {
    const { openUnread, handledCount } = await start({ stallMs: 300 })
    const socket = openUnread()
    socket.write(get.repeat(50))
    await expect.poll(() => handledCount()).toBe(1)
    await expect.poll(() => connectionCount()).toBe(0)
    expect(handledCount()).toBe(1)
    socket.destroy()
  })

  it('is cut off when it asks for more than a connection may have in line', async () => {
    const { openUnread } = await start()
    const socket = openUnread()
    const closed = once(socket, 'close')
    socket.write(get.repeat(1500))
    socket.resume()
    await closed
    expect(await connectionCount()).toBe(0)
  })

  it('is cut off first where unread responses take too much memory', async () => {
    const { openUnread, handledCount } = await start({ maxUnreadBytes: 20 * 1024 * 1024 })
    const sockets = []
    for (let count = 1; count <= 3; count++) {
      const socket = openUnread()
      sockets.push(socket)
      socket.write(get)
      await expect.poll(() => handledCount()).toBe(count)
    }
    await expect.poll(() => connectionCount()).toBe(2)
    for (const socket of sockets) socket.destroy()
  })
})
