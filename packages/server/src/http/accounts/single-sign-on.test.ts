import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { totpCode, totpStep } from '../../accounts/totp.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { IdentityProvider, type Person } from '../../testing/identity-provider.ts'
import { type Browser, giveTestPassword, openBrowser, testPassword } from '../../testing/sign-in.ts'

let api: TestApi
let provider: IdentityProvider
/** The provider has the real time. */
let away = 0
const now = () => Date.now() + away
beforeAll(async () => {
  provider = await IdentityProvider.open('http://vedette.test/login/sso')
  api = await startTestApi(
    {
      ...provider.settings,
      OIDC_LABEL: 'Corp',
      OIDC_ALLOWED_DOMAINS: 'corp.example, team.example',
      OIDC_ROLES: 'admins=ADMIN,writers=READ_WRITE,everyone=READ_ONLY',
    },
    { now },
  )
})
afterAll(async () => {
  await api.close()
  await provider.close()
})
beforeEach(() => {
  away = 0
})

/** Nobody has been here before. */
function newPerson(rest: Partial<Person> = {}): Person {
  const sub = randomUUID()
  return { sub, email: `${sub}@corp.example`, email_verified: true, name: 'Pat', ...rest }
}

async function newUser(email: string): Promise<string> {
  const id = await api.addMember(api.alice.accountId, 'READ_RUN')
  await api.store.pool.query('update users set email = $1 where id = $2', [email, id])
  return id
}

const start = (browser: Browser, body: object = {}) =>
  browser.send('POST', '/v1/sign-in/single-sign-on/start', body)
const finish = (browser: Browser, query: string) =>
  browser.send('POST', '/v1/sign-in/single-sign-on', { query })

async function visit(person: Person | null, body: object = {}) {
  provider.person = person
  const browser = openBrowser(api)
  const begun = await start(browser, body)
  expect(begun.status, begun.text).toBe(200)
  return { browser, url: begun.body.url as string, query: await provider.visit(begun.body.url) }
}

async function signIn(person: Person | null, body: object = {}) {
  const { browser, query } = await visit(person, body)
  return { browser, response: await finish(browser, query) }
}

async function roleOf(userId: string, accountId = api.alice.accountId): Promise<string | undefined> {
  const { rows } = await api.store.pool.query(
    'select role from memberships where user_id = $1 and account_id = $2',
    [userId, accountId],
  )
  return rows[0]?.role
}

describe('the request to the provider', () => {
  it('has PKCE, state, nonce and the address of the app, and sets a cookie of its own', async () => {
    provider.person = newPerson()
    const browser = openBrowser(api)
    const { body, headers } = await start(browser)
    const url = new URL(body.url)
    expect(url.origin).toBe(provider.issuer)
    const asked = Object.fromEntries(url.searchParams)
    expect(asked).toEqual({
      client_id: 'vedette',
      response_type: 'code',
      redirect_uri: 'http://vedette.test/login/sso',
      scope: 'openid email profile groups',
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    })
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^vedette-single-sign-on=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax$/,
      ),
    ])
    const again = new URL((await start(browser)).body.url).searchParams
    for (const name of ['state', 'nonce', 'code_challenge']) expect(again.get(name)).not.toBe(asked[name])
  })

  it('asks to sign in anew for a confirmation', async () => {
    const { body } = await start(openBrowser(api), { isConfirmation: true })
    expect(new URL(body.url).searchParams.get('prompt')).toBe('login')
  })

  it('403: another site can neither begin nor complete it', async () => {
    const headers = { origin: 'https://evil.example' }
    const path = '/v1/sign-in/single-sign-on'
    expect((await openBrowser(api).send('POST', `${path}/start`, {}, headers)).status).toBe(403)
    const { browser, query } = await visit(newPerson({ groups: ['writers'] }))
    expect((await browser.send('POST', path, { query }, headers)).status).toBe(403)
  })
})

