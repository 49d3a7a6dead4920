import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { totpCode, totpStep } from '../../accounts/totp.ts'
import { insertOneTimeLink } from '../../storage/accounts/one-time-links.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { type Browser, giveTestPassword, openBrowser, testPassword } from '../../testing/sign-in.ts'

const [minute, day] = [60_000, 86_400_000]
let api: TestApi
let email: string
let userId: string
let now = Date.parse('2026-11-16T12:00:00Z')
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
  email = await giveTestPassword(api, api.alice.userId)
  userId = api.alice.userId as string
})
afterAll(() => api.close())
beforeEach(async () => {
  now += 40 * day
  await api.store.pool.query('delete from totp_factors')
  await api.store.pool.query('delete from recovery_codes')
})

async function signedIn(): Promise<Browser> {
  const browser = openBrowser(api)
  expect((await browser.signIn(email)).status).toBe(200)
  return browser
}

const codeOf = (secret: string, away = 0) => totpCode(secret, totpStep(now) + away)

/** Signed in, with the factor on; the next code is a new one. */
async function enrolled(): Promise<{ browser: Browser; secret: string; recoveryCodes: string[] }> {
  const browser = await signedIn()
  const { secret } = (await browser.send('POST', '/v1/users/me/totp')).body
  const { status, body } = await browser.send('POST', '/v1/users/me/totp/confirmation', {
    code: codeOf(secret),
  })
  expect(status).toBe(200)
  now += minute
  return { browser, secret, recoveryCodes: body.recoveryCodes }
}

/** After the right password. */
async function pending(): Promise<{ browser: Browser; token: string }> {
  const browser = openBrowser(api)
  const { status, body } = await browser.signIn(email)
  expect(status).toBe(202)
  return { browser, token: body.secondFactor.token }
}

const enter = (browser: Browser, token: string, code: string) =>
  browser.send('POST', '/v1/sign-in/second-factor', { token, code })

describe('adding an authenticator app', () => {
  it('200: a secret, then a code that turns it on, then ten recovery codes', async () => {
    const browser = await signedIn()
    expect((await browser.send('GET', '/v1/users/me/factors')).body).toMatchObject({
      hasPassword: true,
      totp: null,
    })
    const begun = await browser.send('POST', '/v1/users/me/totp')
    expect(begun.status).toBe(200)
    expect(begun.headers.get('cache-control')).toContain('no-store')
    const { secret, uri } = begun.body
    expect(uri).toContain(`otpauth://totp/Vedette:${encodeURIComponent(email)}?secret=${secret}`)
    // Nothing counts before the first code.
    expect((await openBrowser(api).signIn(email)).status).toBe(200)
    const confirm = (code: string) => browser.send('POST', '/v1/users/me/totp/confirmation', { code })
    const wrong = await confirm('000000')
    expect([wrong.status, wrong.body.attributes]).toEqual([400, { code: 'is wrong' }])
    const on = await confirm(` ${codeOf(secret).slice(0, 3)} ${codeOf(secret).slice(3)}`)
    expect(on.status).toBe(200)
    expect(on.body.recoveryCodes).toHaveLength(10)
    expect(new Set(on.body.recoveryCodes).size).toBe(10)
    for (const code of on.body.recoveryCodes) expect(code).toMatch(/^([a-z2-7]{4}-){3}[a-z2-7]{4}$/)
    expect((await browser.send('GET', '/v1/users/me/factors')).body.totp).toEqual({
      enrolledAt: new Date(now).toISOString(),
      recoveryCodesLeft: 10,
    })
  })

  it('stores the secret sealed and the codes hashed', async () => {
    const { secret, recoveryCodes } = await enrolled()
    for (const table of ['totp_factors', 'recovery_codes', 'sign_in_challenges', 'audit_entries']) {
      const { rows } = await api.store.pool.query(`select t::text from ${table} t`)
      expect(JSON.stringify(rows)).not.toContain(secret)
      expect(JSON.stringify(rows)).not.toContain(recoveryCodes[0])
    }
  })

  it('ends the other sign-ins, not this one', async () => {
    const other = await signedIn()
    const { browser } = await enrolled()
    expect((await other.send('GET', '/v1/sign-in')).status).toBe(401)
    expect((await browser.send('GET', '/v1/sign-in')).status).toBe(200)
  })

  it('404 and 409: without a beginning, too late, and twice', async () => {
    const browser = await signedIn()
    const confirm = (code: string) => browser.send('POST', '/v1/users/me/totp/confirmation', { code })
    expect((await confirm('123456')).status).toBe(404)
    const { secret } = (await browser.send('POST', '/v1/users/me/totp')).body
    now += 15 * minute
    await browser.send('POST', '/v1/sign-in/confirmation', { password: testPassword })
    expect((await confirm(codeOf(secret))).status).toBe(404)
    const again = (await browser.send('POST', '/v1/users/me/totp')).body.secret
    expect((await confirm(codeOf(again))).status).toBe(200)
    expect((await browser.send('POST', '/v1/users/me/totp')).status).toBe(409)
  })

  it("400: a secret begun by one person doesn't turn on that of another", async () => {
    const bobEmail = await giveTestPassword(api, api.bob.userId)
    const [alice, bob] = [await signedIn(), openBrowser(api)]
    await bob.signIn(bobEmail)
    const { secret } = (await alice.send('POST', '/v1/users/me/totp')).body
    await bob.send('POST', '/v1/users/me/totp')
    const stolen = await bob.send('POST', '/v1/users/me/totp/confirmation', { code: codeOf(secret) })
    expect(stolen.status).toBe(400)
  })

  it('403: asks again after ten minutes, and refuses keys', async () => {
    const { browser } = await enrolled()
    const changes = [
      ['POST', '/v1/users/me/totp', undefined],
      ['POST', '/v1/users/me/totp/confirmation', { code: '123456' }],
      ['POST', '/v1/users/me/recovery-codes', undefined],
      ['DELETE', '/v1/users/me/totp', undefined],
    ] as const
    for (const [method, path, body] of changes)
      expect((await api.alice.send(method, path, body)).body.message).toBe('An API key has no sign-in.')
    now += 10 * minute + 1
    for (const [method, path, body] of changes)
      expect((await browser.send(method, path, body)).body.attributes).toEqual({
        code: 'confirmation_required',
      })
    expect((await api.alice.get('/v1/users/me/factors')).status).toBe(200)
  })

  it('403: a service key has no factors', async () => {
    expect((await (await api.as('OWNER')).get('/v1/users/me/factors')).status).toBe(403)
  })
})

