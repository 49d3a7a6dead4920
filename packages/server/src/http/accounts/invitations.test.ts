import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Mail } from '../../alerting/channels/transport/smtp.ts'
import { deliverMails } from '../../alerting/mails/mails.ts'
import { startTestApi, type TestApi } from '../../testing/api.ts'
import { giveTestPassword, openBrowser, testPassword } from '../../testing/sign-in.ts'

const day = 86_400_000
let api: TestApi
let now = Date.parse('2026-11-16T12:00:00Z')
beforeAll(async () => {
  api = await startTestApi({}, { now: () => now })
})
afterAll(() => api.close())
beforeEach(() => {
  now += 40 * day
})

const acceptance = { name: 'Dan', password: testPassword }
const newEmail = () => `${randomUUID()}@example.com`
const invite = (email: string, role = 'READ_WRITE') =>
  api.alice.post('/v1/accounts/me/invites', { email, role })
const tokenOf = ({ body }: { body: { link: string } }) => body.link.split('#')[1] as string
const accept = (token: string, body: object = acceptance) =>
  openBrowser(api).send('POST', `/v1/invitations/${token}`, body)

async function readMembers() {
  const { body } = await api.alice.get('/v1/accounts/me/members')
  return body.members
}

describe('inviting', () => {
  it('201: without a mail server the response has the link', async () => {
    const email = newEmail()
    const { status, body } = await invite(email)
    expect(status).toBe(201)
    expect(body).toEqual({
      type: 'invite',
      id: expect.any(String),
      accountId: api.alice.accountId,
      email,
      role: 'READ_WRITE',
      status: 'PENDING',
      inviterEmail: expect.stringContaining('@'),
      createdAt: new Date(now).toISOString(),
      updatedAt: new Date(now).toISOString(),
      expiresAt: new Date(now + day).toISOString(),
      link: expect.stringMatching(/^http:\/\/vedette\.test\/invite#[\w-]{43}$/),
    })
    const { link: _, ...listed } = body
    expect(await readMembers()).toContainEqual(listed)
    const { rows } = await api.store.pool.query('select t::text from one_time_links t, invites')
    expect(JSON.stringify(rows)).not.toContain(tokenOf({ body }))
  })

  it('201: again replaces the invite and its link; withdrawing ends it', async () => {
    const email = newEmail()
    const [first, second] = [await invite(email), await invite(email.toUpperCase(), 'READ_ONLY')]
    expect((await accept(tokenOf(first))).status).toBe(404)
    expect((await api.nobody.get(`/v1/invitations/${tokenOf(second)}`)).body.role).toBe('READ_ONLY')
    expect((await api.bob.delete(`/v1/accounts/me/invites/${second.body.id}`)).status).toBe(404)
    expect((await api.alice.delete(`/v1/accounts/me/invites/${second.body.id}`)).status).toBe(204)
    expect((await accept(tokenOf(second))).status).toBe(404)
  })

  it('409: a member; 400: an owner; 403: without the role', async () => {
    const userId = await api.addMember(api.alice.accountId, 'READ_ONLY')
    const email = await giveTestPassword(api, userId)
    const member = await invite(email)
    expect([member.status, member.body.attributes]).toEqual([409, { email: 'is a member already' }])
    expect((await invite(newEmail(), 'OWNER')).status).toBe(400)
    const writer = await api.as('READ_WRITE')
    const body = { email: newEmail(), role: 'READ_ONLY' }
    expect((await writer.post('/v1/accounts/me/invites', body)).status).toBe(403)
  })

  it('403: by a sign-in, the password must have been entered lately', async () => {
    const browser = openBrowser(api)
    await browser.signIn(await giveTestPassword(api, api.alice.userId))
    now += 11 * 60_000
    const body = { email: newEmail(), role: 'READ_ONLY' }
    const refused = await browser.send('POST', '/v1/accounts/me/invites', body)
    expect([refused.status, refused.body.attributes.code]).toEqual([403, 'confirmation_required'])
  })
})

describe('accepting', () => {
  it('200: makes a user and a member, once', async () => {
    const email = newEmail()
    const token = tokenOf(await invite(email))
    const read = await api.nobody.get(`/v1/invitations/${token}`)
    expect(read.body).toEqual({ email, role: 'READ_WRITE', accountName: 'An account', isNewUser: true })
    const { status, body } = await accept(token)
    expect(status).toBe(200)
    expect(body.user).toMatchObject({ name: 'Dan', email })
    expect(body.accounts).toEqual([{ id: api.alice.accountId, name: 'An account', role: 'READ_WRITE' }])
    expect((await openBrowser(api).signIn(email)).status).toBe(200)
    expect((await accept(token)).status).toBe(404)
    expect((await api.nobody.get(`/v1/invitations/${token}`)).status).toBe(404)
    const listed = (await readMembers()).filter((member: { email: string }) => member.email === email)
    expect(listed).toMatchObject([{ type: 'member', role: 'READ_WRITE' }])
  })

  it('of two at once, one; after a day, none', async () => {
    const token = tokenOf(await invite(newEmail()))
    const both = await Promise.all([accept(token), accept(token)])
    expect(both.map(({ status }) => status).sort()).toEqual([200, 404])
    const late = tokenOf(await invite(newEmail()))
    now += day
    expect((await accept(late)).status).toBe(404)
  })

  it('an existing user needs their own password, and keeps it', async () => {
    const email = await giveTestPassword(api, api.bob.userId)
    const token = tokenOf(await invite(email, 'READ_ONLY'))
    const wrong = await accept(token, { name: 'Eve', password: 'chosen by the admin' })
    expect([wrong.status, wrong.body.attributes]).toEqual([400, { password: 'is wrong' }])
    const { status, body } = await accept(token)
    expect(status).toBe(200)
    expect(body.user).toMatchObject({ id: api.bob.userId, name: 'Owner' })
    const roles = body.accounts.map(({ role }: { role: string }) => role).sort()
    expect(roles).toEqual(['OWNER', 'READ_ONLY'])
  })

  it('409: an existing user without a password can not be taken over', async () => {
    const other = await api.newAccount()
    const { rows } = await api.store.pool.query('select email from users where id = $1', [other.userId])
    const token = tokenOf(await invite(rows[0].email))
    const refused = await accept(token)
    expect([refused.status, refused.body.message]).toEqual([409, expect.stringContaining('no password yet')])
    expect((await openBrowser(api).signIn(rows[0].email)).status).toBe(401)
  })
})

it('201: with a mail server the link is only in the mail', async () => {
  const mailing = await startTestApi({ SMTP_URL: 'smtp://127.0.0.1:1' })
  try {
    const email = newEmail()
    const made = await mailing.alice.post('/v1/accounts/me/invites', { email, role: 'ADMIN' })
    expect([made.status, made.body.link]).toEqual([201, null])
    const sent: Mail[] = []
    await deliverMails(mailing.store.pool, {
      publicUrl: 'http://vedette.test',
      sign: mailing.vault.sign,
      log: pino({ level: 'silent' }),
      now: () => Date.now() + 1000,
      send: async (mail) => `${sent.push(mail)}`,
    })
    expect(sent).toMatchObject([{ to: email, subject: 'Invitation to An account' }])
    const token = /\/invite#([\w-]{43})/.exec(sent[0]?.text ?? '')?.[1]
    const done = await openBrowser(mailing).send('POST', `/v1/invitations/${token}`, acceptance)
    expect(done.body.user.email).toBe(email)
  } finally {
    await mailing.close()
  }
})