describe('joining', () => {
  it('200: a verified email in an allowed domain joins the user who has it, with a new cookie', async () => {
    const person = newPerson()
    const userId = await newUser((person.email ?? '').toUpperCase())
    const { browser, response } = await signIn(person)
    expect([response.status, response.body.user?.id]).toEqual([200, userId])
    expect(browser.cookie).toMatch(/^vedette-sign-in=/)
    expect((await browser.send('GET', '/v1/sign-in')).status).toBe(200)
    const { body } = await browser.send('GET', '/v1/users/me/factors')
    expect(body).toMatchObject({ hasPassword: false, totp: null, passkeys: [] })
    expect(body.identities).toEqual([
      {
        id: expect.any(String),
        issuer: provider.issuer,
        email: person.email,
        createdAt: expect.any(String),
        lastUsedAt: expect.any(String),
      },
    ])
  })

  it('200: creates the user with the role of its group', async () => {
    const { response } = await signIn(newPerson({ groups: ['writers'] }))
    expect(response.status).toBe(200)
    expect(response.body.user.name).toBe('Pat')
    expect(response.body.accounts).toEqual([
      { id: api.alice.accountId, name: 'An account', role: 'READ_WRITE' },
    ])
  })

  it('200: issuer and subject name a person, whatever the email is later', async () => {
    const person = newPerson({ groups: ['writers'] })
    const { response: first } = await signIn(person)
    const other = await newUser('elsewhere@corp.example')
    const moved = { ...person, email: 'elsewhere@corp.example', email_verified: false }
    const { response: second } = await signIn(moved)
    expect([second.status, second.body.user?.id]).toEqual([200, first.body.user.id])
    expect(second.body.user.id).not.toBe(other)
    // Someone else who gets the old address is another person.
    const heir = { ...newPerson({ groups: ['writers'] }), email: 'heir@elsewhere.example' }
    expect((await signIn(heir)).response.body.attributes).toEqual({ code: 'domain_not_allowed' })
  })

  const refusals: [string, Partial<Person>, string][] = [
    ['an email that is not verified', { email_verified: false, groups: ['writers'] }, 'unverified_email'],
    ['no email', { email: undefined as unknown as string, groups: ['writers'] }, 'unverified_email'],
    ['another domain', { email: 'eve@evil.example', groups: ['writers'] }, 'domain_not_allowed'],
    ['a domain that ends alike', { email: 'eve@notcorp.example', groups: ['writers'] }, 'domain_not_allowed'],
    ['a domain below', { email: 'eve@a.corp.example', groups: ['writers'] }, 'domain_not_allowed'],
    ['two addresses in one', { email: 'eve@evil.example@corp.example' }, 'unverified_email'],
    ['nobody known, and no group with a role', { groups: ['others'] }, 'no_role'],
  ]
  it.each(refusals)('403: %s', async (_what, claims, code) => {
    const person = newPerson(claims)
    const users = async () => (await api.store.pool.query('select count(*) from users')).rows[0].count
    const before = await users()
    const { response, browser } = await signIn(person)
    expect([response.status, response.body.attributes]).toEqual([403, { code }])
    expect(response.body.message.length).toBeGreaterThan(20)
    expect(browser.cookie).not.toContain('vedette-sign-in')
    expect(await users()).toBe(before)
    const { rows } = await api.store.pool.query('select * from identities where subject = $1', [person.sub])
    expect(rows).toEqual([])
  })

  it("403: an unverified email doesn't open the user who has it", async () => {
    const person = newPerson({ email_verified: false, groups: ['admins'] })
    await newUser(person.email ?? '')
    expect((await signIn(person)).response.body.attributes).toEqual({ code: 'unverified_email' })
  })

  it('403: a user without a role in any account', async () => {
    const person = newPerson()
    const userId = await newUser(person.email ?? '')
    await api.store.pool.query('delete from memberships where user_id = $1', [userId])
    expect((await signIn(person)).response.body.attributes).toEqual({ code: 'no_role' })
  })
})

describe('roles', () => {
  it('follow the groups at each sign-in, and stay without a group that has one', async () => {
    const person = newPerson({ groups: ['everyone', 'writers'] })
    const userId = (await signIn(person)).response.body.user.id
    expect(await roleOf(userId)).toBe('READ_WRITE')
    await signIn({ ...person, groups: ['admins'] })
    expect(await roleOf(userId)).toBe('ADMIN')
    await signIn({ ...person, groups: ['others'] })
    expect(await roleOf(userId)).toBe('ADMIN')
    const { response } = await signIn({ ...person, groups: ['everyone'] })
    expect(response.body.accounts[0].role).toBe('READ_ONLY')
  })

  it('an owner stays an owner', async () => {
    const person = newPerson({ groups: ['everyone'] })
    const userId = await newUser(person.email ?? '')
    await api.store.pool.query("update memberships set role = 'OWNER' where user_id = $1", [userId])
    expect((await signIn(person)).response.status).toBe(200)
    expect(await roleOf(userId)).toBe('OWNER')
  })

  it('no role in another account', async () => {
    const userId = (await signIn(newPerson({ groups: ['admins'] }))).response.body.user.id
    expect(await roleOf(userId, api.bob.accountId)).toBeUndefined()
  })
})

