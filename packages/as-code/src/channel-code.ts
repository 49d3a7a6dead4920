// The request that creates an alert channel. Secrets are read from environment variables.
import { creationAsCurl, type ServerAddress } from './curl.ts'
import { Reference } from './source.ts'

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

/** The environment variables of secret fields. */
const secretsOf: Partial<Record<ChannelKind, Readonly<Record<string, string>>>> = {
  SLACK: { url: 'SLACK_WEBHOOK_URL' },
  WEBHOOK: { url: 'WEBHOOK_URL', webhookSecret: 'WEBHOOK_SECRET' },
  PAGERDUTY: { serviceKey: 'PAGERDUTY_SERVICE_KEY' },
  OPSGENIE: { apiKey: 'OPSGENIE_API_KEY' },
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
  const secrets = secretsOf[type] ?? {}
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
