import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { insertOneTimeLink } from '../../storage/accounts/one-time-links.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { type Browser, giveTestPassword, openBrowser, testPassword } from '../../testing/sign-in.ts'

const [minute, day] = [60_000, 86_400_000]
let api: TestApi
let email: string
let now = Date.parse('2026-11-16T12:00:00Z')
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
  email = await giveTestPassword(api, api.alice.userId)
})
afterAll(() => api.close())
/** Each test begins after what earlier ones left has ended. */
beforeEach(() => {
  now += 40 * day
})

async function signedIn(): Promise<Browser> {
  const browser = openBrowser(api)
  expect((await browser.signIn(email)).status).toBe(200)
  return browser
}

describe('signing in', () => {
  it('200: who it is, the accounts, and until when', async () => {
    const browser = openBrowser(api)
    const { status, body, headers } = await browser.signIn(email.toUpperCase())
    expect(status).toBe(200)
    expect(body).toEqual({
      id: expect.any(String),
      user: { id: api.alice.userId, name: 'Owner', email },
      accounts: [{ id: api.alice.accountId, name: 'An account', role: 'OWNER' }],
      signedInAt: new Date(now).toISOString(),
      confirmedAt: new Date(now).toISOString(),
      expiresAt: new Date(now + 7 * day).toISOString(),
    })
    expect(headers.get('cache-control')).toBe('no-store')
    expect((await browser.send('GET', '/v1/sign-in')).body).toEqual(body)
  })

  it('stores neither the password nor the value of the cookie', async () => {
    const browser = await signedIn()
    const secret = browser.cookie.split('=')[1] as string
    expect(Buffer.from(secret, 'base64url')).toHaveLength(32)
    for (const table of ['sign_ins', 'passwords', 'sign_in_attempts', 'rate_windows']) {
      const { rows } = await api.store.pool.query(`select t::text from ${table} t`)
      expect(JSON.stringify(rows)).not.toContain(secret)
      expect(JSON.stringify(rows)).not.toContain(testPassword)
    }
  })

  it('401: the same for a wrong password, an unknown email, and a user without a password', async () => {
    const wrong = await openBrowser(api).signIn(email, 'wrong password')
    const unknown = await openBrowser(api).signIn('nobody@example.com')
    const { rows } = await api.store.pool.query('select email from users where id = $1', [api.bob.userId])
    const without = await openBrowser(api).signIn(rows[0].email)
    for (const response of [wrong, unknown, without]) {
      expect(response.status).toBe(401)
      expect(response.body).toEqual(wrong.body)
      expect(response.headers.getSetCookie()).toEqual([])
    }
    expect(wrong.body.message).toBe('The email or the password is wrong.')
  })

  it('replaces the cookie that the browser had: a planted one never becomes valid', async () => {
    const planted = 'vedette-sign-in=cGxhbnRlZA'
    const victim = openBrowser(api)
    victim.cookie = planted
    await victim.signIn(email)
    expect(victim.cookie).not.toBe(planted)
    const attacker = openBrowser(api)
    attacker.cookie = planted
    expect((await attacker.send('GET', '/v1/sign-in')).status).toBe(401)

    const before = victim.cookie
    await victim.signIn(email)
    expect(victim.cookie).not.toBe(before)
    attacker.cookie = before
    expect((await attacker.send('GET', '/v1/sign-in')).status).toBe(401)
  })

  it('computes old hashes anew with the parameters of today', async () => {
    const { rows: before } = await api.store.pool.query('select hash from passwords')
    const old = before[0].hash.replace('m=19456,t=2', 'm=64,t=1')
    await api.store.pool.query('update passwords set hash = $1', [old])
    await signedIn()
    const { rows } = await api.store.pool.query('select hash from passwords')
    expect(rows[0].hash).toMatch(/^\$argon2id\$v=19\$m=19456,/)
    await signedIn()
  })
})

