// Opsgenie, Alert API v2: alerts are created, and closed by alias.
import { type Demand, demandOf, isFields, isOneOf, isOnly, isText, readJson } from './demands.ts'
import { type Call, HttpReceiver, type Protocol } from './http-receiver.ts'

export interface OpsgenieRequest {
  apiKey: string
  action: 'create' | 'close'
  alias: string
  /** The message of an alert, or the note that closes it. */
  text: string
  priority: string | null
}

const demand: Demand = demandOf((words) => ({
  status: 422,
  body: { message: words, took: 0.01, requestId: 'r' },
}))
const fields = [
  'message',
  'alias',
  'description',
  'responders',
  'visibleTo',
  'actions',
  'tags',
  'details',
  'entity',
  'source',
  'priority',
  'user',
  'note',
]

const alertApi: Protocol<OpsgenieRequest> = (call) => {
  const apiKey = /^GenieKey (\S+)$/.exec(call.headers.authorization ?? '')?.[1] ?? ''
  demand(apiKey !== '', 'Key format is not valid!')
  demand(call.method === 'POST', 'must be a POST')
  const message = call.path === '/v2/alerts' ? created(call, apiKey) : closed(call, apiKey)
  const body = { result: 'Request will be processed', took: 0.1, requestId: crypto.randomUUID() }
  return { message, reply: { status: 202, body } }
}

function created(call: Call, apiKey: string): OpsgenieRequest {
  const alert = readJson(call, demand)
  demand(isOnly(alert, ...fields), `has other fields than ${fields}`)
  const { message, alias, description, tags, details, entity, source, priority } = alert
  demand(isText(message, 130), 'Message can not be empty.')
  demand(isText(alias, 512), 'Alias is invalid.')
  demand(isText(description, 15_000), 'Description is invalid.')
  const isTags = Array.isArray(tags) && tags.length <= 20 && tags.every((tag) => isText(tag, 50))
  demand(isTags, 'Tags are invalid.')
  demand(isFields(details), 'Details are invalid.')
  demand(
    Object.values(details).every((value) => typeof value === 'string'),
    'Details are texts.',
  )
  demand(JSON.stringify(details).length <= 8000, 'Details are too long.')
  demand(isText(entity, 512) && isText(source, 100), 'Entity or source is invalid.')
  demand(isOneOf(priority, 'P1', 'P2', 'P3', 'P4', 'P5'), 'Priority is invalid.')
  return { apiKey, action: 'create', alias, text: message, priority }
}

function closed(call: Call, apiKey: string): OpsgenieRequest {
  const alias = /^\/v2\/alerts\/([^/]+)\/close$/.exec(call.path)?.[1]
  demand(alias !== undefined, 'No such path')
  demand(call.query.get('identifierType') === 'alias', 'identifierType must be alias')
  const { source, note, ...rest } = readJson(call, demand)
  demand(isOnly(rest, 'user'), 'has other fields than user, source and note')
  demand(isText(source, 100) && isText(note, 25_000), 'Source or note is invalid.')
  return { apiKey, action: 'close', alias: decodeURIComponent(alias), text: note, priority: null }
}

export class Opsgenie {
  readonly receiver: HttpReceiver<OpsgenieRequest>
  /** The other region, a separate installation. */
  readonly european: HttpReceiver<OpsgenieRequest>

  private constructor(receiver: HttpReceiver<OpsgenieRequest>, european: HttpReceiver<OpsgenieRequest>) {
    this.receiver = receiver
    this.european = european
  }

  static async open(): Promise<Opsgenie> {
    return new Opsgenie(await HttpReceiver.open(alertApi), await HttpReceiver.open(alertApi))
  }

  get settings(): Record<string, string> {
    return { OPSGENIE_URL: this.receiver.url(), OPSGENIE_EU_URL: this.european.url() }
  }

  of(apiKey: string, region: 'US' | 'EU' = 'US'): OpsgenieRequest[] {
    const { messages } = region === 'EU' ? this.european : this.receiver
    return messages.filter((request) => request.apiKey === apiKey)
  }
}
