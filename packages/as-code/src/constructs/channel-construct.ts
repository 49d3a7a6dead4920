// An alert channel as a construct. URLs of webhooks, keys and values of headers are secret.
import {
  type Construct,
  type ConstructScope,
  Fields,
  listOf,
  type Props,
  serverFields,
  shorten,
} from './construct-code.ts'

type Config = Readonly<Record<string, unknown>>

interface Kind {
  construct: string
  secrets?: readonly string[]
  /** Fields that the construct calls otherwise. */
  renamed?: Readonly<Record<string, string>>
  defaults?: Props
}

const phone = { number: 'phoneNumber' }

const kinds: Record<string, Kind> = {
  EMAIL: { construct: 'EmailAlertChannel' },
  SLACK: { construct: 'SlackAlertChannel', secrets: ['url'] },
  SLACK_APP: { construct: 'SlackAppAlertChannel' },
  SMS: { construct: 'SmsAlertChannel', renamed: phone },
  CALL: { construct: 'PhoneCallAlertChannel', renamed: phone },
  PAGERDUTY: { construct: 'PagerdutyAlertChannel', secrets: ['serviceKey'] },
  OPSGENIE: { construct: 'OpsgenieAlertChannel', secrets: ['apiKey'] },
}

const switches = ['sendRecovery', 'sendFailure', 'sendDegraded', 'sslExpiry', 'sslExpiryThreshold']
const defaults: Props = {
  ...{ sendRecovery: true, sendFailure: true, sendDegraded: false, sslExpiry: false, sslExpiryThreshold: 30 },
  autoSubscribe: false,
}

export interface ChannelFields {
  type: string
  config: object
}

export function constructOfChannel(channel: ChannelFields, scope: ConstructScope): Construct {
  const fields = new Fields(channel)
  fields.ignore([...serverFields, 'type', 'config', 'subscriptions', 'health'])
  const config: Config = { ...channel.config }
  const { construct, props } =
    channel.type === 'WEBHOOK' ? webhookOf(config, scope) : plainOf(channel.type, config, scope)
  const all = { ...props, ...fields.takeAll(switches, defaults) }
  fields.noteRest(scope, defaults)
  return { construct: scope.use(construct), props: all }
}

function plainOf(type: string, config: Config, scope: ConstructScope): Construct {
  const { construct, secrets = [], renamed = {} } = kinds[type] ?? { construct: `${type}AlertChannel` }
  const entries = Object.entries(shorten({ ...config })).map(([name, value]) => [
    renamed[name] ?? name,
    secrets.includes(name) ? scope.secret(name) : value,
  ])
  return { construct, props: Object.fromEntries(entries) }
}

/** Tools with a construct of their own have it, if it says all that the channel has. */
function webhookOf(config: Config, scope: ConstructScope): Construct {
  const { name, webhookType, template, method, headers, queryParameters, webhookSecret } = config
  const isPost = method === 'POST' && listOf(queryParameters).length === 0 && !webhookSecret
  const payload = typeof template === 'string' ? template : undefined
  const noHeaders = listOf(headers).length === 0
  if (isPost && noHeaders && webhookType === 'WEBHOOK_MSTEAMS' && payload !== undefined)
    return { construct: 'MSTeamsAlertChannel', props: { name, url: scope.secret('url'), payload } }
  if (isPost && noHeaders && webhookType === 'WEBHOOK_TELEGRAM') {
    const telegram = telegramOf(config, scope)
    if (telegram !== undefined) return { construct: 'TelegramAlertChannel', props: telegram }
  }
  if (isPost && webhookType === 'WEBHOOK_INCIDENTIO' && payload !== undefined && hasBearer(headers)) {
    const props = { name, url: scope.secret('url'), apiKey: scope.secret('apiKey'), payload }
    return { construct: 'IncidentioAlertChannel', props }
  }
  return {
    construct: 'WebhookAlertChannel',
    props: {
      ...shorten({ name, webhookType, method }),
      url: scope.secret('url'),
      ...shorten({ template }),
      ...pairs('headers', headers, scope),
      ...pairs('queryParameters', queryParameters, scope),
      ...(webhookSecret ? { webhookSecret: scope.secret('webhookSecret') } : {}),
    },
  }
}

function telegramOf({ name, url, template }: Config, scope: ConstructScope): Props | undefined {
  const text = String(template ?? '')
  const match = /^chat_id=([^&]*)(?:&message_thread_id=([^&]*))?&parse_mode=HTML&text=/.exec(text)
  if (match === null || !/^https:\/\/api\.telegram\.org\/bot[^/]+\/sendMessage$/.test(String(url)))
    return undefined
  const [prefix, chatId, messageThreadId] = match
  return {
    name,
    chatId,
    ...(messageThreadId !== undefined && { messageThreadId }),
    apiKey: scope.secret('apiKey'),
    payload: text.slice(prefix.length),
  }
}

function hasBearer(headers: unknown): boolean {
  const [first, ...others] = listOf(headers)
  return (
    others.length === 0 &&
    first?.key === 'authorization' &&
    first.locked !== true &&
    String(first.value).startsWith('Bearer ')
  )
}

/** All values are secret: tools authenticate by them. */
function pairs(field: string, value: unknown, scope: ConstructScope): Props {
  const shown = listOf(value).map(({ key, locked }) => ({
    ...{ key, value: scope.secret(`${field} ${String(key)}`) },
    ...(locked === true && { locked }),
  }))
  return shown.length === 0 ? {} : { [field]: shown }
}
