import { type ChannelType, channelDefinitions, channelTypes } from '@vedette/contracts'
import { describe, expect, it } from 'vitest'
import { type Conforming, conformsToChannel } from './channel.conformance.ts'
import { channels } from './index.ts'

const configOf = (type: ChannelType, given: Record<string, unknown>) =>
  channelDefinitions[type].config.parse(given) as Record<string, unknown>

const subjects: Omit<Conforming, 'name'>[] = [
  {
    type: 'EMAIL',
    config: configOf('EMAIL', { address: 'a@example.com, b@example.com,a@example.com' }),
    secrets: [],
  },
  {
    type: 'SLACK',
    config: configOf('SLACK', { url: 'https://hooks.test/T0/SECRET', channel: '#ops' }),
    secrets: ['SECRET'],
  },
  {
    type: 'SLACK_APP',
    config: configOf('SLACK_APP', { slackChannels: ['#ops', '@dana', 'C0123456'] }),
    secrets: ['xoxb-of-the-operator'],
  },
  { type: 'SMS', config: configOf('SMS', { number: '+14155550100' }), secrets: ['token-of-the-operator'] },
  { type: 'CALL', config: configOf('CALL', { number: '+14155550100' }), secrets: ['token-of-the-operator'] },
  // PagerDuty expects its key in the body.
  {
    type: 'PAGERDUTY',
    config: configOf('PAGERDUTY', { serviceKey: 'ROUTING' }),
    secrets: ['token-of-the-operator'],
  },
  {
    type: 'OPSGENIE',
    config: configOf('OPSGENIE', { apiKey: 'GENIE-SECRET', region: 'EU', priority: 'P2' }),
    secrets: ['GENIE-SECRET'],
  },
  { type: 'WEBHOOK', config: webhook({}), secrets: ['SECRET'] },
]
for (const subject of subjects) conformsToChannel({ name: subject.type, ...subject })

const webhookTypes = channelDefinitions.WEBHOOK.config.shape.webhookType.unwrap().unwrap().options
for (const webhookType of webhookTypes) {
  conformsToChannel({
    name: webhookType,
    type: 'WEBHOOK',
    config: webhook({ webhookType }),
    tools: { variables: { TELEGRAM_CHAT_ID: '-100200' } },
    secrets: ['SECRET'],
  })
}

const template =
  '{"title": "{{ALERT_TITLE}}", "tags": [{{#each TAGS}}"{{this}}"{{#unless @last}},{{/unless}}{{/each}}], "ms": {{RESPONSE_TIME}}, "error": "{{CHECK_ERROR_MESSAGE}}"}'
const form = 'chat_id=1&parse_mode=HTML&text=<b>{{ALERT_TITLE}}</b> {{CHECK_ERROR_MESSAGE}}'
const formHeader = { key: 'Content-Type', value: 'application/x-www-form-urlencoded' }
const templated: Omit<Conforming, 'type' | 'secrets'>[] = [
  { name: 'a JSON template', config: webhook({ template }) },
  {
    name: 'a form template',
    config: webhook({ template: 'title={{ALERT_TITLE}}&e={{CHECK_ERROR_MESSAGE}}', headers: [formHeader] }),
  },
  {
    name: "Telegram's template",
    config: webhook({ template: encodeTags(form), webhookType: 'WEBHOOK_TELEGRAM' }),
  },
  { name: 'a text template', config: webhook({ template: '{{ALERT_TITLE}}: {{CHECK_ERROR_MESSAGE}}' }) },
  { name: 'a call without a body', config: webhook({ method: 'GET' }), isWithoutTitle: true },
]
for (const subject of templated) conformsToChannel({ type: 'WEBHOOK', secrets: ['SECRET'], ...subject })

describe('the list of channels', () => {
  it('has every type, and each of them is tested above', () => {
    expect(Object.keys(channels).sort()).toEqual([...channelTypes].sort())
    expect(subjects.map(({ type }) => type).sort()).toEqual([...channelTypes].sort())
    expect(webhookTypes).toHaveLength(11)
  })
})

function webhook(given: Record<string, unknown>): Record<string, unknown> {
  return configOf('WEBHOOK', {
    url: 'https://hooks.test/SECRET?a=1',
    webhookSecret: 'SECRET-KEY',
    ...given,
    headers: [{ key: 'Authorization', value: 'Bearer SECRET' }, ...((given.headers as []) ?? [])],
  })
}

/** Users encode the static parts of a form. */
function encodeTags(text: string): string {
  return text.replace(/<\/?b>| /g, (text) => encodeURIComponent(text))
}
