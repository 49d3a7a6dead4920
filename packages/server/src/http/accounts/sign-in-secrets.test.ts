// A server behind https with a debug log: what the cookie looks like on the socket, and that no secret is logged.
import type { AddressInfo } from 'node:net'
import { Writable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openBlobStore } from '../../blobs/blob-store.ts'
import { readConfig } from '../../config.ts'
import { createFirstAccount } from '../../storage/accounts/first-account.ts'
import { insertOneTimeLink } from '../../storage/accounts/one-time-links.ts'
import { openVault } from '../../storage/core/vault.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { systemClock } from '../../testing/system-clock.ts'
import { buildApp } from '../transport/app.ts'

let database: TestDatabase
let app: FastifyInstance
let log = ''
const origin = 'https://vedette.example'
beforeAll(async () => {
  const sink = new Writable({
    write(chunk, _encoding, done) {
      log += String(chunk)
      done()
    },
  })
  database = await createTestDatabase()
  const config = readConfig({ PUBLIC_URL: origin })
  app = await buildApp({
    store: database.store,
    vault: openVault('a secret key for tests'),
    blobs: openBlobStore(config),
    config,
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

it('sets a cookie for https alone, and logs neither it, nor passwords, nor tokens', async () => {
  const url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const send = (path: string, body: unknown, headers: Record<string, string> = {}) =>
    fetch(url + path, {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json', 'x-vedette-app': '1', origin, ...headers },
    })
  const names = { account: 'A', email: 'ann@example.com' }
  const first = await createFirstAccount(database.store.db, names, Date.now())
  const [setupToken, userId] = [first?.setupToken ?? '', first?.owner.id ?? '']
  const passwords = ['first password', 'second password', 'third password', 'wrong password']
  const [password, second, third, wrong] = passwords

  const owner = { name: 'Ann', email: 'ann@example.com', password }
  const setUp = await send('/v1/setup', { token: setupToken, ...owner })
  const cookies = setUp.headers.getSetCookie()
  expect(cookies).toEqual([
    expect.stringMatching(
      /^__Host-vedette-sign-in=[\w-]{43}; Path=\/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure$/,
    ),
  ])
  const cookie = cookies[0]?.split(';')[0] ?? ''
  const change = { currentPassword: password, newPassword: second }
  expect((await send('/v1/users/me/password', change, { cookie })).status).toBe(204)
  expect((await send('/v1/sign-in', { email: owner.email, password: wrong })).status).toBe(401)
  expect((await send('/v1/sign-in', { email: owner.email, password: second })).status).toBe(200)
  const resetToken = await insertOneTimeLink(database.store.db, { kind: 'reset', userId, now: Date.now() })
  expect((await send(`/v1/password-resets/${resetToken}`, { password: third })).status).toBe(200)
  expect((await send('/v1/sign-in', `{"password": "${third}`)).status).toBe(400)
  // A bug: the store refuses the statement, and the error is logged.
  await database.store.pool.query('alter table sign_ins rename to gone')
  expect((await send('/v1/sign-in', { email: owner.email, password: third })).status).toBe(500)

  await expect.poll(() => log.match(/request\.done/g)).toHaveLength(7)
  expect(log).toContain('request.failed')
  const secret = cookie.split('=')[1] ?? ''
  for (const text of [...passwords, setupToken, resetToken, secret, 'argon2id'])
    expect(log.includes(text), text).toBe(false)
})
