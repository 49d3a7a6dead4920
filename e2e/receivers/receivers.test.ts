// The stories rely on these servers to refuse what the real ones would refuse.
import { createHmac, randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { MailServer } from './mail-server.ts'
import { Opsgenie } from './opsgenie.ts'
import { Pagerduty } from './pagerduty.ts'
import { Slack } from './slack.ts'
import { Twilio } from './twilio.ts'
import { Webhook } from './webhook.ts'

const json = { 'content-type': 'application/json' }

const post = (url: string, headers: Record<string, string>, body: unknown) =>
  fetch(url, { method: 'POST', headers, body: typeof body === 'string' ? body : JSON.stringify(body) })

describe('a webhook', () => {
  let webhook: Webhook
  beforeAll(async () => {
    webhook = await Webhook.open({ secrets: { '/signed': 'secret' } })
  })
  afterAll(() => webhook.receiver.shut())

  function headersOf(body: string, secret?: string): Record<string, string> {
    const id = randomUUID()
    const signature = secret && createHmac('sha256', secret).update(body).digest('hex')
    return {
      ...json,
      'x-vedette-id': id,
      'idempotency-key': id,
      'x-vedette-timestamp': String(Date.now()),
      ...(signature && { 'x-vedette-signature': signature }),
    }
  }

  it('accepts signed messages only', async () => {
    const url = webhook.receiver.url('/signed')
    const body = '{"a": "ü"}'
    expect((await post(url, headersOf(body, 'secret'), body)).status).toBe(200)
    expect(webhook.receiver.messages).toHaveLength(1)
    const old = { ...headersOf(body, 'secret'), 'x-vedette-timestamp': String(Date.now() - 3_600_000) }
    const bad = [headersOf(body), headersOf(body, 'another'), headersOf(`${body} `, 'secret'), old, json]
    for (const headers of bad) expect((await post(url, headers, body)).status).toBe(400)
    const broken = '{"a": }'
    expect((await post(url, headersOf(broken, 'secret'), broken)).status).toBe(400)
    expect(webhook.receiver.messages).toHaveLength(1)
    expect(webhook.receiver.faults).toHaveLength(bad.length + 1)
  })

  it('misbehaves on request, and does not count those calls as accepted', async () => {
    const url = webhook.receiver.url('/unsigned')
    const accepted = webhook.receiver.messages.length
    webhook.receiver.misbehave('/unsigned', { status: 500, body: '' }, 'hold', 'well')
    expect((await post(url, headersOf('{}'), '{}')).status).toBe(500)
    const held = fetch(url, {
      method: 'POST',
      headers: headersOf('{}'),
      body: '{}',
      signal: AbortSignal.timeout(300),
    })
    await expect(held).rejects.toThrow()
    expect(webhook.receiver.held).toHaveLength(1)
    expect(webhook.receiver.messages).toHaveLength(accepted)
    expect((await post(url, headersOf('{}'), '{}')).status).toBe(200)
    expect(webhook.receiver.messages).toHaveLength(accepted + 1)
  })
})

describe('tools refuse invalid messages', () => {
  it('Slack', async () => {
    const slack = await Slack.open()
    const { url } = slack.webhook('x')
    expect((await post(url, json, { text: 'fine' })).status).toBe(200)
    const attachments = [{ color: '#ff0000', blocks: [{ type: 'section' }] }]
    for (const body of [{}, { text: ' ' }, { text: 'x', attachments }, '{']) {
      expect((await post(url, json, body)).status).toBe(400)
    }
    const api = slack.receiver.url('/api/chat.postMessage')
    const response = await post(api, { ...json, authorization: 'Bearer wrong' }, { channel: '#x', text: 'x' })
    expect([response.status, await response.json()]).toEqual([200, { ok: false, error: 'invalid_auth' }])
    expect([slack.receiver.messages.length, slack.receiver.faults.length]).toEqual([1, 5])
    await slack.receiver.shut()
  })

  it('PagerDuty', async () => {
    const pagerduty = await Pagerduty.open()
    const url = pagerduty.receiver.url('/v2/enqueue')
    const link = 'http://vedette.test/'
    const event = {
      routing_key: 'a'.repeat(32),
      event_action: 'trigger',
      dedup_key: 'key',
      client_url: link,
      links: [{ href: link }],
      payload: { summary: 's', source: 's', severity: 'critical', timestamp: new Date().toISOString() },
    }
    expect((await post(url, json, event)).status).toBe(202)
    const bad = [
      { ...event, routing_key: 'short' },
      { ...event, event_action: 'open' },
      { ...event, dedup_key: 'k'.repeat(256) },
      { ...event, payload: { ...event.payload, severity: 'bad' } },
      { ...event, payload: { ...event.payload, summary: '' } },
      { ...event, description: 'misspelt' },
    ]
    for (const body of bad) expect((await post(url, json, body)).status).toBe(400)
    expect([pagerduty.receiver.messages.length, pagerduty.receiver.faults.length]).toEqual([1, bad.length])
    await pagerduty.receiver.shut()
  })

  it('Opsgenie and Twilio', async () => {
    const opsgenie = await Opsgenie.open()
    const genie = { ...json, authorization: 'GenieKey k' }
    const tooLong = { message: 'm'.repeat(131), alias: 'a' }
    expect((await post(opsgenie.receiver.url('/v2/alerts'), genie, tooLong)).status).toBe(422)
    expect((await post(opsgenie.receiver.url('/v2/alerts/a/close'), genie, { source: 's' })).status).toBe(422)
    const twilio = await Twilio.open()
    const path = `/2010-04-01/Accounts/${twilio.settings.TWILIO_ACCOUNT_SID}/Messages.json`
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const body = new URLSearchParams({ From: '+15005550006', To: '+1', Body: 'x' }).toString()
    expect((await post(twilio.receiver.url(path), form, body)).status).toBe(401)
    expect([opsgenie.receiver.messages, twilio.receiver.messages]).toEqual([[], []])
    for (const one of [opsgenie.receiver, opsgenie.european, twilio.receiver]) await one.shut()
  })

  it('a mail server: invalid mails and unknown recipients', async () => {
    const mail = await MailServer.open()
    mail.behaviors.set('gone@shop.test', 550)
    const port = Number(new URL(mail.settings.SMTP_URL ?? '').port)
    const hello = ['EHLO me', 'MAIL FROM:<alerts@vedette.test>']
    const refused = await speak(port, [...hello, 'RCPT TO:<gone@shop.test>'])
    expect(refused.at(-1)).toMatch(/^550/)
    const withoutHeaders = await speak(port, [
      ...hello,
      'RCPT TO:<a@shop.test>',
      'DATA',
      'Subject: x\r\n\r\nx\r\n.',
    ])
    expect(withoutHeaders.at(-1)).toMatch(/^550/)
    expect([mail.mails, mail.faults.length]).toEqual([[], 1])
    await mail.shut()
  })
})

/** Sends one line after the other; returns the last line of each reply. */
async function speak(port: number, lines: string[]): Promise<string[]> {
  const socket = connect(port, '127.0.0.1')
  const replies: string[] = []
  const left = [...lines]
  for await (const line of createInterface(socket)) {
    if (/^\d{3}-/.test(line)) continue
    replies.push(line)
    const next = left.shift()
    if (next === undefined) break
    socket.write(`${next}\r\n`)
  }
  socket.destroy()
  return replies
}