describe('a request with the cookie', () => {
  it('has the roles of its user on routes for keys', async () => {
    const browser = await signedIn()
    const me = await browser.send('GET', '/v1/users/me')
    expect([me.body.email, me.headers.get('cache-control')]).toEqual([email, 'private, no-store'])
    const made = await browser.send('POST', '/v1/snippets', { name: 'by-cookie', script: 'x' })
    expect(made.status).toBe(201)
    const foreign = { 'x-service-account': api.bob.accountId }
    expect((await browser.send('GET', '/v1/snippets', undefined, foreign)).status).toBe(404)
  })

  it.each([
    [{ origin: 'https://evil.example' }, 'comes from another site'],
    [{ origin: 'null' }, 'comes from another site'],
    [{ origin: 'http://127.0.0.1.evil.example' }, 'comes from another site'],
    [{ 'sec-fetch-site': 'cross-site' }, 'comes from another site'],
    [{ 'sec-fetch-site': 'same-site' }, 'comes from another site'],
    [{ 'sec-fetch-site': 'none' }, 'comes from another site'],
  ])('403: %j', async (headers, message) => {
    const browser = await signedIn()
    const refused = await browser.send('POST', '/v1/snippets', { name: 'x', script: 'x' }, headers)
    expect([refused.status, refused.body.message]).toEqual([403, expect.stringContaining(message)])
    expect((await browser.send('DELETE', '/v1/sign-in', undefined, headers)).status).toBe(403)
    expect((await browser.send('GET', '/v1/sign-in')).status).toBe(200)
  })

  it('403: without the header of the app, and without any sign of its origin', async () => {
    const { cookie } = await signedIn()
    const body = { name: 'x', script: 'x' }
    const bare = await api.nobody.send('POST', '/v1/snippets', body, { cookie, origin: api.url })
    expect([bare.status, bare.body.message]).toEqual([403, expect.stringContaining('x-vedette-app')])
    const unknown = await api.nobody.send('POST', '/v1/snippets', body, { cookie, 'x-vedette-app': '1' })
    expect([unknown.status, unknown.body.message]).toEqual([403, expect.stringContaining('Origin')])
    expect((await api.nobody.send('GET', '/v1/snippets', undefined, { cookie })).status).toBe(200)
  })

  it('200: from PUBLIC_URL, from the host of the request, and by Sec-Fetch-Site', async () => {
    const { cookie } = await signedIn()
    const origins: Record<string, string>[] = [
      { origin: 'http://vedette.test' },
      { origin: api.url },
      { 'sec-fetch-site': 'same-origin', origin: 'https://behind-a-proxy.example' },
    ]
    for (const own of origins) {
      const headers = { cookie, 'x-vedette-app': '1', ...own }
      const body = { name: 'x', script: 'x' }
      expect((await api.nobody.send('POST', '/v1/snippets', body, headers)).status).toBe(201)
    }
  })

  it('a key beside it counts alone, and needs none of this', async () => {
    const { cookie } = await signedIn()
    const headers = { cookie, origin: 'https://evil.example' }
    const made = await api.bob.send('POST', '/v1/snippets', { name: 'x', script: 'x' }, headers)
    expect(made.status).toBe(201)
    const wrong = { cookie, authorization: 'Bearer vu_00000000000000000000000000000000' }
    expect((await api.nobody.send('GET', '/v1/snippets', undefined, wrong)).status).toBe(401)
  })

  it('403: another site can not sign a visitor in', async () => {
    const body = { email, password: testPassword }
    const origin = 'https://evil.example'
    const { status, headers } = await openBrowser(api).send('POST', '/v1/sign-in', body, { origin })
    expect([status, headers.getSetCookie()]).toEqual([403, []])
  })

  it('404: the host of a page has no sign-in', async () => {
    const domain = 'status.example.com'
    const body = { name: 'Shop', url: 'own-host', customDomain: domain, cards: [] }
    const page = await api.alice.post('/v1/status-pages', body)
    expect(page.status).toBe(201)
    await api.store.pool.query('update page_domains set proven_at = now()')
    await api.pageHosts.refresh()
    const { cookie } = await signedIn()
    const { request } = await import('node:http')
    const status = await new Promise((resolve) =>
      request(`${api.url}/v1/sign-in`, { headers: { host: domain, cookie } }, (response) => {
        response.resume()
        resolve(response.statusCode)
      }).end(),
    )
    expect(status).toBe(404)
  })
})

