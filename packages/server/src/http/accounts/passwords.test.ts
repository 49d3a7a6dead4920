import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Mail } from '../../alerting/channels/transport/smtp.ts'
import { deliverMails } from '../../alerting/mails/mails.ts'
import { insertOneTimeLink } from '../../storage/accounts/one-time-links.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { type Browser, giveTestPassword, openBrowser, testPassword } from '../../testing/sign-in.ts'

const day = 86_400_000
const newPassword = 'staple battery horse'
let api: TestApi
let email: string
let now = Date.parse('2026-11-16T12:00:00Z')
beforeAll(async () => {
  api = await startTestApi({ SMTP_URL: 'smtp://127.0.0.1:1' }, { now: () => now })
})
afterAll(() => api.close())
beforeEach(async () => {
  now += 40 * day
  email = await giveTestPassword(api, api.alice.userId)
})

async function signedIn(): Promise<Browser> {
  const browser = openBrowser(api)
  expect((await browser.signIn(email)).status).toBe(200)
  return browser
}

describe('changing the password', () => {
  const body = { currentPassword: testPassword, newPassword }

  it('204: ends the other sign-ins and links; keys stay', async () => {
    const [own, other] = [await signedIn(), await signedIn()]
    const token = await newToken()
    expect((await own.send('POST', '/v1/users/me/password', body)).status).toBe(204)
    expect((await own.send('GET', '/v1/sign-in')).status).toBe(200)
    expect((await other.send('GET', '/v1/sign-in')).status).toBe(401)
    expect((await reset(token)).status).toBe(404)
    expect((await api.alice.get('/v1/users/me')).status).toBe(200)
    expect((await openBrowser(api).signIn(email)).status).toBe(401)
    expect((await openBrowser(api).signIn(email, newPassword)).status).toBe(200)
  })

  it('204: by a key it ends all sign-ins', async () => {
    const browser = await signedIn()
    expect((await api.alice.post('/v1/users/me/password', body)).status).toBe(204)
    expect((await browser.send('GET', '/v1/sign-in')).status).toBe(401)
  })

  it('400: the current one is wrong, or there is none; 429: after several', async () => {
    const wrong = { currentPassword: 'wrong password', newPassword }
    const browser = await signedIn()
    const refused = await browser.send('POST', '/v1/users/me/password', wrong)
    expect([refused.status, refused.body.attributes]).toEqual([400, { currentPassword: 'is wrong' }])
    const none = await api.bob.post('/v1/users/me/password', body)
    expect([none.status, none.body.attributes]).toEqual([400, { currentPassword: 'is wrong' }])
    for (let round = 0; round < 5; round++) await browser.send('POST', '/v1/users/me/password', wrong)
    expect((await browser.send('POST', '/v1/users/me/password', body)).status).toBe(429)
  })

  it('403: a service key has no password', async () => {
    expect((await (await api.as('OWNER')).post('/v1/users/me/password', body)).status).toBe(403)
  })
})

const newToken = () =>
  insertOneTimeLink(api.store.db, { kind: 'reset', userId: api.alice.userId as string, now })
const reset = (token: string) =>
  openBrowser(api).send('POST', `/v1/password-resets/${token}`, { password: newPassword })

describe('a link to choose a new password', () => {
  it('200: signs in, once, and ends everything before', async () => {
    const before = await signedIn()
    const [token, other] = [await newToken(), await newToken()]
    const browser = openBrowser(api)
    const done = await browser.send('POST', `/v1/password-resets/${token}`, { password: newPassword })
    expect([done.status, done.body.user.id]).toEqual([200, api.alice.userId])
    expect((await browser.send('GET', '/v1/sign-in')).status).toBe(200)
    expect((await before.send('GET', '/v1/sign-in')).status).toBe(401)
    expect((await openBrowser(api).signIn(email, newPassword)).status).toBe(200)
    const again = await reset(token)
    expect([again.status, again.body.message]).toEqual([404, expect.stringContaining('Request another one')])
    expect((await reset(other)).status).toBe(404)
  })

  it('404: expired, unknown, or of the setup; of two at once, one works', async () => {
    const expired = await newToken()
    now += day
    const userId = api.alice.userId as string
    const setup = await insertOneTimeLink(api.store.db, { kind: 'setup', userId, now })
    expect([(await reset(expired)).status, (await reset('x')).status, (await reset(setup)).status]).toEqual([
      404, 404, 404,
    ])
    const token = await newToken()
    const both = await Promise.all([reset(token), reset(token)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 404])
  })

  it('stays valid if the server stops between hashing and the end of the transaction', async () => {
    const token = await newToken()
    await api.store.pool.query(`create function stop_it() returns trigger language plpgsql as
      $$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$`)
    await api.store.pool.query(
      'create trigger stop_it before insert on sign_ins for each row execute function stop_it()',
    )
    const broken = await reset(token)
    await api.store.pool.query('drop function stop_it cascade')
    expect(broken.status).toBeGreaterThanOrEqual(500)
    expect((await openBrowser(api).signIn(email)).status).toBe(200)
    expect((await reset(token)).status).toBe(200)
  })
})

describe('requesting a link', () => {
  const request = (address: string) => api.nobody.post('/v1/password-resets', { email: address })

  async function deliver(): Promise<Mail[]> {
    const sent: Mail[] = []
    const context = { publicUrl: 'http://vedette.test', sign: api.vault.sign, log: pino({ level: 'silent' }) }
    const send = async (mail: Mail) => {
      sent.push(mail)
      return 'ok'
    }
    await deliverMails(api.store.pool, { ...context, send, now: () => now })
    return sent
  }

  it('202: mails a link that works; the store has no token', async () => {
    expect((await request(email.toUpperCase())).status).toBe(202)
    const mails: Mail[] = []
    await expect.poll(async () => mails.push(...(await deliver()))).toBe(1)
    const [mail] = mails
    expect(mail?.to).toBe(email)
    const token = /http:\/\/vedette\.test\/reset#([\w-]{43})/.exec(mail?.text ?? '')?.[1] as string
    expect(mail?.html).toContain(token)
    for (const table of ['mails', 'one_time_links']) {
      const { rows } = await api.store.pool.query(`select t::text from ${table} t`)
      expect(JSON.stringify(rows)).not.toContain(token)
    }
    expect((await reset(token)).status).toBe(200)
  })

  it('202: the same for an unknown email, without a mail', async () => {
    const [known, unknown] = [await request(email), await request('nobody@example.com')]
    expect([unknown.status, unknown.text]).toEqual([known.status, known.text])
    await expect.poll(() => deliver()).toHaveLength(1)
    expect(await deliver()).toEqual([])
  })

  it('429: after several for one address; at most five mails, from wherever they are requested', async () => {
    for (let round = 0; round < 6; round++) expect((await request(email)).status).toBe(202)
    expect((await request(email)).status).toBe(429)
    const mails: Mail[] = []
    await expect.poll(async () => mails.push(...(await deliver()))).toBeGreaterThanOrEqual(5)
    await api.store.pool.query('delete from sign_in_attempts')
    expect((await request(email)).status).toBe(202)
    expect((await openBrowser(api).signIn(email)).status).toBe(200)
    expect(await deliver()).toEqual([])
    expect(mails).toHaveLength(5)
  })
})
