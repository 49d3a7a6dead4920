import { describe, expect, it } from 'vitest'
import { AlertChannelInput } from '../alert-channels.ts'
import { type ChannelDefinition, TemplatedHttpUrl } from '../channel-fields.ts'
import { channelDefinitions, channelTypes } from './index.ts'

describe.each(channelTypes)('%s', (type) => {
  const { config, secretFields, example }: ChannelDefinition = channelDefinitions[type]

  it('accepts its example', () => {
    expect(AlertChannelInput.parse({ type, config: example })).toMatchObject({ type, config: example })
  })

  it('names only secrets that its config has', () => {
    for (const field of secretFields) expect(Object.keys(config.shape)).toContain(field.split('.')[0])
  })
})

describe('the address of a channel', () => {
  it.each([
    'https://hooks.example.com/a?b=c',
    'HTTP://example.com',
    'https://{{HOST}}:{{PORT}}/x',
    'https://api.telegram.org/bot{{ TELEGRAM_KEY }}/sendMessage',
    '{{HOOK_URL}}',
    '{{{BASE_URL}}}/hooks',
    '***',
  ])('may be %s', (url) => {
    expect(TemplatedHttpUrl.safeParse(url).success).toBe(true)
  })

  it.each([
    '',
    'example.com',
    'ftp://example.com',
    'javascript:alert(1)//{{X}}',
    'file:///etc/{{NAME}}',
    'https:///path',
    'https://',
    'https://a b.example.com',
    'https://?{{X}}',
  ])('may not be %s', (url) => {
    expect(TemplatedHttpUrl.safeParse(url).success).toBe(false)
  })
})

describe('what a config refuses', () => {
  it.each([
    ['EMAIL', { address: 'a@example.com, nobody' }],
    ['EMAIL', { address: '' }],
    ['SLACK_APP', { slackChannels: [] }],
    ['SLACK_APP', { slackChannels: ['ops'] }],
    ['WEBHOOK', { url: 'https://example.com', method: 'OPTIONS' }],
    ['WEBHOOK', { url: 'https://example.com', webhookType: 'WEBHOOK_FAX' }],
    ['SMS', { number: '0415 555' }],
    ['CALL', { number: '+0123' }],
    ['PAGERDUTY', { serviceKey: '' }],
    ['OPSGENIE', { apiKey: 'k', priority: 'P6' }],
  ])('%s %j', (type, config) => {
    expect(AlertChannelInput.safeParse({ type, config }).success).toBe(false)
  })
})