describe('signing in with it', () => {
  it('202 without a cookie, then 200 with a new one', async () => {
    const { secret } = await enrolled()
    const browser = openBrowser(api)
    browser.cookie = 'vedette-sign-in=cGxhbnRlZA'
    const first = await browser.signIn(email)
    expect([first.status, first.headers.getSetCookie()]).toEqual([202, []])
    expect(first.headers.get('cache-control')).toBe('no-store')
    expect(first.body).toEqual({
      secondFactor: { token: expect.any(String), expiresAt: new Date(now + 5 * minute).toISOString() },
    })
    expect((await browser.send('GET', '/v1/sign-in')).status).toBe(401)
    const { token } = first.body.secondFactor
    const second = await enter(browser, token, codeOf(secret))
    expect(second.status).toBe(200)
    expect(second.body.user.email).toBe(email)
    expect(browser.cookie).not.toBe('vedette-sign-in=cGxhbnRlZA')
    expect((await browser.send('GET', '/v1/sign-in')).status).toBe(200)
    // The token is no cookie, and works once.
    const thief = openBrowser(api)
    thief.cookie = `vedette-sign-in=${token}`
    expect((await thief.send('GET', '/v1/sign-in')).status).toBe(401)
    now += minute
    expect((await enter(thief, token, codeOf(secret))).body.attributes).toEqual({
      code: 'second_factor_expired',
    })
  })

  it('replaces the sign-in that the browser had', async () => {
    const { browser, secret } = await enrolled()
    const before = browser.cookie
    const { body } = await browser.signIn(email)
    expect(browser.cookie).toBe(before)
    await enter(browser, body.secondFactor.token, codeOf(secret))
    expect(browser.cookie).not.toBe(before)
    const old = openBrowser(api)
    old.cookie = before
    expect((await old.send('GET', '/v1/sign-in')).status).toBe(401)
  })

  it('a code works once, also in parallel, and none before it afterwards', async () => {
    const { secret } = await enrolled()
    const [first, second] = [await pending(), await pending()]
    const code = codeOf(secret)
    const both = await Promise.all([
      enter(first.browser, first.token, code),
      enter(second.browser, second.token, code),
    ])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401])
    const third = await pending()
    const replay = await enter(third.browser, third.token, code)
    expect([replay.status, replay.body.message]).toEqual([401, 'The code is wrong, or was used already.'])
    expect((await enter(third.browser, third.token, codeOf(secret, -1))).status).toBe(401)
    expect((await enter(third.browser, third.token, codeOf(secret, 1))).status).toBe(200)
  })

  it('accepts the code of enrollment no more', async () => {
    const browser = await signedIn()
    const { secret } = (await browser.send('POST', '/v1/users/me/totp')).body
    const code = codeOf(secret)
    await browser.send('POST', '/v1/users/me/totp/confirmation', { code })
    const { browser: other, token } = await pending()
    expect((await enter(other, token, code)).status).toBe(401)
  })

  it('401: after five minutes, with another token, and after a new password', async () => {
    const { secret, browser } = await enrolled()
    const late = await pending()
    now += 5 * minute
    expect((await enter(late.browser, late.token, codeOf(secret))).body.attributes.code).toBe(
      'second_factor_expired',
    )
    expect((await enter(openBrowser(api), 'x', codeOf(secret))).status).toBe(401)
    const ended = await pending()
    const change = { currentPassword: testPassword, newPassword: 'another password' }
    expect((await browser.send('POST', '/v1/users/me/password', change)).status).toBe(204)
    expect((await enter(ended.browser, ended.token, codeOf(secret))).status).toBe(401)
    await giveTestPassword(api, userId)
  })

  it('401: the same for a wrong password as without the factor', async () => {
    const before = await openBrowser(api).signIn(email, 'wrong password')
    await enrolled()
    const after = await openBrowser(api).signIn(email, 'wrong password')
    expect([after.status, after.body]).toEqual([before.status, before.body])
  })

  it('403: another site can neither begin nor complete it', async () => {
    const { secret } = await enrolled()
    const { browser, token } = await pending()
    const refused = await browser.send(
      'POST',
      '/v1/sign-in/second-factor',
      { token, code: codeOf(secret) },
      { origin: 'https://evil.example' },
    )
    expect([refused.status, browser.cookie]).toEqual([403, ''])
  })

  it("401: one person's token doesn't accept another one's code", async () => {
    const bobEmail = await giveTestPassword(api, api.bob.userId)
    const bob = openBrowser(api)
    await bob.signIn(bobEmail)
    const { secret } = (await bob.send('POST', '/v1/users/me/totp')).body
    await bob.send('POST', '/v1/users/me/totp/confirmation', { code: codeOf(secret) })
    await enrolled()
    const { browser, token } = await pending()
    expect((await enter(browser, token, codeOf(secret))).status).toBe(401)
  })

  it('is also asked for by links', async () => {
    const { secret } = await enrolled()
    const token = await insertOneTimeLink(api.store.db, { kind: 'reset', userId, now })
    const browser = openBrowser(api)
    const reset = await browser.send('POST', `/v1/password-resets/${token}`, { password: testPassword })
    expect([reset.status, browser.cookie]).toEqual([202, ''])
    expect((await enter(browser, reset.body.secondFactor.token, codeOf(secret))).status).toBe(200)
    const invite = await api.bob.post('/v1/accounts/me/invites', { email, role: 'READ_ONLY' })
    const link = invite.body.link.split('#')[1]
    const accepted = await openBrowser(api).send('POST', `/v1/invitations/${link}`, {
      name: 'Alice',
      password: testPassword,
    })
    expect([accepted.status, accepted.headers.getSetCookie()]).toEqual([202, []])
    await api.store.pool.query('delete from memberships where user_id = $1 and account_id = $2', [
      userId,
      api.bob.accountId,
    ])
  })

  it('leaves entries of what happened in the audit log', async () => {
    const { secret } = await enrolled()
    const { browser, token } = await pending()
    await enter(browser, token, '000000')
    await enter(browser, token, codeOf(secret))
    const seen = async () => {
      const { body } = await api.alice.get('/v1/audit-log?limit=20')
      return body.entries.map(({ operation, outcome }: Record<string, string>) => [operation, outcome])
    }
    await expect.poll(seen).toEqual(
      expect.arrayContaining([
        ['POST /v1/sign-in/second-factor', 'refused'],
        ['POST /v1/sign-in/second-factor', 'done'],
      ]),
    )
  })
})

