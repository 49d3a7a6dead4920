import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { Writable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBlobStore } from '../../blobs/blob-store.ts'
import { readConfig } from '../../config.ts'
import { openVault } from '../../storage/core/vault.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { systemClock } from '../../testing/system-clock.ts'
import { buildApp } from './app.ts'
import { redactPath } from './request-log.ts'

describe('redactPath', () => {
  it.each([
    ['/ping/0d1c', '/ping/***'],
    ['/checks/5/trigger/abc?deployment=true', '/checks/5/trigger/***?deployment=true'],
    ['/check-groups/5/trigger/abc', '/check-groups/5/trigger/***'],
    ['/s/_/verify/abc.def', '/s/_/verify/***'],
    ['/s/_/unsubscribe/abc.def', '/s/_/unsubscribe/***'],
    ['/r/AbC-_9', '/r/***'],
    ['/v1/password-resets/AbC-_9', '/v1/password-resets/***'],
    ['/v1/invitations/AbC-_9', '/v1/invitations/***'],
    ['/v1/x?apiKey=abc&limit=5', '/v1/x?apiKey=***&limit=5'],
    ['/v1/triggers/checks/5', '/v1/triggers/checks/5'],
    ['/v1/x/vu_00112233445566778899aabbccddeeff', '/v1/x/vu_***'],
  ])('%s', (url, expected) => {
    expect(redactPath(url)).toBe(expected)
  })

  it.each([
    ['/p%69ng/0d1c', '/ping/***', false],
    ['/PING/0d1c', '/PING/***', true],
    ['//ping//0d1c-4e', '//ping/***', true],
    ['/pnig/52b7ad5f-3a1c-4c3e-9f51-0e6f2c3d4b5a', '/pnig/***', true],
    ['/ping52b7ad5f-3a1c-4c3e-9f51-0e6f2c3d4b5a', '/***', true],
    ['/checks/5/triger/Zm9vYmFyYmF6', '/checks/5/triger/***', true],
    ['/v1/pings?52b7ad5f-3a1c', '/v1/pings?***', true],
    ['/favicon.ico', '/favicon.ico', true],
    ['/%E0%A4%A', '/%E0%A4%A', false],
  ])('of a mistyped %s', (url, expected, isUnknown) => {
    expect(redactPath(url, isUnknown)).toBe(expected)
  })
})

describe('a request', () => {
  const lines: { msg: string; level: number }[] = []
  let database: TestDatabase
  let app: FastifyInstance
  beforeAll(async () => {
    const sink = new Writable({
      write(chunk, _encoding, done) {
        lines.push(JSON.parse(String(chunk)))
        done()
      },
    })
    database = await createTestDatabase()
    app = await buildApp({
      store: database.store,
      vault: openVault('a secret key for tests'),
      blobs: openBlobStore(readConfig({})),
      config: readConfig({}),
      clock: systemClock,
      staticIps: { ipv4: {}, ipv6: {} },
      log: pino({ level: 'debug' }, sink),
    })
    await app.listen({ port: 0, host: '127.0.0.1' })
  })
  afterAll(async () => {
    await app.close()
    await database.drop()
  })

  it('logs one line with the id of its response, and no secret', async () => {
    const headers = { authorization: 'Bearer vu_11111111111111111111111111111111' }
    const response = await app.inject({ url: '/v1/snippets?token=abc', headers })
    const [line] = lines.filter(({ msg }) => msg === 'request.done')
    expect(line).toMatchObject({ reqId: response.headers['x-request-id'], status: 401, method: 'GET' })
    expect(JSON.stringify(lines)).not.toMatch(/vu_1111|abc/)
  })

  it.each(['/nope', '/s/shop/subscriptions'])(
    'to %s whose sender hangs up in the middle of its body is not logged as a failure',
    async (path) => {
      const before = lines.length
      const socket = connect((app.server.address() as AddressInfo).port, '127.0.0.1')
      const type = 'content-type: application/x-www-form-urlencoded'
      socket.write(`POST ${path} HTTP/1.1\r\nhost: a.test\r\n${type}\r\ncontent-length: 28\r\n\r\nema`)
      await once(socket, 'connect')
      socket.end()
      await once(socket.resume(), 'close')
      await expect.poll(() => lines.slice(before).map(({ msg }) => msg)).toContain('request.done')
      expect(lines.filter(({ level }) => level >= 50)).toEqual([])
    },
  )
})