describe('the end of a sign-in', () => {
  it('204: signing out ends it and deletes the cookie', async () => {
    const browser = await signedIn()
    const { cookie } = browser
    const gone = await browser.send('DELETE', '/v1/sign-in')
    expect([gone.status, browser.cookie]).toEqual([204, ''])
    browser.cookie = cookie
    const refused = await browser.send('GET', '/v1/sign-in')
    expect([refused.status, refused.body.message]).toEqual([
      401,
      'You are not signed in, or your sign-in has ended.',
    ])
  })

  it('comes after seven days without use, not before', async () => {
    const browser = await signedIn()
    now += 7 * day - minute
    expect((await browser.send('GET', '/v1/sign-in')).status).toBe(200)
    await waitForUse()
    now += 7 * day - 1
    expect((await browser.send('GET', '/v1/sign-in')).status).toBe(200)
    await waitForUse()
    now += 7 * day
    expect((await browser.send('GET', '/v1/sign-in')).status).toBe(401)
  })

  it('comes after thirty days, however much it is used', async () => {
    const browser = await signedIn()
    const end = now + 30 * day
    for (let round = 0; round < 5; round++) {
      now += 6 * day - 1
      expect((await browser.send('GET', '/v1/sign-in')).status).toBe(200)
      await waitForUse()
    }
    const { body } = await browser.send('GET', '/v1/sign-in')
    expect(body.expiresAt).toBe(new Date(end).toISOString())
    now = end
    expect((await browser.send('GET', '/v1/sign-in')).status).toBe(401)
  })

  it('its use is written once a minute', async () => {
    const browser = await signedIn()
    const start = now
    now += minute - 1
    await browser.send('GET', '/v1/sign-in')
    now += 1
    await browser.send('GET', '/v1/sign-in')
    await waitForUse()
    now += minute - 1
    await browser.send('GET', '/v1/sign-in')
    const { body } = await browser.send('GET', '/v1/sign-ins')
    expect(body[0].lastUsedAt).toBe(new Date(start + minute).toISOString())
  })

  it('204: someone ends it from another browser, and it is over at once', async () => {
    const [first, second] = [await signedIn(), await signedIn()]
    const { body } = await first.send('GET', '/v1/sign-ins')
    expect(body).toHaveLength(2)
    expect(body[0]).toEqual({
      id: expect.any(String),
      userAgent: 'node',
      address: '127.0.0.1',
      signedInAt: new Date(now).toISOString(),
      lastUsedAt: new Date(now).toISOString(),
      isCurrent: expect.any(Boolean),
    })
    const other = body.find(({ isCurrent }: { isCurrent: boolean }) => !isCurrent)
    expect((await first.send('DELETE', `/v1/sign-ins/${other.id}`)).status).toBe(204)
    expect((await second.send('GET', '/v1/sign-in')).status).toBe(401)
    expect((await first.send('GET', '/v1/sign-in')).status).toBe(200)
    const again = await first.send('DELETE', `/v1/sign-ins/${other.id}`)
    expect([again.status, again.body.message]).toEqual([404, `You have no sign-in with id ${other.id}.`])
  })

  it('of another server is noticed at once where the sign-in itself is read or ended', async () => {
    const browser = await signedIn()
    expect((await browser.send('GET', '/v1/sign-in')).status).toBe(200)
    await api.store.pool.query('delete from sign_ins')
    expect((await browser.send('GET', '/v1/sign-in')).status).toBe(401)
    expect((await browser.send('DELETE', '/v1/sign-in')).status).toBe(204)
    expect(browser.cookie).toBe('')
  })

  it("404: someone else's stays", async () => {
    const browser = await signedIn()
    const [own] = (await browser.send('GET', '/v1/sign-ins')).body
    expect((await api.bob.delete(`/v1/sign-ins/${own.id}`)).status).toBe(404)
    expect((await browser.send('GET', '/v1/sign-in')).status).toBe(200)
  })

  it('of another server is noticed within five seconds, and so are roles', async () => {
    const browser = await signedIn()
    const account = { 'x-service-account': api.alice.accountId }
    const write = () => browser.send('POST', '/v1/snippets', { name: 'x', script: 'x' }, account)
    expect((await write()).status).toBe(201)
    await api.store.pool.query("update memberships set role = 'READ_ONLY' where user_id = $1", [
      api.alice.userId,
    ])
    now += 5000
    expect((await write()).status).toBe(403)
    await api.store.pool.query("update memberships set role = 'OWNER' where user_id = $1", [api.alice.userId])
    now += 5000
    expect((await write()).status).toBe(201)
    await api.store.pool.query('delete from sign_ins')
    now += 5000
    expect((await write()).status).toBe(401)
  })
})

/** The use is written while the response is sent. */
async function waitForUse(): Promise<void> {
  const lastUse = () => api.store.pool.query('select max(last_used_at) as at from sign_ins')
  await expect.poll(async () => (await lastUse()).rows[0].at).toBe(new Date(now).toISOString())
}

