import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import fastify from 'fastify'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { openSocket } from '../../testing/open-socket.ts'
import { closeConnections } from './close-connections.ts'
import { createHttpServer } from './http-server.ts'

describe('a server that is told to stop', () => {
  let api: TestApi
  let port: number
  beforeAll(async () => {
    api = await startTestApi()
    port = Number(new URL(api.url).port)
  })
  afterAll(() => api.close())

  it('closes connections with the response: of a request in progress, and of the next request on an idle connection', async () => {
    const idle = openSocket(port)
    const health = 'GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n'
    idle.socket.write(health)
    await once(idle.socket, 'data')

    const busy = openSocket(port)
    busy.socket.write(
      'POST /v1/snippets HTTP/1.1\r\nhost: a\r\ncontent-type: application/json\r\nexpect: 100-continue\r\n' +
        `authorization: Bearer ${api.alice.key}\r\ncontent-length: 25\r\n\r\n`,
    )
    // The server has begun to handle the request.
    await once(busy.socket, 'data')
    expect(busy.text()).toBe('HTTP/1.1 100 Continue\r\n\r\n')

    api.probe.stop()
    busy.socket.write('{"name":"a","script":"b"}')
    await busy.closed
    expect(busy.text()).toMatch(/HTTP\/1\.1 201 .*connection: close/is)

    idle.socket.write(health)
    await idle.closed
    const [, first, second] = idle.text().split('HTTP/1.1 ')
    expect(first).toMatch(/^200 .*connection: keep-alive/is)
    expect(second).toMatch(/^200 .*connection: close/is)

    const late = openSocket(port)
    late.socket.write(health)
    await late.closed
    expect(late.text()).toMatch(/^HTTP\/1\.1 200 .*connection: close/is)
  })
})

it('a connection without a request does not keep a server from closing', async () => {
  const app = fastify({ forceCloseConnections: 'idle', serverFactory: createHttpServer })
  closeConnections(app, { isStopped: () => true })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const accepted = once(app.server, 'connection')
  const silent = openSocket((app.server.address() as AddressInfo).port)
  await accepted
  await app.close()
  await silent.closed
  expect(silent.text()).toBe('')
})