describe('recovery codes', () => {
  it('each works once, however it is typed', async () => {
    const { browser: own, recoveryCodes } = await enrolled()
    const [first = '', second = ''] = recoveryCodes
    const { browser, token } = await pending()
    expect((await enter(browser, token, ` ${first.toUpperCase().replaceAll('-', ' ')}`)).status).toBe(200)
    const again = await pending()
    expect((await enter(again.browser, again.token, first)).status).toBe(401)
    expect((await enter(again.browser, again.token, second.replaceAll('-', ''))).status).toBe(200)
    expect((await own.send('GET', '/v1/users/me/factors')).body.totp.recoveryCodesLeft).toBe(8)
  })

  it('can be replaced: those before stop working', async () => {
    const { browser: own, recoveryCodes } = await enrolled()
    const fresh = await own.send('POST', '/v1/users/me/recovery-codes')
    expect([fresh.status, fresh.body.recoveryCodes.length]).toEqual([200, 10])
    const { browser, token } = await pending()
    expect((await enter(browser, token, recoveryCodes[0] as string)).status).toBe(401)
    expect((await enter(browser, token, fresh.body.recoveryCodes[0])).status).toBe(200)
  })

  it('409: there are none without an authenticator app', async () => {
    const browser = await signedIn()
    expect((await browser.send('POST', '/v1/users/me/recovery-codes')).status).toBe(409)
    expect((await browser.send('DELETE', '/v1/users/me/totp')).status).toBe(409)
  })
})

