import { createHmac } from 'node:crypto'
import { channelDefinitions } from '@vedette/contracts'
import { describe, expect, it } from 'vitest'
import { exampleMessage, hostileMessage } from '../message/message.fixture.ts'
import type { AlertMessage } from '../message/message.ts'
import { exampleTools } from './channel.fixture.ts'
import type { ChannelTools } from './channel.ts'
import type { HttpCall } from './transport/http.ts'
import { webhookChannel } from './webhook.ts'

async function callOf(
  given: Record<string, unknown> = {},
  message: AlertMessage = exampleMessage(),
  tools: Partial<ChannelTools> = {},
): Promise<HttpCall> {
  const config = channelDefinitions.WEBHOOK.config.parse({ url: 'https://hooks.test/x', ...given })
  const [part, ...others] = await webhookChannel.render(message, config, exampleTools(tools))
  expect(others).toEqual([])
  return (part as { http: HttpCall }).http
}

const header = (key: string, value: string) => ({ key, value, locked: false })

describe('the request', () => {
  it('follows the config', async () => {
    const call = await callOf({
      url: 'https://hooks.test/a%20b?x=1+2&y=%2F#part',
      method: 'PUT',
      headers: [header('X-Team', 'web\r\nX-Evil: 1'), header('Accept', '*/*')],
      queryParameters: [header('q', 'a&b c'), header('q', 'ü')],
    })
    expect(call.method).toBe('PUT')
    expect((await callOf({ method: 'patch' })).method).toBe('PATCH')
    expect(call.url).toBe('https://hooks.test/a%20b?x=1+2&y=%2F&q=a%26b%20c&q=%C3%BC#part')
    expect(call.headers).toMatchObject({ 'x-team': 'web X-Evil: 1', accept: '*/*' })
  })

  it('carries the id of its message and a timestamp', async () => {
    const { headers } = await callOf()
    const now = String(exampleTools().now)
    expect(headers).toEqual({
      'content-type': 'application/json',
      'idempotency-key': exampleMessage().id,
      'x-vedette-id': exampleMessage().id,
      'x-vedette-timestamp': now,
      'x-checkly-timestamp': now,
    })
  })

  it('is signed under both names if a secret is set, regardless of custom headers', async () => {
    const forged = [header('x-vedette-signature', 'forged'), header('X-Vedette-Timestamp', '1')]
    const { headers, body } = await callOf({
      webhookSecret: 'sécret',
      template: 'ü {{CHECK_NAME}}',
      headers: forged,
    })
    const signature = createHmac('sha256', 'sécret').update(Buffer.from('ü Shop')).digest('hex')
    expect(body).toBe('ü Shop')
    expect(headers['x-vedette-signature']).toBe(signature)
    expect(headers['x-checkly-signature']).toBe(signature)
    expect(headers['x-vedette-timestamp']).toBe(String(exampleTools().now))
  })

  it.each(['GET', 'HEAD', 'get', 'head'])('%s has no body, and signs an empty string', async (method) => {
    const { headers, body } = await callOf({ method, webhookSecret: 's', template: '{"a": 1}' })
    expect(body).toBeNull()
    expect(headers).not.toHaveProperty('content-type')
    expect(headers['x-vedette-signature']).toBe(createHmac('sha256', 's').update('').digest('hex'))
  })

  it('is retried five times after any refusal, 20 s apart, then with growing delays', () => {
    expect(webhookChannel.retriesRefusals).toBe(5)
    const seconds = webhookChannel.retryDelays?.map((ms) => ms / 1000)
    expect(seconds).toEqual([20, 20, 20, 20, 20, 60, 120, 300, 600, 900])
  })
})

describe('the body', () => {
  it.each([
    ['JSON', '{"n": "{{CHECK_NAME}}"}', undefined, 'application/json', '{"n": "\\"a\\"\\n&<b>"}'],
    [
      'JSON after a tag',
      '{{#if TAGS}}\n["{{CHECK_NAME}}"]{{/if}}',
      undefined,
      'application/json',
      '["\\"a\\"\\n&<b>"]',
    ],
    [
      'JSON by its type',
      '"{{CHECK_NAME}}"',
      'application/vnd.x+json',
      'application/vnd.x+json',
      '"\\"a\\"\\n&<b>"',
    ],
    [
      'a form',
      'n={{CHECK_NAME}}',
      'application/x-www-form-urlencoded',
      'application/x-www-form-urlencoded',
      'n=%22a%22%0A%26%3Cb%3E',
    ],
    ['text', '{{CHECK_NAME}} failed', undefined, 'text/plain; charset=utf-8', '"a"\n&<b> failed'],
    ['XML, unescaped', '<n>{{{CHECK_NAME}}}</n>', 'text/xml', 'text/xml', '<n>"a"\n&<b></n>'],
  ])('by a template is %s', async (_, template, type, expectedType, expected) => {
    const headers = type === undefined ? [] : [header('Content-Type', type)]
    const call = await callOf({ template, headers }, exampleMessage({ checkName: '"a"\n&<b>' }))
    expect(call.headers['content-type']).toBe(expectedType)
    expect(call.body?.trim()).toBe(expected)
  })

  it('uses variables of the message before those of the account', async () => {
    const variables = { TEAM: 'web', CHECK_NAME: 'not this' }
    const template = '{{TEAM}} {{CHECK_NAME}} {{RUN_LOCATION}} {{#each TAGS}}<{{this}}>{{/each}}'
    expect((await callOf({ template }, undefined, { variables })).body).toBe(
      'web Shop Ireland <prod><team:web>',
    )
  })

  it('has the same random values in every attempt', async () => {
    const template = '{{$UUID}} {{$RANDOM_NUMBER}}'
    const first = (await callOf({ template })).body
    expect(first).toMatch(/^[\da-f-]{36} \d{1,5}$/)
    expect((await callOf({ template }, undefined, { now: 1 })).body).toBe(first)
    expect((await callOf({ template }, exampleMessage({ id: 'other' }))).body).not.toBe(first)
  })

  it('without a template contains the whole message', async () => {
    const body = JSON.parse((await callOf({ template: ' ' })).body as string)
    expect(body).toEqual({
      ...exampleMessage(),
      severity: 'critical',
      reason: 'It has been failing from Ireland for 12 minutes: expected 200, got 503',
    })
  })

  it('of a Telegram template escapes HTML in values', async () => {
    const template =
      'chat_id=1&parse_mode=HTML&text=%3Cb%3E{{ALERT_TITLE}}%3C/b%3E {{#each TAGS}}{{this}}{{/each}}'
    const { headers, body } = await callOf({ template, webhookType: 'WEBHOOK_TELEGRAM' }, hostileMessage)
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded')
    const form = new URLSearchParams(body as string)
    expect([...form.keys()]).toEqual(['chat_id', 'parse_mode', 'text'])
    expect(form.get('text')).toMatch(/^<b>Check &quot;Shop &quot;&#39;`&lt;\/td&gt;/)
    expect(form.get('text')?.replace(/<\/?b>/g, '')).not.toMatch(/[<>]/)
  })

  it('of an invalid template is refused', async () => {
    await expect(callOf({ template: '{{#if' })).rejects.toMatchObject({
      name: 'DeliveryError',
      permanent: true,
    })
  })
})