describe('entering the password again', () => {
  it('403 after ten minutes where a change is sensitive, until it is entered', async () => {
    const browser = await signedIn()
    const member = await api.addMember(api.alice.accountId, 'READ_ONLY')
    const changes = [
      ['POST', '/v1/users/me/api-keys', { name: 'x' }],
      ['POST', '/v1/service-api-keys', { name: 'x', role: 'READ_ONLY' }],
      ['PATCH', `/v1/accounts/me/members/${member}`, { role: 'READ_RUN' }],
      ['PATCH', `/v1/accounts/${api.alice.accountId}/members/${member}`, { role: 'READ_RUN' }],
    ] as const
    const statuses = async () => {
      const responses = []
      for (const [method, path, body] of changes) responses.push(await browser.send(method, path, body))
      return responses
    }
    now += 10 * minute
    expect((await statuses()).map(({ status }) => status)).toEqual([201, 201, 200, 200])
    now += 1
    for (const { status, body } of await statuses()) {
      expect([status, body.attributes]).toEqual([403, { code: 'confirmation_required' }])
    }
    expect((await browser.send('POST', '/v1/snippets', { name: 'x', script: 'x' })).status).toBe(201)
    expect((await api.alice.post('/v1/users/me/api-keys', { name: 'by key' })).status).toBe(201)

    const wrong = await browser.send('POST', '/v1/sign-in/confirmation', { password: 'wrong password' })
    expect([wrong.status, wrong.body.attributes]).toEqual([400, { password: 'is wrong' }])
    const right = await browser.send('POST', '/v1/sign-in/confirmation', { password: testPassword })
    expect(right.status).toBe(200)
    expect(right.body.confirmedAt).toBe(new Date(now).toISOString())
    expect((await statuses()).map(({ status }) => status)).toEqual([201, 201, 200, 200])
  })

  it('counts at once, also when another server accepted it', async () => {
    const browser = await signedIn()
    now += 11 * minute
    expect((await browser.send('POST', '/v1/users/me/api-keys', { name: 'x' })).status).toBe(403)
    await api.store.pool.query('update sign_ins set confirmed_at = $1', [new Date(now)])
    expect((await browser.send('POST', '/v1/users/me/api-keys', { name: 'x' })).status).toBe(201)
  })

  it('403: a key has no sign-in', async () => {
    const responses = [
      await api.alice.get('/v1/sign-in'),
      await api.alice.delete('/v1/sign-in'),
      await api.alice.post('/v1/sign-in/confirmation', { password: testPassword }),
    ]
    for (const { status, body } of responses) {
      expect([status, body.message]).toEqual([403, 'An API key has no sign-in.'])
    }
  })
})

describe('guessing', () => {
  const guess = (user: string, password = 'wrong password') => openBrowser(api).signIn(user, password)

  it('429: after five failures each one doubles the wait; the right password waits too', async () => {
    for (let round = 0; round < 5; round++) expect((await guess(email)).status).toBe(401)
    for (const seconds of [1, 2, 4, 8]) {
      expect((await guess(email)).status).toBe(401)
      const early = await guess(email, testPassword)
      expect([early.status, early.headers.get('retry-after')]).toEqual([429, String(seconds)])
      expect(early.body.message).toBe(`Too many attempts. Try again in ${seconds} s.`)
      now += seconds * 1000
    }
    expect((await guess(email, testPassword)).status).toBe(200)
    expect((await guess(email)).status).toBe(401)
    expect((await guess(email)).status).toBe(401)
  })

  it('one user of an address does not slow down the others, nor does another address', async () => {
    const elsewhere = await giveTestPassword(api, api.bob.userId)
    for (let round = 0; round < 6; round++) await guess(email)
    expect((await guess(email)).status).toBe(429)
    expect((await guess(elsewhere, testPassword)).status).toBe(200)
    await api.store.pool.query("update sign_in_attempts set bucket = 'ip:192.0.2.1' || bucket")
    expect((await guess(email, testPassword)).status).toBe(200)
  })

  it('an address that tries many users is slowed down, by a minute at most', async () => {
    for (let round = 0; round < 20; round++) expect((await guess(`u${round}@example.com`)).status).toBe(401)
    for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
      expect((await guess(`v${seconds}${now}@example.com`)).status).toBe(401)
      const early = await guess(email, testPassword)
      expect([early.status, early.headers.get('retry-after')]).toEqual([429, String(seconds)])
      now += seconds * 1000
    }
    expect((await guess(email, testPassword)).status).toBe(200)
  })

  it('in parallel gets no more attempts', async () => {
    const statuses = await Promise.all(Array.from({ length: 30 }, async () => (await guess(email)).status))
    expect(statuses.filter((status) => status === 401).length).toBe(6)
    expect(statuses.filter((status) => status === 429).length).toBe(24)
  })

  it('429: the same where the password is entered again', async () => {
    const browser = await signedIn()
    const enter = (password: string) => browser.send('POST', '/v1/sign-in/confirmation', { password })
    for (let round = 0; round < 6; round++) expect((await enter('wrong password')).status).toBe(400)
    expect((await enter(testPassword)).status).toBe(429)
    now += 1000
    expect((await enter(testPassword)).status).toBe(200)
  })
})

