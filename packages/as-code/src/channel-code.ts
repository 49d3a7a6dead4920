// An alert channel as code: the request that creates it, and the construct. Secrets are read from environment variables.
import { creationAsCurl, type ServerAddress } from './curl.ts'
import { logicalIdOf } from './logical-id.ts'
import { Reference, toSource } from './source.ts'

export interface ChannelFields {
  type: ChannelKind
  config: object
  sendRecovery: boolean
  sendFailure: boolean
  sendDegraded: boolean
  sslExpiry: boolean
  sslExpiryThreshold: number
  autoSubscribe?: boolean
}

type ChannelKind = 'EMAIL' | 'SLACK' | 'SLACK_APP' | 'WEBHOOK' | 'SMS' | 'PAGERDUTY' | 'OPSGENIE' | 'CALL'

interface KindCode {
  construct: string
  /** The environment variables of its secrets. */
  secrets?: Record<string, string>
  /** Fields that the construct calls otherwise. */
  renamed?: Record<string, string>
}

const kinds: Record<ChannelKind, KindCode> = {
  EMAIL: { construct: 'EmailAlertChannel' },
  SLACK: { construct: 'SlackAlertChannel', secrets: { url: 'SLACK_WEBHOOK_URL' } },
  SLACK_APP: { construct: 'SlackAppAlertChannel' },
  WEBHOOK: {
    construct: 'WebhookAlertChannel',
    secrets: { url: 'WEBHOOK_URL', webhookSecret: 'WEBHOOK_SECRET' },
  },
  SMS: { construct: 'SmsAlertChannel', renamed: { number: 'phoneNumber' } },
  CALL: { construct: 'PhoneCallAlertChannel', renamed: { number: 'phoneNumber' } },
  PAGERDUTY: { construct: 'PagerdutyAlertChannel', secrets: { serviceKey: 'PAGERDUTY_SERVICE_KEY' } },
  OPSGENIE: { construct: 'OpsgenieAlertChannel', secrets: { apiKey: 'OPSGENIE_API_KEY' } },
}

export function channelAsConstruct(channel: ChannelFields, name: string): string {
  const { construct, renamed = {} } = kinds[channel.type]
  const config = Object.entries(configOf(channel)).map(([field, value]) => [renamed[field] ?? field, value])
  const props = { ...Object.fromEntries(config), ...switchesOf(channel) }
  const id = logicalIdOf(name)
  return `import { ${construct} } from 'checkly/constructs'\n\nnew ${construct}('${id}', ${toSource(props)})\n`
}

export function channelAsCurl(channel: ChannelFields, server: ServerAddress): string {
  const { autoSubscribe = false } = channel
  const body = {
    type: channel.type,
    config: configOf(channel),
    ...switchesOf(channel),
    ...(autoSubscribe ? { autoSubscribe } : {}),
  }
  return creationAsCurl(server, '/v1/alert-channels', body)
}

/** Without what is empty, and without secret values. */
function configOf({ type, config }: ChannelFields): Record<string, unknown> {
  const { secrets = {} } = kinds[type]
  const entries = Object.entries(config).flatMap(([name, value]): [string, unknown][] => {
    if (value === null || value === undefined || value === '') return []
    if (Array.isArray(value) && value.length === 0) return []
    const variable = secrets[name]
    if (variable !== undefined) return [[name, new Reference(variable)]]
    if (name === 'headers' || name === 'queryParameters') return [[name, pairsOf(value)]]
    return [[name, value]]
  })
  return Object.fromEntries(entries)
}

function pairsOf(pairs: unknown): unknown {
  if (!Array.isArray(pairs)) return []
  return pairs.map(({ key, locked }: { key: string; locked?: boolean }) => ({
    key,
    value: new Reference(key.toUpperCase().replace(/[^A-Z0-9]+/g, '_')),
    ...(locked ? { locked } : {}),
  }))
}

const defaults = { sendRecovery: true, sendFailure: true, sendDegraded: false, sslExpiry: false }

function switchesOf(channel: ChannelFields): Record<string, unknown> {
  const { sendRecovery, sendFailure, sendDegraded, sslExpiry, sslExpiryThreshold } = channel
  const switches = { sendRecovery, sendFailure, sendDegraded, sslExpiry }
  const changed = Object.entries(switches).filter(([name, value]) => Reflect.get(defaults, name) !== value)
  return { ...Object.fromEntries(changed), ...(sslExpiry ? { sslExpiryThreshold } : {}) }
}
