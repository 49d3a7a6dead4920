import { Writable } from 'node:stream'
import { pino } from 'pino'
import { describe, expect, it } from 'vitest'
import { openBlobStore } from '../blobs/blob-store.ts'
import { systemClock } from '../clock.ts'
import { readConfig } from '../config.ts'
import { openVault } from '../storage/vault.ts'
import { createTestDatabase } from '../testing/database.ts'
import { buildApp } from './app.ts'
import { redactPath } from './request-log.ts'

describe('redactPath', () => {
  it.each([
    ['/ping/0d1c', '/ping/***'],
    ['/checks/5/trigger/abc?deployment=true', '/checks/5/trigger/***?deployment=true'],
    ['/check-groups/5/trigger/abc', '/check-groups/5/trigger/***'],
    ['/status-pages/_/verify/abc.def', '/status-pages/_/verify/***'],
    ['/status-pages/_/unsubscribe/abc.def', '/status-pages/_/unsubscribe/***'],
    ['/r/AbC-_9', '/r/***'],
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
  it('leaves one line with the id of its answer, and no secret', async () => {
    const lines: string[] = []
    const sink = new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk))
        done()
      },
    })
    const database = await createTestDatabase()
    const app = await buildApp({
      store: database.store,
      vault: openVault('a secret key for tests'),
      blobs: openBlobStore(readConfig({})),
      config: readConfig({}),
      clock: systemClock,
      staticIps: { ipv4: {}, ipv6: {} },
      log: pino({ level: 'debug' }, sink),
    })
    try {
      const headers = { authorization: 'Bearer vu_11111111111111111111111111111111' }
      const answer = await app.inject({ url: '/v1/snippets?token=abc', headers })
      const [line] = lines.map((text) => JSON.parse(text)).filter(({ msg }) => msg === 'request.done')
      expect(line).toMatchObject({ reqId: answer.headers['x-request-id'], status: 401, method: 'GET' })
      expect(lines.join('')).not.toMatch(/vu_1111|abc/)
    } finally {
      await app.close()
      await database.drop()
    }
  })
})
