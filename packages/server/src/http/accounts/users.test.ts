import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Mail } from '../../alerting/channels/transport/smtp.ts'
import { deliverMails } from '../../alerting/mails/mails.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { type Browser, giveTestPassword, openBrowser, testPassword } from '../../testing/sign-in.ts'

let now = Date.parse('2026-11-16T12:00:00Z')
let api: TestApi
let mailing: TestApi
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
  mailing = await startTestApi({ SMTP_URL: 'smtp://127.0.0.1:1' }, { now: () => now })
})
afterAll(async () => {
  await api.close()
  await mailing.close()
})

const newEmail = () => `${randomUUID()}@example.com`

async function signedIn(
  server: TestApi,
  userId: string | null,
): Promise<{ browser: Browser; email: string }> {
  const browser = openBrowser(server)
  const email = await giveTestPassword(server, userId)
  expect((await browser.signIn(email)).status).toBe(200)
  return { browser, email }
}

const changeEmail = (browser: Browser, email: string) => browser.send('POST', '/v1/users/me/email', { email })
const confirm = (browser: Browser, token: string) =>
  browser.send('POST', '/v1/users/me/email/confirmation', { token })

async function readMails(): Promise<Mail[]> {
  const sent: Mail[] = []
  await deliverMails(mailing.store.pool, {
    publicUrl: 'http://vedette.test',
    sign: mailing.vault.sign,
    log: pino({ level: 'silent' }),
    now: () => now + 1000,
    send: async (mail) => `${sent.push(mail)}`,
  })
  return sent
}

describe('the own name', () => {
  it('changes, and is in the audit log', async () => {
    const { browser } = await signedIn(api, api.alice.userId)
    const { status, body } = await browser.send('PATCH', '/v1/users/me', { name: 'Ann' })
    expect([status, body.name]).toEqual([200, 'Ann'])
    expect((await browser.send('GET', '/v1/sign-in')).body.user.name).toBe('Ann')
    const { body: log } = await api.alice.get('/v1/audit-log?kind=Users')
    expect(log.entries[0]).toMatchObject({ summary: 'Change your name', resource: { name: 'Ann' } })
  })

  it('403: of a service key', async () => {
    const key = await api.as('ADMIN')
    expect((await key.patch('/v1/users/me', { name: 'x' })).status).toBe(403)
  })
})

describe('the own email, without a mail server', () => {
  it('changes at once, and signs in', async () => {
    const { browser } = await signedIn(api, api.alice.userId)
    const email = newEmail()
    const { status, body } = await changeEmail(browser, email)
    expect([status, body]).toEqual([200, { email, pendingEmail: null }])
    expect((await openBrowser(api).signIn(email)).status).toBe(200)
  })

  it('409: of someone else', async () => {
    const { browser } = await signedIn(api, api.alice.userId)
    const taken = await giveTestPassword(api, api.bob.userId)
    const { status, body } = await changeEmail(browser, taken.toUpperCase())
    expect([status, body.attributes]).toEqual([409, { email: 'is taken already' }])
  })

  it('403: by an API key, and long after the password was entered', async () => {
    const byKey = await api.alice.post('/v1/users/me/email', { email: newEmail() })
    expect([byKey.status, byKey.body.message]).toEqual([403, expect.stringContaining('sign in')])
    const { browser } = await signedIn(api, api.alice.userId)
    now += 11 * 60_000
    const late = await changeEmail(browser, newEmail())
    expect([late.status, late.body.attributes.code]).toEqual([403, 'confirmation_required'])
    expect((await browser.send('POST', '/v1/sign-in/confirmation', { password: testPassword })).status).toBe(
      200,
    )
    expect((await changeEmail(browser, newEmail())).status).toBe(200)
  })
})

it('409: without a mail server, nobody claims an email by which the identity provider joins people', async () => {
  const oidc = { OIDC_ISSUER: 'http://127.0.0.1:1', OIDC_CLIENT_ID: 'x', OIDC_CLIENT_SECRET: 'y' }
  const joining = await startTestApi(oidc, { now: () => now })
  try {
    const { browser, email } = await signedIn(joining, joining.alice.userId)
    const { status, body } = await changeEmail(browser, newEmail())
    expect([status, body.message]).toEqual([409, expect.stringContaining('users set-email')])
    expect((await openBrowser(joining).signIn(email)).status).toBe(200)
  } finally {
    await joining.close()
  }
})

describe('the own email, with a mail server', () => {
  it('changes by the link, once; the old address gets a notice', async () => {
    const { browser, email: old } = await signedIn(mailing, mailing.alice.userId)
    const email = newEmail()
    const asked = await changeEmail(browser, email)
    expect(asked.body).toEqual({ email: old, pendingEmail: email })
    const sent = await readMails()
    expect(sent.map(({ to, subject }) => [to, subject]).sort()).toEqual(
      [
        [email, 'Confirm your new email'],
        [old, 'Your email is about to change'],
      ].sort(),
    )
    const link = sent.find(({ to }) => to === email)?.text ?? ''
    const token = /\/email#([\w-]{43})/.exec(link)?.[1] ?? ''
    expect(sent.find(({ to }) => to === old)?.text).not.toContain(token)
    const { browser: other } = await signedIn(mailing, mailing.bob.userId)
    expect((await confirm(other, token)).status).toBe(404)
    expect((await confirm(browser, token)).body).toEqual({ email, pendingEmail: null })
    expect((await confirm(browser, token)).status).toBe(404)
    expect((await openBrowser(mailing).signIn(old)).status).toBe(401)
    expect((await openBrowser(mailing).signIn(email)).status).toBe(200)
  })

  it('responds the same to the email of someone else, and sends no link', async () => {
    const { browser, email: old } = await signedIn(mailing, mailing.alice.userId)
    const taken = await giveTestPassword(mailing, mailing.bob.userId)
    const { status, body } = await changeEmail(browser, taken)
    expect([status, body]).toEqual([200, { email: old, pendingEmail: taken }])
    expect((await readMails()).map(({ to }) => to)).toEqual([old])
  })

  it('a new password and a day end the link', async () => {
    const { browser } = await signedIn(mailing, mailing.alice.userId)
    const tokenFor = async (email: string) => {
      await changeEmail(browser, email)
      const mail = (await readMails()).find(({ to }) => to === email)
      return /\/email#([\w-]{43})/.exec(mail?.text ?? '')?.[1] ?? ''
    }
    const first = await tokenFor(newEmail())
    const passwords = { currentPassword: testPassword, newPassword: testPassword }
    expect((await browser.send('POST', '/v1/users/me/password', passwords)).status).toBe(204)
    expect((await confirm(browser, first)).status).toBe(404)
    const second = await tokenFor(newEmail())
    now += 86_400_000
    expect((await confirm(browser, second)).status).toBe(404)
  })
})
