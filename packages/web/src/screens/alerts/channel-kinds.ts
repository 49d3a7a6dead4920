// The types of alert channels: what they are called, and the fields of their forms.
import type { ChannelType } from '@vedette/contracts'
import type { ResponseTo } from '../../api/call.ts'

export type Channel = ResponseTo<'GET /v1/alert-channels/{id}'>

type WebhookTool = NonNullable<Extract<Channel, { type: 'WEBHOOK' }>['config']['webhookType']>

export type ConfigField = {
  /** Below `config`. */
  name: string
  label: string
  description?: string
  placeholder?: string
} & (
  | { kind: 'text' | 'url' | 'secret' | 'words' | 'template' }
  | { kind: 'choice'; options: readonly { value: string | null; label: string }[] }
  | { kind: 'pairs'; addLabel: string }
)

export interface ChannelKind {
  label: string
  /** What it is for, in one sentence. */
  about: string
  /** What the operator of the server must have set. */
  serverSettings?: string
  /** What a new channel begins with. */
  config: Record<string, unknown>
  fields: readonly ConfigField[]
}

const phoneFields: readonly ConfigField[] = [
  { kind: 'text', name: 'name', label: 'Name', placeholder: 'On call' },
  {
    kind: 'text',
    name: 'number',
    label: 'Phone number',
    placeholder: '+14155550100',
    description: 'With the country code.',
  },
]

const webhookTools: Record<WebhookTool, string> = {
  WEBHOOK_MSTEAMS: 'Microsoft Teams',
  WEBHOOK_DISCORD: 'Discord',
  WEBHOOK_TELEGRAM: 'Telegram',
  WEBHOOK_INCIDENTIO: 'incident.io',
  WEBHOOK_FIREHYDRANT: 'FireHydrant',
  WEBHOOK_GITLAB_ALERT: 'GitLab Alerts',
  WEBHOOK_ILERT: 'ilert',
  WEBHOOK_ROOTLY: 'Rootly',
  WEBHOOK_SPIKESH: 'Spike.sh',
  WEBHOOK_SPLUNK: 'Splunk On-Call',
  WEBHOOK_CORALOGIX: 'Coralogix',
}

const toolOptions = [
  { value: null, label: 'JSON with everything' },
  ...Object.entries(webhookTools).map(([value, label]) => ({ value, label })),
]

const methodOptions = ['POST', 'PUT', 'PATCH', 'GET', 'DELETE', 'HEAD'].map((value) => ({
  value,
  label: value,
}))