describe('an invitation', () => {
  const invite = async (email: string) => {
    const { body } = await api.bob.post('/v1/accounts/me/invites', { email, role: 'READ_RUN' })
    return { invitationToken: body.link.split('#')[1] as string, id: body.id as string }
  }

  it('200: lets a verified email of any domain join, once', async () => {
    const person = newPerson({ email: 'guest@elsewhere.example' })
    const { invitationToken } = await invite('Guest@elsewhere.example')
    const { response } = await signIn(person, { invitationToken })
    expect(response.body.accounts).toEqual([{ id: api.bob.accountId, name: 'An account', role: 'READ_RUN' }])
    const again = await start(openBrowser(api), { invitationToken })
    expect([again.status, again.body.attributes]).toEqual([403, { code: 'invitation_used' }])
    expect((await signIn(person)).response.status).toBe(200)
  })

  it('200: adds the account to the user who has the email', async () => {
    const person = newPerson({ email: 'member@elsewhere.example' })
    const userId = await newUser('member@elsewhere.example')
    const { invitationToken } = await invite('member@elsewhere.example')
    const { response } = await signIn(person, { invitationToken })
    expect([response.status, response.body.user?.id]).toEqual([200, userId])
    expect(await roleOf(userId, api.bob.accountId)).toBe('READ_RUN')
  })

  it('403: of another address, which stays valid', async () => {
    const { invitationToken } = await invite('someone@elsewhere.example')
    for (const claims of [{ email: 'eve@evil.example' }, { email_verified: false }]) {
      const person = newPerson({ email: 'someone@elsewhere.example', ...claims })
      const { response } = await signIn(person, { invitationToken })
      expect(response.status).toBe(403)
      expect(['invitation_mismatch', 'unverified_email']).toContain(response.body.attributes.code)
    }
    const right = newPerson({ email: 'someone@elsewhere.example' })
    expect((await signIn(right, { invitationToken })).response.status).toBe(200)
  })

  it('403: that was withdrawn meanwhile', async () => {
    const { invitationToken, id } = await invite('late@elsewhere.example')
    const { browser, query } = await visit(newPerson({ email: 'late@elsewhere.example' }), {
      invitationToken,
    })
    expect((await api.bob.delete(`/v1/accounts/me/invites/${id}`)).status).toBe(204)
    expect((await finish(browser, query)).body.attributes).toEqual({ code: 'invitation_used' })
  })
})

describe('the response of the provider', () => {
  it('403: works once', async () => {
    const { browser, query } = await visit(newPerson({ groups: ['writers'] }))
    const { cookie } = browser
    expect((await finish(browser, query)).status).toBe(200)
    browser.cookie = cookie
    expect((await finish(browser, query)).body.attributes).toEqual({ code: 'expired' })
  })

  it('403: after ten minutes, and with an unknown state', async () => {
    const { browser, query } = await visit(newPerson({ groups: ['writers'] }))
    away = 600_000
    expect((await finish(browser, query)).body.attributes).toEqual({ code: 'expired' })
    expect((await finish(browser, 'code=x&state=y')).body.attributes).toEqual({ code: 'expired' })
    expect((await finish(browser, 'code=x')).body.attributes).toEqual({ code: 'expired' })
  })

  it('403: in another browser, where someone else would be signed in', async () => {
    const { query } = await visit(newPerson({ groups: ['writers'] }))
    const victim = openBrowser(api)
    await start(victim)
    expect((await finish(victim, query)).body.attributes).toEqual({ code: 'other_browser' })
    expect(victim.cookie).not.toContain('vedette-sign-in')
    const without = await visit(newPerson({ groups: ['writers'] }))
    expect((await finish(openBrowser(api), without.query)).body.attributes.code).toBe('other_browser')
  })

  it.each(['nonce', 'verifier'])('502: another %s', async (name) => {
    const { browser, query } = await visit(newPerson({ groups: ['writers'] }))
    await api.store.pool.query(
      "update sign_in_challenges set facts = facts || jsonb_build_object($1::text, $2::text) where kind = 'single_sign_on'",
      [name, 'another-value-that-is-long-enough-to-be-valid'],
    )
    const refused = await finish(browser, query)
    expect([refused.status, browser.cookie.includes('vedette-sign-in')]).toEqual([502, false])
    expect(refused.body.message).toContain("The identity provider can't be reached, or its response")
  })

  it('502: a code that the provider did not issue, and another issuer', async () => {
    for (const change of [
      ['code', 'x'],
      ['iss', 'https://evil.example'],
    ] as const) {
      const { browser, query } = await visit(newPerson({ groups: ['writers'] }))
      const search = new URLSearchParams(query)
      search.set(change[0], change[1])
      expect((await finish(browser, search.toString())).status).toBe(502)
    }
  })

  it('403: the person canceled', async () => {
    const { response } = await signIn(null)
    expect([response.status, response.body.attributes]).toEqual([403, { code: 'canceled' }])
    expect(response.body.message).toContain('Corp')
  })
})

