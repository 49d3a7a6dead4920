import { describe, expect, it } from 'vitest'
import { exampleMessage, hostileMessage, minimalMessage } from '../message/message.fixture.ts'
import type { AlertMessage } from '../message/message.ts'
import { webhookBodyOf } from './webhook-body-of.ts'

type WebhookType = Parameters<typeof webhookBodyOf>[0]

// biome-ignore lint/suspicious/noExplicitAny: tests read arbitrary fields of the body
const bodyOf = (type: WebhookType, message: AlertMessage): any =>
  webhookBodyOf(type)(message, { TELEGRAM_CHAT_ID: '7' })

const failure = exampleMessage()
const degraded = exampleMessage({ kind: 'degraded', alertType: 'ALERT_DEGRADED' })
const recovery = exampleMessage({ kind: 'recovery', alertType: 'ALERT_RECOVERY' })
const key = failure.dedupKey

describe('tools that open and close', () => {
  it.each([
    [
      'WEBHOOK_INCIDENTIO',
      { status: 'firing', deduplication_key: key },
      { status: 'resolved', deduplication_key: key },
    ],
    [
      'WEBHOOK_FIREHYDRANT',
      { status: 'OPEN', level: 'ERROR', idempotency_key: key },
      { status: 'CLOSED', level: 'INFO', idempotency_key: key },
    ],
    [
      'WEBHOOK_GITLAB_ALERT',
      { severity: 'critical', fingerprint: key, start_time: failure.episodeAt },
      { severity: 'info', fingerprint: key, start_time: failure.episodeAt, end_time: failure.startedAt },
    ],
    [
      'WEBHOOK_ILERT',
      { eventType: 'ALERT', alertKey: key, priority: 'HIGH' },
      { eventType: 'RESOLVE', alertKey: key },
    ],
    [
      'WEBHOOK_ROOTLY',
      { status: 'triggered', external_id: key, ended_at: null },
      { status: 'resolved', external_id: key, ended_at: failure.startedAt },
    ],
    ['WEBHOOK_SPIKESH', { STATUS: 'OPEN', DEDUP_KEY: key }, { STATUS: 'RESOLVED', DEDUP_KEY: key }],
    [
      'WEBHOOK_SPLUNK',
      { message_type: 'CRITICAL', entity_id: key },
      { message_type: 'RECOVERY', entity_id: key },
    ],
  ] as const)('%s', (type, opened, closed) => {
    expect(bodyOf(type, failure)).toMatchObject(opened)
    expect(bodyOf(type, recovery)).toMatchObject(closed)
  })

  it('get the severity', () => {
    expect(bodyOf('WEBHOOK_SPLUNK', degraded).message_type).toBe('WARNING')
    expect(bodyOf('WEBHOOK_GITLAB_ALERT', degraded).severity).toBe('medium')
    expect(bodyOf('WEBHOOK_GITLAB_ALERT', failure)).not.toHaveProperty('end_time')
    expect(bodyOf('WEBHOOK_FIREHYDRANT', degraded).level).toBe('WARN')
    expect(bodyOf('WEBHOOK_ILERT', degraded).priority).toBe('LOW')
    expect(bodyOf('WEBHOOK_SPLUNK', failure).state_start_time).toBe(Date.parse(failure.startedAt) / 1000)
  })
})

describe('Coralogix', () => {
  it('gets a list with one log', () => {
    const [log, ...others] = bodyOf('WEBHOOK_CORALOGIX', failure)
    expect(others).toEqual([])
    expect(log).toMatchObject({ applicationName: 'Vedette', subsystemName: 'API', severity: 6 })
    expect(log.timestamp).toBe(Date.parse(failure.startedAt))
    expect(log.text.ALERT_TITLE).toBe(failure.title)
  })
})

describe('Teams', () => {
  it('gets an Adaptive Card', () => {
    const { type, attachments } = bodyOf('WEBHOOK_MSTEAMS', failure)
    expect(type).toBe('message')
    const [{ contentType, content }] = attachments
    expect(contentType).toBe('application/vnd.microsoft.card.adaptive')
    expect(content).toMatchObject({ type: 'AdaptiveCard', version: '1.4' })
    expect(content.body[0]).toMatchObject({ text: failure.title, color: 'Attention' })
    expect(content.body[2].facts).toContainEqual({ title: 'Location', value: 'Ireland' })
    expect(content.actions).toEqual([
      { type: 'Action.OpenUrl', title: 'Open the result', url: failure.resultLink },
    ])
  })

  it('escapes links in names', () => {
    const [{ content }] = bodyOf(
      'WEBHOOK_MSTEAMS',
      exampleMessage({ checkName: '[x](https://evil.test)' }),
    ).attachments
    expect(content.body[0].text).toBe('Check "\\[x\\](https://evil.test)" has failed')
  })
})

describe('Discord', () => {
  it('gets an embed without mentions', () => {
    const { allowed_mentions, embeds } = bodyOf('WEBHOOK_DISCORD', failure)
    expect(allowed_mentions).toEqual({ parse: [] })
    expect(embeds).toHaveLength(1)
    expect(embeds[0]).toMatchObject({ title: failure.title, url: failure.resultLink, color: 0xd92d20 })
    expect(embeds[0].fields).toContainEqual({ name: 'Location', value: 'Ireland', inline: true })
  })

  it.each([
    ['hostile texts', hostileMessage],
    ['a minimal message', minimalMessage],
  ])('accepts %s', (_, message) => {
    const [{ title, description, fields }] = bodyOf('WEBHOOK_DISCORD', message).embeds
    expect(title.length).toBeLessThanOrEqual(256)
    expect(fields.length).toBeLessThanOrEqual(25)
    const texts: string[] = fields.flatMap((field: { name: string; value: string }) => [
      field.name,
      field.value,
    ])
    expect(texts.every((text) => text.length > 0 && text.length <= 1024)).toBe(true)
    expect([title, description, ...texts].join('').length).toBeLessThanOrEqual(6000)
  })
})

describe('Telegram', () => {
  it('gets a form with HTML', () => {
    const form: URLSearchParams = bodyOf('WEBHOOK_TELEGRAM', exampleMessage({ checkName: 'a<b>&' }))
    expect([form.get('chat_id'), form.get('parse_mode')]).toEqual(['7', 'HTML'])
    expect(form.get('text')).toContain(
      '<b>Check &quot;a&lt;b&gt;&amp;&quot; has failed</b>\nIt has been failing from Ireland',
    )
    expect(form.get('text')).toContain(
      '<a href="https://vedette.test/checks/1/results/2?a=1&amp;b=2">Open the result</a>',
    )
  })

  it('omits the chat without a variable, and respects the limit', () => {
    const form = webhookBodyOf('WEBHOOK_TELEGRAM')(hostileMessage, {}) as URLSearchParams
    expect(form.has('chat_id')).toBe(false)
    const shown = form
      .get('text')
      ?.replace(/<[^>]*>/g, '')
      .replace(/&[#\w]+;/g, '_')
    expect(shown?.length).toBeLessThanOrEqual(4096)
  })
})
