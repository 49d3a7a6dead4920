import { createHash, randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { totpCode, totpStep } from '../../accounts/totp.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { Authenticator, type Misuse } from '../../testing/authenticator.ts'
import { type Browser, giveTestPassword, openBrowser } from '../../testing/sign-in.ts'

const [minute, day] = [60_000, 86_400_000]
const origin = 'https://vedette.example'
let api: TestApi
let email: string
let now = Date.parse('2026-11-16T12:00:00Z')
beforeAll(async () => {
  api = await startTestApi({ PUBLIC_URL: origin }, { now: () => now })
  email = await giveTestPassword(api, api.alice.userId)
})
afterAll(() => api.close())
beforeEach(async () => {
  now += 40 * day
  await api.store.pool.query('delete from passkeys')
})

async function signedIn(who = email): Promise<Browser> {
  const browser = openBrowser(api)
  expect((await browser.signIn(who)).status).toBe(200)
  return browser
}

async function registered(who = email) {
  const browser = await signedIn(who)
  const device = new Authenticator(origin)
  const options = await browser.send('POST', '/v1/users/me/passkeys/options')
  const credential = device.create(options.body)
  const made = await browser.send('POST', '/v1/users/me/passkeys', { name: 'Laptop', credential })
  expect(made.status, made.text).toBe(201)
  return { browser, device, passkey: made.body, credential }
}

const begin = async () => (await openBrowser(api).send('POST', '/v1/sign-in/passkey/options')).body

describe('adding a passkey', () => {
  it('200: options for a discoverable key of this server, whose user the device verifies', async () => {
    const browser = await signedIn()
    const { status, body, headers } = await browser.send('POST', '/v1/users/me/passkeys/options')
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
    expect(body).toEqual({
      challenge: expect.stringMatching(/^[\w-]{43}$/),
      rp: { id: 'vedette.example', name: 'Vedette' },
      user: { id: expect.any(String), name: email, displayName: 'Owner' },
      pubKeyCredParams: [-8, -7, -257].map((alg) => ({ type: 'public-key', alg })),
      timeout: 300_000,
      attestation: 'none',
      authenticatorSelection: {
        residentKey: 'required',
        requireResidentKey: true,
        userVerification: 'required',
      },
      excludeCredentials: [],
    })
  })

  it('201: named, listed, renamed and removed', async () => {
    const { browser, passkey, credential } = await registered()
    expect(passkey).toEqual({
      id: expect.any(String),
      name: 'Laptop',
      createdAt: new Date(now).toISOString(),
      lastUsedAt: null,
    })
    const { body: options } = await browser.send('POST', '/v1/users/me/passkeys/options')
    expect(options.excludeCredentials).toEqual([
      { id: credential.id, type: 'public-key', transports: ['internal'] },
    ])
    const path = `/v1/users/me/passkeys/${passkey.id}`
    const renamed = await browser.send('PATCH', path, { name: ' Phone ' })
    expect([renamed.status, renamed.body.name]).toEqual([200, 'Phone'])
    const { passkeys } = (await browser.send('GET', '/v1/users/me/factors')).body
    expect(passkeys).toEqual([{ ...passkey, name: 'Phone' }])
    expect((await browser.send('DELETE', path)).status).toBe(204)
    expect((await browser.send('DELETE', path)).status).toBe(404)
  })

  it('ends the other sign-ins, and so does removing it', async () => {
    const other = await signedIn()
    const { browser, passkey } = await registered()
    expect((await other.send('GET', '/v1/sign-in')).status).toBe(401)
    const another = await signedIn()
    expect((await browser.send('DELETE', `/v1/users/me/passkeys/${passkey.id}`)).status).toBe(204)
    expect((await another.send('GET', '/v1/sign-in')).status).toBe(401)
    expect((await browser.send('GET', '/v1/sign-in')).status).toBe(200)
  })

  const wrong: [string, Misuse][] = [
    ['another origin', { origin: 'https://evil.example' }],
    ['this server over http', { origin: 'http://vedette.example' }],
    ['another domain', { rpId: 'evil.example' }],
    ['a device that did not verify its user', { isUnverified: true }],
    ['a challenge of nobody', { challenge: randomBytes(32).toString('base64url') }],
    ['what was meant as a sign-in', { type: 'webauthn.get' }],
  ]
  it.each(wrong)('400: %s', async (_what, misuse) => {
    const browser = await signedIn()
    const options = (await browser.send('POST', '/v1/users/me/passkeys/options')).body
    const credential = new Authenticator(origin).create(options, misuse)
    const { status, body } = await browser.send('POST', '/v1/users/me/passkeys', { name: 'x', credential })
    expect([status, Object.keys(body.attributes)]).toEqual([400, ['credential']])
  })

  it('400: a challenge that was used, is five minutes old, is for signing in, or belongs to someone else', async () => {
    const browser = await signedIn()
    const device = new Authenticator(origin)
    const add = async (credential: unknown, by = browser) =>
      (await by.send('POST', '/v1/users/me/passkeys', { name: 'x', credential })).status
    const options = async () => (await browser.send('POST', '/v1/users/me/passkeys/options')).body
    const used = await options()
    expect(await add(device.create(used))).toBe(201)
    expect(await add(device.create(used))).toBe(400)
    const late = await options()
    now += 5 * minute
    expect(await add(device.create(late))).toBe(400)
    const forSignIn = await begin()
    expect(await add(device.create({ ...late, challenge: forSignIn.challenge }))).toBe(400)
    const bob = await signedIn(await giveTestPassword(api, api.bob.userId))
    expect(await add(device.create(await options()), bob)).toBe(400)
  })

  it('400: an attestation with a certificate, which would make the server download from its addresses', async () => {
    const browser = await signedIn()
    const options = (await browser.send('POST', '/v1/users/me/passkeys/options')).body
    const credential = new Authenticator(origin).create(options)
    const none = Buffer.from(credential.attestationObject, 'base64url')
    // {fmt: "none", attStmt: {}} becomes {fmt: "packed", attStmt: {x5c: [h'00']}}.
    const text = none.toString('latin1')
    const packed = text
      .replace('\x64none', '\x66packed')
      .replace('\x67attStmt\xa0', '\x67attStmt\xa1\x63x5c\x81\x41\x00')
    expect(packed).not.toBe(text)
    const attestationObject = Buffer.from(packed, 'latin1').toString('base64url')
    const refused = await browser.send('POST', '/v1/users/me/passkeys', {
      name: 'x',
      credential: { ...credential, attestationObject },
    })
    expect(refused.status).toBe(400)
  })

  it('409: the credential of someone else', async () => {
    const { credential } = await registered()
    const bob = await signedIn(await giveTestPassword(api, api.bob.userId))
    const options = (await bob.send('POST', '/v1/users/me/passkeys/options')).body
    const clientDataJSON = Buffer.from(
      JSON.stringify({ type: 'webauthn.create', challenge: options.challenge, origin }),
    ).toString('base64url')
    const copy = { ...credential, clientDataJSON }
    const taken = await bob.send('POST', '/v1/users/me/passkeys', { name: 'x', credential: copy })
    expect(taken.status).toBe(409)
  })

  it('403: asks again after ten minutes, and refuses keys', async () => {
    const { browser, passkey, credential } = await registered()
    const path = `/v1/users/me/passkeys/${passkey.id}`
    const byKey = [
      await api.alice.post('/v1/users/me/passkeys/options'),
      await api.alice.post('/v1/users/me/passkeys', { name: 'x', credential }),
      await api.alice.patch(path, { name: 'x' }),
      await api.alice.delete(path),
    ]
    for (const { status, body } of byKey)
      expect([status, body.message]).toEqual([403, 'An API key has no sign-in.'])
    now += 10 * minute + 1
    const late = [
      await browser.send('POST', '/v1/users/me/passkeys/options'),
      await browser.send('POST', '/v1/users/me/passkeys', { name: 'x', credential }),
      await browser.send('DELETE', path),
    ]
    for (const { body } of late) expect(body.attributes).toEqual({ code: 'confirmation_required' })
  })

  it("404: someone else's can neither be renamed nor removed", async () => {
    const { passkey } = await registered()
    const bob = await signedIn(await giveTestPassword(api, api.bob.userId))
    const path = `/v1/users/me/passkeys/${passkey.id}`
    expect((await bob.send('PATCH', path, { name: 'x' })).status).toBe(404)
    expect((await bob.send('DELETE', path)).status).toBe(404)
    expect((await bob.send('GET', '/v1/users/me/factors')).body.passkeys).toEqual([])
  })

  it('409: the last way to sign in stays', async () => {
    const { browser, passkey } = await registered()
    await api.store.pool.query('delete from passwords where user_id = $1', [api.alice.userId])
    const refused = await browser.send('DELETE', `/v1/users/me/passkeys/${passkey.id}`)
    expect([refused.status, refused.body.message]).toEqual([
      409,
      expect.stringContaining('no longer sign in'),
    ])
    await giveTestPassword(api, api.alice.userId)
  })
})

describe('signing in by passkey', () => {
  it('200: alone, with a new cookie', async () => {
    const { device, browser: own } = await registered()
    const browser = openBrowser(api)
    browser.cookie = '__Host-vedette-sign-in=cGxhbnRlZA'
    const { status, body } = await browser.send('POST', '/v1/sign-in/passkey', device.get(await begin()))
    expect([status, body.user?.email]).toEqual([200, email])
    expect(browser.cookie).not.toContain('cGxhbnRlZA')
    expect((await browser.send('GET', '/v1/sign-in')).status).toBe(200)
    const [used] = (await own.send('GET', '/v1/users/me/factors')).body.passkeys
    expect(used.lastUsedAt).toBe(new Date(now).toISOString())
  })

  it('200: stands for both factors', async () => {
    const { browser, device } = await registered()
    const { secret } = (await browser.send('POST', '/v1/users/me/totp')).body
    const code = totpCode(secret, totpStep(now))
    await browser.send('POST', '/v1/users/me/totp/confirmation', { code })
    expect((await openBrowser(api).signIn(email)).status).toBe(202)
    const signIn = await openBrowser(api).send('POST', '/v1/sign-in/passkey', device.get(await begin()))
    expect(signIn.status).toBe(200)
    await api.store.pool.query('delete from totp_factors')
  })

  it('the options are the same for everyone', async () => {
    const { challenge, ...rest } = await begin()
    expect(rest).toEqual({ rpId: 'vedette.example', timeout: 300_000, userVerification: 'required' })
    expect((await begin()).challenge).not.toBe(challenge)
  })

  const wrong: [string, Misuse][] = [
    ['another origin', { origin: 'https://evil.example' }],
    ['another domain', { rpId: 'evil.example' }],
    ['a device that did not verify its user', { isUnverified: true }],
    ['a challenge of nobody', { challenge: randomBytes(32).toString('base64url') }],
    ['what was meant as a registration', { type: 'webauthn.create' }],
    ['a counter that went back: a copy of the device', { counter: 1 }],
    ['another signature', { signature: createHash('sha256').update('x').digest() }],
  ]
  it.each(wrong)('401: %s, the same as for an unknown passkey', async (_what, misuse) => {
    const { device } = await registered()
    const send = async (body: unknown) => openBrowser(api).send('POST', '/v1/sign-in/passkey', body)
    expect((await send(device.get(await begin(), { counter: 5 }))).status).toBe(200)
    const refused = await send(device.get(await begin(), misuse))
    const stranger = new Authenticator(origin)
    stranger.create({ user: { id: 'x' }, rp: { id: 'vedette.example' }, challenge: 'x' })
    const unknown = await send(stranger.get(await begin()))
    expect([refused.status, refused.headers.getSetCookie()]).toEqual([401, []])
    expect([unknown.status, unknown.body]).toEqual([401, refused.body])
  })

  it('401: a challenge works once, for five minutes', async () => {
    const { device } = await registered()
    const send = async (body: unknown) => openBrowser(api).send('POST', '/v1/sign-in/passkey', body)
    const options = await begin()
    const assertion = device.get(options)
    expect((await send(assertion)).status).toBe(200)
    expect((await send(assertion)).status).toBe(401)
    expect((await send(device.get(options))).status).toBe(401)
    const late = await begin()
    now += 5 * minute
    expect((await send(device.get(late))).status).toBe(401)
    const parallel = device.get(await begin())
    const both = await Promise.all([send(parallel), send(parallel)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 401])
  })

  it("401: a removed passkey, and the handle of another user with one's own key", async () => {
    const { browser, device, passkey } = await registered()
    const send = async (body: unknown) => openBrowser(api).send('POST', '/v1/sign-in/passkey', body)
    const userHandle = Buffer.from(api.bob.userId as string).toString('base64url')
    expect((await send({ ...device.get(await begin()), userHandle })).status).toBe(401)
    await browser.send('DELETE', `/v1/users/me/passkeys/${passkey.id}`)
    expect((await send(device.get(await begin()))).status).toBe(401)
  })

  it('403: another site can not sign a visitor in', async () => {
    const { device } = await registered()
    const browser = openBrowser(api)
    const body = device.get(await begin())
    const headers = { origin: 'https://evil.example' }
    expect((await browser.send('POST', '/v1/sign-in/passkey', body, headers)).status).toBe(403)
  })

  it('leaves entries in the audit log', async () => {
    const { device } = await registered()
    const send = async (body: unknown) => openBrowser(api).send('POST', '/v1/sign-in/passkey', body)
    await send(device.get(await begin(), { isUnverified: true }))
    await send(device.get(await begin()))
    const seen = async () => {
      const { body } = await api.alice.get('/v1/audit-log?limit=20')
      return body.entries.map(({ operation, outcome }: Record<string, string>) => [operation, outcome])
    }
    await expect.poll(seen).toEqual(
      expect.arrayContaining([
        ['POST /v1/sign-in/passkey', 'refused'],
        ['POST /v1/sign-in/passkey', 'done'],
      ]),
    )
  })
})

describe('proving it again by passkey', () => {
  it('200: with one of your own, 400 with another', async () => {
    const bobEmail = await giveTestPassword(api, api.bob.userId)
    const { device: foreign } = await registered(bobEmail)
    const { browser, device } = await registered()
    now += 11 * minute
    const confirm = (passkey: unknown) => browser.send('POST', '/v1/sign-in/confirmation', { passkey })
    const wrong = [
      await confirm(foreign.get(await begin())),
      await confirm(device.get(await begin(), { isUnverified: true })),
    ]
    for (const { status, body } of wrong)
      expect([status, Object.keys(body.attributes)]).toEqual([400, ['passkey']])
    const right = await confirm(device.get(await begin()))
    expect([right.status, right.body.confirmedAt]).toEqual([200, new Date(now).toISOString()])
    expect((await browser.send('POST', '/v1/users/me/api-keys', { name: 'x' })).status).toBe(201)
  })
})

describe('where there are passkeys', () => {
  it('200: tells the origin', async () => {
    const { body } = await api.nobody.get('/v1/sign-in/ways')
    expect(body.passkeys).toEqual({ origin, reason: null })
  })

  it('409: not over plain http', async () => {
    const plain = await startTestApi()
    try {
      const ways = (await plain.nobody.get('/v1/sign-in/ways')).body
      expect(ways.passkeys).toEqual({ origin: null, reason: expect.stringContaining('need https') })
      const refused = await plain.nobody.post('/v1/sign-in/passkey/options')
      expect([refused.status, refused.body.message]).toEqual([409, ways.passkeys.reason])
    } finally {
      await plain.close()
    }
  })
})