export const channelKinds: Record<ChannelType, ChannelKind> = {
  EMAIL: {
    label: 'Email',
    about: 'Messages to one or several addresses.',
    serverSettings: 'SMTP_URL',
    config: { address: '' },
    fields: [
      {
        kind: 'text',
        name: 'address',
        label: 'Addresses',
        placeholder: 'oncall@example.com',
        description: 'Several are separated by commas.',
      },
    ],
  },
  SLACK: {
    label: 'Slack webhook',
    about: 'Messages to a Slack channel, by the URL of an incoming webhook.',
    config: { url: '', channel: null },
    fields: [
      {
        kind: 'secret',
        name: 'url',
        label: 'Webhook URL',
        placeholder: 'https://hooks.slack.com/services/…',
        description: 'From “Incoming Webhooks” in the settings of your Slack workspace.',
      },
      {
        kind: 'text',
        name: 'channel',
        label: 'Channel',
        placeholder: '#ops',
        description: 'Empty: as the webhook has it.',
      },
    ],
  },
  SLACK_APP: {
    label: 'Slack app',
    about: 'Messages to Slack channels and people, by an app with a bot token.',
    serverSettings: 'SLACK_BOT_TOKEN',
    config: { slackChannels: [] },
    fields: [
      {
        kind: 'words',
        name: 'slackChannels',
        label: 'Channels and people',
        placeholder: '#ops, @dana',
        description: 'A #channel, a @user or a Slack id. Enter adds one.',
      },
    ],
  },
  WEBHOOK: {
    label: 'Webhook',
    about: 'An HTTP request to any address: your own service, Microsoft Teams, Discord and other tools.',
    config: {
      ...{ name: '', url: '', method: 'POST', template: null, headers: [], queryParameters: [] },
      ...{ webhookSecret: null, webhookType: null },
    },
    fields: [
      { kind: 'text', name: 'name', label: 'Name', placeholder: 'Pager' },
      {
        kind: 'secret',
        name: 'url',
        label: 'URL',
        placeholder: 'https://hooks.example.com/…',
        description: '{{NAME}} is replaced by the account’s variable of that name.',
      },
      { kind: 'choice', name: 'method', label: 'Method', options: methodOptions },
      { kind: 'choice', name: 'webhookType', label: 'Format of the body', options: toolOptions },
      {
        kind: 'template',
        name: 'template',
        label: 'Template',
        description:
          'Empty: the format above. {{ALERT_TITLE}}, {{CHECK_NAME}}, {{RESULT_LINK}} and others are replaced.',
      },
      { kind: 'pairs', name: 'headers', label: 'Headers', addLabel: 'Add header' },
      { kind: 'pairs', name: 'queryParameters', label: 'Query parameters', addLabel: 'Add parameter' },
      {
        kind: 'secret',
        name: 'webhookSecret',
        label: 'Signing secret',
        description: 'If it is set, requests have an x-vedette-signature header: HMAC-SHA256 of the body.',
      },
    ],
  },
  PAGERDUTY: {
    label: 'PagerDuty',
    about: 'Opens an incident in PagerDuty, and resolves it with the recovery.',
    config: { account: '', serviceName: '', serviceKey: '' },
    fields: [
      {
        kind: 'secret',
        name: 'serviceKey',
        label: 'Integration key',
        description: 'Of an Events API v2 integration of your PagerDuty service.',
      },
      { kind: 'text', name: 'serviceName', label: 'Service', placeholder: 'Web' },
      { kind: 'text', name: 'account', label: 'PagerDuty account', placeholder: 'example' },
    ],
  },
  OPSGENIE: {
    label: 'Opsgenie',
    about: 'Opens an alert in Opsgenie, and closes it with the recovery.',
    config: { name: '', apiKey: '', region: 'US', priority: 'P3' },
    fields: [
      { kind: 'text', name: 'name', label: 'Name', placeholder: 'Web' },
      { kind: 'secret', name: 'apiKey', label: 'API key' },
      {
        kind: 'choice',
        name: 'region',
        label: 'Region',
        options: [
          { value: 'US', label: 'US' },
          { value: 'EU', label: 'EU' },
        ],
      },
      {
        kind: 'choice',
        name: 'priority',
        label: 'Priority',
        options: ['P1', 'P2', 'P3', 'P4', 'P5'].map((value) => ({ value, label: value })),
      },
    ],
  },
  SMS: {
    label: 'SMS',
    about: 'A text message, by Twilio.',
    serverSettings: 'TWILIO_ACCOUNT_SID',
    config: { name: '', number: '' },
    fields: phoneFields,
  },
  CALL: {
    label: 'Phone call',
    about: 'A call that reads the alert aloud, by Twilio.',
    serverSettings: 'TWILIO_ACCOUNT_SID',
    config: { name: '', number: '' },
    fields: phoneFields,
  },
}

export function isChannelType(text: string | null): text is ChannelType {
  return text !== null && Object.hasOwn(channelKinds, text)
}

const secretMask = '***'

/** What it is called in lists: its name, else its target. Never a secret. */
export function channelName({ type, config }: Pick<Channel, 'type' | 'config'>): string {
  const texts = [
    read(config, 'name'),
    read(config, 'address'),
    read(config, 'serviceName'),
    read(config, 'channel'),
    read(config, 'slackChannels'),
    read(config, 'number'),
    hostOf(read(config, 'url')),
  ]
  return texts.find((text) => text !== '') ?? channelKinds[type].label
}

/** With its type: names needn't differ. */
export function channelLabel(channel: Pick<Channel, 'type' | 'config'>): string {
  return `${channelName(channel)} (${channelKinds[channel.type].label})`
}

function read(config: object, name: string): string {
  const value: unknown = Reflect.get(config, name)
  if (Array.isArray(value)) return value.join(', ')
  return typeof value === 'string' && value !== secretMask ? value : ''
}

/** The host of a secret URL isn't secret. */
export function hostOf(url: string): string {
  return URL.parse(url)?.host ?? ''
}

/** With *** instead of each secret: the API shows them to people who may change channels, the app doesn't. */
export function maskConfig(type: ChannelType, config: object): Record<string, unknown> {
  const masked: Record<string, unknown> = { ...config }
  const hide = (text: unknown) => (typeof text === 'string' && text !== '' ? secretMask : text)
  for (const { kind, name } of channelKinds[type].fields) {
    const value = masked[name]
    if (kind === 'secret') masked[name] = hide(value)
    if (kind === 'pairs' && Array.isArray(value))
      masked[name] = value.map((pair) => ({ ...pair, value: hide(pair.value) }))
  }
  return masked
}

/** The paths of its secrets in a form; drafts are kept without them. */
export function secretPathsOf(type: ChannelType): string[] {
  return channelKinds[type].fields
    .filter(({ kind }) => kind === 'secret' || kind === 'pairs')
    .map(({ name }) => `config.${name}`)
}
