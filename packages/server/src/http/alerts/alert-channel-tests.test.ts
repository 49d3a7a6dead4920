import { type AddressInfo, createServer } from 'node:net'
import { pino } from 'pino'
import PostalMime, { type Email } from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openChannelClients } from '../../alerting/delivery/channel-clients.ts'
import { readConfig } from '../../config.ts'
import { markChannelFailing } from '../../storage/alerts/channel-health.ts'
import { type Caller, startTestApi, type TestApi } from '../../testing/api.ts'
import { bodyOf, closeListeners, listen, listenHttp } from '../../testing/listeners.ts'
import { systemClock } from '../../testing/system-clock.ts'
import { buildApp } from '../transport/app.ts'

let api: TestApi
type Response = { status: number; body: Record<string, unknown> }

let post: (caller: Caller, path: string, body?: unknown) => Promise<Response>
const send = (caller: Caller, id: number, body?: unknown) =>
  post(caller, `/v1/alert-channels/${id}/test`, body)
const mails: Email[] = []
const closers: (() => unknown)[] = []

beforeAll(async () => {
  api = await startTestApi()
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onRcptTo: ({ address }, _, done) =>
      done(
        address.startsWith('gone') ? Object.assign(new Error('no such user'), { responseCode: 550 }) : null,
      ),
    onData(stream, _, done) {
      Array.fromAsync(stream as AsyncIterable<Buffer>)
        .then(async (chunks) => mails.push(await PostalMime.parse(Buffer.concat(chunks))))
        .then(() => done(null), done)
    },
  })
  await new Promise<void>((resolve) => smtp.listen(0, '127.0.0.1', () => resolve()))
  const config = readConfig({
    PUBLIC_URL: 'http://vedette.test',
    RATE_LIMIT_PER_MINUTE: '1000000',
    RATE_LIMIT_FACTOR: '1000',
    SMTP_URL: `smtp://127.0.0.1:${(smtp.server.address() as AddressInfo).port}`,
    SMTP_FROM: 'Vedette <alerts@vedette.test>',
  })
  const clients = openChannelClients(config)
  const app = await buildApp({
    store: api.store,
    vault: api.vault,
    blobs: api.blobs,
    config,
    clock: systemClock,
    log: pino({ level: 'silent' }),
    staticIps: { ipv4: {}, ipv6: {} },
    checkResponses: true,
    channels: clients,
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const base = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  post = async ({ key }, path, body) => {
    const response = await fetch(base + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    return { status: response.status, body: (await response.json()) as Record<string, unknown> }
  }
  closers.push(
    () => app.close(),
    () => clients.close(),
    () => new Promise<void>((resolve) => smtp.close(() => resolve())),
  )
})
afterEach(closeListeners)
afterAll(async () => {
  for (const close of closers) await close()
  await api.close()
})

async function channel(type: string, config: Record<string, unknown>): Promise<number> {
  const { status, body, text } = await api.alice.post('/v1/alert-channels', { type, config })
  expect(status, text).toBe(201)
  return body.id
}

describe('200: a test message', () => {
  it('is mailed to every address, marked as a test', async () => {
    const id = await channel('EMAIL', { address: 'a@example.com, b@example.com' })
    const { status, body } = await send(api.alice, id)
    expect(status).toBe(200)
    expect(body.status).toBe('SUCCESS')
    expect(mails.flatMap(({ to }) => to?.map(({ address }) => address)).sort()).toEqual([
      'a@example.com',
      'b@example.com',
    ])
    for (const mail of mails) {
      expect(mail.subject).toBe('[Test] Check "Example check" has failed')
      expect(mail.text).toContain('This is a test message')
      expect(mail.html).toContain('Account')
      expect(mail.references).toMatch(/^<episode\./)
    }
  })

  it("is sent to a webhook with the account's variables, as the requested alert", async () => {
    await api.alice.post('/v1/variables', { key: 'TEST_HOOK_TOKEN', value: 'abc def', secret: true })
    const seen: { url: string | undefined; token: unknown; body: string }[] = []
    const { url } = await listenHttp(async (request, response) => {
      seen.push({ url: request.url, token: request.headers['x-token'], body: await bodyOf(request) })
      response.end('fine')
    })
    const id = await channel('WEBHOOK', {
      url: `${url}/hook?t={{TEST_HOOK_TOKEN}}`,
      headers: [{ key: 'X-Token', value: '{{TEST_HOOK_TOKEN}}' }],
      template: '{"type": "{{ALERT_TYPE}}", "title": "{{ALERT_TITLE}}"}',
    })
    const { body } = await send(api.alice, id, { alertType: 'ALERT_RECOVERY' })
    expect(body).toEqual({
      status: 'SUCCESS',
      notificationResult: 'The channel responded with status 200 (fine).',
    })
    expect(seen).toEqual([
      {
        url: '/hook?t=abc%20def',
        token: 'abc def',
        body: '{"type": "ALERT_RECOVERY", "title": "[Test] Check \\"Example check\\" has recovered"}',
      },
    ])
  })

  it('that is refused returns the reason', async () => {
    const { url } = await listenHttp((_, response) => response.writeHead(404).end('no_service'))
    const id = await channel('SLACK', { url: `${url}/services/T0/B0/x` })
    expect(await send(api.alice, id)).toEqual({
      status: 200,
      body: {
        status: 'FAILURE',
        notificationResult:
          "The channel responded with status 404 (no_service). Check the address in the channel's settings.",
      },
    })
    const gone = await send(api.alice, await channel('EMAIL', { address: 'gone@example.com' }))
    expect(gone.body.status).toBe('FAILURE')
    expect(gone.body.notificationResult).toMatch(/no such user/)
    const phone = await send(api.alice, await channel('SMS', { name: '', number: '+14155550100' }))
    expect(phone.body.notificationResult).toMatch(/TWILIO_ACCOUNT_SID/)
  })

  it('that exceeds the limit of the channel returns the reason', async () => {
    const { url } = await listenHttp((_, response) => response.writeHead(429).end())
    const { body } = await send(api.alice, await channel('WEBHOOK', { url }))
    expect(body.status).toBe('RATE_LIMITED')
  })

  it('that succeeds marks the channel as healthy', async () => {
    const { url } = await listenHttp((_, response) => response.end('ok'))
    const id = await channel('SLACK', { url })
    await markChannelFailing(api.store.pool, id, { failure: 'refused', isRefusing: true, now: Date.now() })
    const health = async () => (await api.alice.get(`/v1/alert-channels/${id}`)).body.health.status
    expect(await health()).toBe('REFUSING')
    await send(api.alice, id)
    expect(await health()).toBe('OK')
  })

  it('is not sent by a server that sends nothing', async () => {
    const { port, sockets } = await listen(createServer())
    const id = await channel('WEBHOOK', { url: `http://127.0.0.1:${port}` })
    const { status, body } = await api.alice.post(`/v1/alert-channels/${id}/test`)
    expect([status, body.status]).toEqual([200, 'FAILURE'])
    expect(body.notificationResult).toMatch(/ALERTS=off/)
    expect(sockets.size).toBe(0)
  })
})

describe('200: a draft', () => {
  const hook = {
    type: 'WEBHOOK',
    config: { url: '', template: '{"t": "{{ALERT_TITLE}}", "k": "{{DRAFT_KEY}}"}' },
  }

  it('is tested without being stored, with the secrets of the stored channel', async () => {
    const seen: { token: unknown; body: string }[] = []
    const { url } = await listenHttp(async (request, response) => {
      seen.push({ token: request.headers['x-token'], body: await bodyOf(request) })
      response.end('fine')
    })
    const headers = [{ key: 'x-token', value: 'stored-token' }]
    const id = await channel('WEBHOOK', { url, headers })
    const before = (await api.alice.get('/v1/alert-channels')).headers.get('content-range')
    const draft = {
      type: 'WEBHOOK',
      config: { url: '***', headers: [{ key: 'x-token', value: '***' }], template: 'draft' },
    }
    const sent = await post(api.alice, '/v1/alert-channels/test', { channel: draft, alertChannelId: id })
    expect(sent).toMatchObject({ status: 200, body: { status: 'SUCCESS' } })
    expect(seen).toEqual([{ token: 'stored-token', body: 'draft' }])
    expect((await api.alice.get('/v1/alert-channels')).headers.get('content-range')).toBe(before)
    const refusals = [
      await post(api.alice, '/v1/alert-channels/test', { channel: draft }),
      await post(api.bob, '/v1/alert-channels/test', { channel: draft, alertChannelId: id }),
      await post(await api.as('READ_RUN'), '/v1/alert-channels/test', { channel: draft, alertChannelId: id }),
    ]
    expect(refusals.map(({ status }) => status)).toEqual([400, 404, 403])
    expect(seen).toHaveLength(1)
  })

  it('is previewed without being sent, and without secrets', async () => {
    await api.alice.post('/v1/variables', { key: 'DRAFT_KEY', value: 'secret-value', secret: true })
    const { port, sockets } = await listen(createServer())
    const config = { ...hook.config, url: `http://127.0.0.1:${port}` }
    const entries = async () =>
      Number((await api.store.pool.query('select count(*) from audit_entries')).rows[0].count)
    const before = await entries()
    const { status, body } = await post(api.alice, '/v1/alert-channels/preview', {
      channel: { ...hook, config },
    })
    expect([status, body]).toEqual([
      200,
      {
        problem: null,
        messages: [
          {
            to: null,
            subject: null,
            contentType: 'application/json',
            body: '{"t": "[Test] Check \\"Example check\\" has failed", "k": "***"}',
          },
        ],
      },
    ])
    expect(sockets.size).toBe(0)
    expect(await entries()).toBe(before)
    const mail = { type: 'EMAIL', config: { address: 'a@example.com' } }
    const mailed = await post(api.alice, '/v1/alert-channels/preview', { channel: mail })
    expect(mailed.body.messages).toMatchObject([
      { to: 'a@example.com', subject: '[Test] Check "Example check" has failed' },
    ])
    const broken = { ...hook, config: { ...config, template: '{{#if' } }
    const { body: problem } = await post(api.alice, '/v1/alert-channels/preview', { channel: broken })
    expect(problem).toMatchObject({ messages: [], problem: expect.stringMatching(/template/i) })
  })
})

describe('refused', () => {
  it('400: for an unknown alert type', async () => {
    const id = await channel('EMAIL', { address: 'a@example.com' })
    expect((await send(api.alice, id, { alertType: 'NO_ALERT' })).status).toBe(400)
    expect((await send(api.alice, id, { alertType: 'ALERT_X' })).status).toBe(400)
  })

  it('403: with a key that may only read or run', async () => {
    const id = await channel('EMAIL', { address: 'a@example.com' })
    expect((await send(await api.as('READ_RUN'), id)).status).toBe(403)
  })

  it('404: for a channel of another account, to which nothing is sent', async () => {
    const before = mails.length
    const id = await channel('EMAIL', { address: 'a@example.com' })
    expect((await send(api.bob, id)).status).toBe(404)
    expect((await send(api.alice, 2_000_000_000)).status).toBe(404)
    expect(mails).toHaveLength(before)
  })
})