describe('setting up', () => {
  const owner = { name: 'Ann', email: 'ann@example.com', password: 'a password of Ann' }
  const newToken = () =>
    insertOneTimeLink(api.store.db, { kind: 'setup', userId: api.bob.userId as string, now })

  it('200: the link makes the owner, once', async () => {
    await api.store.pool.query('delete from passwords where user_id <> $1', [api.alice.userId])
    const token = await newToken()
    const browser = openBrowser(api)
    const { status, body } = await browser.send('POST', '/v1/setup', { token, ...owner })
    expect(status).toBe(200)
    expect(body.user).toEqual({ id: api.bob.userId, name: 'Ann', email: 'ann@example.com' })
    expect((await browser.send('GET', '/v1/users/me')).body.id).toBe(api.bob.userId)
    expect((await openBrowser(api).signIn(owner.email, owner.password)).status).toBe(200)
    const again = await openBrowser(api).send('POST', '/v1/setup', { token, ...owner })
    expect([again.status, again.body.message]).toEqual([
      404,
      expect.stringContaining('npx vedette setup-link'),
    ])
  })

  it('of two that use it together, one gets it', async () => {
    const token = await newToken()
    const send = () => openBrowser(api).send('POST', '/v1/setup', { token, ...owner })
    expect((await Promise.all([send(), send()])).map(({ status }) => status).sort()).toEqual([200, 404])
  })

  it('404: a link that expired or was replaced, another token, and a link of another kind', async () => {
    const replaced = await newToken()
    const expired = await newToken()
    const reset = await insertOneTimeLink(api.store.db, {
      kind: 'reset',
      userId: api.bob.userId as string,
      now,
    })
    const send = async (token: string) =>
      (await openBrowser(api).send('POST', '/v1/setup', { token, ...owner })).status
    expect([await send(replaced), await send(reset), await send('x')]).toEqual([404, 404, 404])
    now += day
    expect(await send(expired)).toBe(404)
  })

  it('409: an email that someone else has; the link stays valid', async () => {
    const token = await newToken()
    const taken = await openBrowser(api).send('POST', '/v1/setup', {
      token,
      ...owner,
      email: email.toUpperCase(),
    })
    expect([taken.status, taken.body.attributes]).toEqual([409, { email: 'is taken already' }])
    expect((await openBrowser(api).send('POST', '/v1/setup', { token, ...owner })).status).toBe(200)
  })

  it('ends sign-ins with the password before', async () => {
    const before = openBrowser(api)
    await before.signIn(owner.email, owner.password)
    const token = await newToken()
    await openBrowser(api).send('POST', '/v1/setup', { token, ...owner })
    expect((await before.send('GET', '/v1/sign-in')).status).toBe(401)
  })

  it('says whether anyone has a password', async () => {
    expect((await api.nobody.get('/v1/setup')).body).toEqual({ isDone: true, sendsMail: false })
    await api.store.pool.query('delete from passwords')
    expect((await api.nobody.get('/v1/setup')).body).toEqual({ isDone: false, sendsMail: false })
  })

  it.each([
    [{ password: 'too short' }, 'password'],
    [{ email: 'ann' }, 'email'],
    [{ name: '' }, 'name'],
  ])('400: %j', async (wrong, field) => {
    const { status, body } = await openBrowser(api).send('POST', '/v1/setup', {
      token: 'x',
      ...owner,
      ...wrong,
    })
    expect([status, Object.keys(body.attributes)]).toEqual([400, [field]])
  })
})