describe('a person who signs in this way', () => {
  it('202: still needs the second factor', async () => {
    const person = newPerson()
    const userId = await newUser(person.email ?? '')
    const email = await giveTestPassword(api, userId)
    const browser = openBrowser(api)
    await browser.signIn(email)
    const { secret } = (await browser.send('POST', '/v1/users/me/totp')).body
    const code = (steps: number) => totpCode(secret, totpStep(now()) + steps)
    await browser.send('POST', '/v1/users/me/totp/confirmation', { code: code(0) })
    const { browser: other, response } = await signIn(person)
    expect([response.status, other.cookie.includes('vedette-sign-in')]).toEqual([202, false])
    const { token } = response.body.secondFactor
    const second = await other.send('POST', '/v1/sign-in/second-factor', { token, code: code(1) })
    expect(second.status).toBe(200)
  })

  it('204: disconnects, unless it is the only way', async () => {
    const { browser, response } = await signIn(newPerson({ groups: ['writers'] }))
    const [identity] = (await browser.send('GET', '/v1/users/me/factors')).body.identities
    const path = `/v1/users/me/identities/${identity.id}`
    expect((await api.alice.delete(path)).status).toBe(404)
    expect((await browser.send('DELETE', path)).status).toBe(409)
    await giveTestPassword(api, response.body.user.id)
    const other = openBrowser(api)
    expect((await other.signIn(response.body.user.email, testPassword)).status).toBe(200)
    expect((await browser.send('DELETE', path)).status).toBe(204)
    expect((await other.send('GET', '/v1/sign-in')).status).toBe(401)
  })

  it('proves it again by signing in again: the sign-in is a new one', async () => {
    const person = newPerson({ groups: ['writers'] })
    const { browser } = await signIn(person)
    const before = browser.cookie
    const refused = await browser.send('POST', '/v1/sign-in/confirmation', {})
    expect(refused.status).toBe(409)
    const begun = await start(browser, { isConfirmation: true })
    const both = `${before}; ${browser.cookie}`
    const query = await provider.visit(begun.body.url)
    browser.cookie = both
    const { body } = await finish(browser, query)
    expect(Date.now() - Date.parse(body.confirmedAt)).toBeLessThan(60_000)
    const old = openBrowser(api)
    old.cookie = before
    expect((await old.send('GET', '/v1/sign-in')).status).toBe(401)
  })
})

describe('the settings', () => {
  it('200: tell the name of the provider', async () => {
    expect((await api.nobody.get('/v1/sign-in/ways')).body.singleSignOn).toEqual({ label: 'Corp' })
  })

  it('404: there is none', async () => {
    const plain = await startTestApi()
    try {
      expect((await plain.nobody.get('/v1/sign-in/ways')).body.singleSignOn).toBeNull()
      expect((await start(openBrowser(plain))).status).toBe(404)
      expect((await finish(openBrowser(plain), 'code=x&state=y')).status).toBe(404)
    } finally {
      await plain.close()
    }
  })

  it('502: the provider is down; the server has started nevertheless', async () => {
    const gone = await IdentityProvider.open('http://vedette.test/login/sso')
    const other = await startTestApi(gone.settings)
    await gone.close()
    try {
      expect((await start(openBrowser(other))).status).toBe(502)
    } finally {
      await other.close()
    }
  })
})