describe('turning it off', () => {
  it('204: ends the other sign-ins, and sign-ins need the password alone', async () => {
    const { browser, secret, recoveryCodes } = await enrolled()
    const other = await pending()
    await enter(other.browser, other.token, codeOf(secret))
    const open = await pending()
    expect((await browser.send('DELETE', '/v1/users/me/totp')).status).toBe(204)
    expect((await other.browser.send('GET', '/v1/sign-in')).status).toBe(401)
    expect((await enter(open.browser, open.token, recoveryCodes[1] as string)).status).toBe(401)
    expect((await openBrowser(api).signIn(email)).status).toBe(200)
  })
})

describe('proving it again', () => {
  it('needs password and code', async () => {
    const { browser, secret } = await enrolled()
    now += 11 * minute
    const confirm = (body: object) => browser.send('POST', '/v1/sign-in/confirmation', body)
    expect((await confirm({})).body.attributes).toEqual({ password: 'is required', code: 'is required' })
    expect((await confirm({ password: testPassword })).body.attributes).toEqual({ code: 'is required' })
    expect((await confirm({ code: codeOf(secret) })).body.attributes).toEqual({ password: 'is required' })
    const wrong = await confirm({ password: 'wrong password', code: codeOf(secret) })
    expect(wrong.body.attributes).toEqual({ password: 'is wrong' })
    const used = await confirm({ password: testPassword, code: '000000' })
    expect(used.body.attributes).toEqual({ code: 'is wrong, or was used already' })
    expect((await confirm({ password: testPassword, code: codeOf(secret) })).status).toBe(200)
    expect((await browser.send('POST', '/v1/users/me/recovery-codes')).status).toBe(200)
  })

  it('409: a person without anything to enter signs in again', async () => {
    const browser = await signedIn()
    await api.store.pool.query('delete from passwords where user_id = $1', [userId])
    expect((await browser.send('POST', '/v1/sign-in/confirmation', {})).status).toBe(409)
    await giveTestPassword(api, userId)
  })
})

describe('guessing codes', () => {
  it('429: after five failures each one doubles the wait, and the right password forgives none', async () => {
    const { secret } = await enrolled()
    const { browser, token } = await pending()
    for (let round = 0; round < 6; round++)
      expect((await enter(browser, token, String(round).padStart(6, '0'))).status).toBe(401)
    const early = await enter(browser, token, codeOf(secret))
    expect([early.status, early.headers.get('retry-after')]).toEqual([429, '1'])
    const again = await pending()
    expect((await enter(again.browser, again.token, codeOf(secret))).status).toBe(429)
    now += 1000
    expect((await enter(again.browser, again.token, '000000')).status).toBe(401)
    expect((await enter(again.browser, again.token, codeOf(secret))).headers.get('retry-after')).toBe('2')
    now += 2000
    expect((await enter(again.browser, again.token, codeOf(secret))).status).toBe(200)
  })

  it('429: in parallel, and with recovery codes, there are no more attempts', async () => {
    await enrolled()
    const { browser, token } = await pending()
    const guesses = Array.from({ length: 20 }, (_, index) =>
      enter(browser, token, index % 2 === 0 ? '000000' : 'aaaa-aaaa-aaaa-aaaa'),
    )
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 401).length).toBe(6)
    expect(statuses.filter((status) => status === 429).length).toBe(14)
  })

  it('someone elsewhere locks out nobody', async () => {
    const { secret } = await enrolled()
    const { browser, token } = await pending()
    for (let round = 0; round < 7; round++) await enter(browser, token, '000000')
    await api.store.pool.query("update sign_in_attempts set bucket = 'elsewhere ' || bucket")
    expect((await enter(browser, token, codeOf(secret))).status).toBe(200)
  })
})
