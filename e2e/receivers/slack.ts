// Slack's APIs for messages: incoming webhooks, and chat.postMessage of the Web API.
import { type Demand, demandOf, type Fields, isFields, isText, readJson } from './demands.ts'
import { type Call, HttpReceiver, type Protocol, Refusal } from './http-receiver.ts'

export interface SlackMessage {
  /** The path of the webhook, or the channel. */
  channel: string
  text: string
  color: string
  /** All visible text. */
  words: string
}

const slackToken = 'xoxb-of-the-operator'

const demand: Demand = demandOf(() => ({ status: 400, body: 'invalid_payload' }))

const slack: Protocol<SlackMessage> = (call) => {
  if (call.method !== 'POST') throw new Refusal('must be a POST', { status: 405, body: '' })
  return call.path === '/api/chat.postMessage' ? postMessage(call) : webhook(call)
}

function webhook(call: Call): ReturnType<Protocol<SlackMessage>> {
  demand(/^\/services\/\w+\/\w+\/\w+$/.test(call.path), 'must be the address of a webhook')
  const body = readJson(call, demand)
  return { message: readMessage(call.path, body), reply: { status: 200, body: 'ok' } }
}

/** The Web API refuses with status 200. */
function postMessage(call: Call): ReturnType<Protocol<SlackMessage>> {
  const no = (error: string) => new Refusal(error, { status: 200, body: { ok: false, error } })
  if (call.headers.authorization !== `Bearer ${slackToken}`) throw no('invalid_auth')
  const body = readJson(call, demand)
  if (!isText(body.channel)) throw no('channel_not_found')
  const message = readMessage(body.channel, body)
  const ts = `${Date.now() / 1000}`
  return { message, reply: { status: 200, body: { ok: true, channel: 'C0123456789', ts } } }
}

function readMessage(channel: string, { text, attachments = [] }: Fields): SlackMessage {
  demand(isText(text, 4000), 'no_text')
  demand(Array.isArray(attachments) && attachments.length <= 20, 'too_many_attachments')
  const words = [text]
  let lastColor = ''
  for (const attachment of attachments) {
    demand(isFields(attachment), 'invalid_attachments')
    const { color, blocks = [] } = attachment
    demand(typeof color === 'string' && /^(#[0-9a-f]{6}|good|warning|danger)$/i.test(color), 'invalid_color')
    demand(Array.isArray(blocks) && blocks.length <= 50, 'invalid_blocks')
    lastColor = color
    words.push(...blocks.flatMap(readBlock))
  }
  return { channel, text, color: lastColor, words: words.join('\n') }
}

function readBlock(block: unknown): string[] {
  demand(isFields(block) && block.type === 'section', 'invalid_blocks')
  const { text, fields = [] } = block
  demand(Array.isArray(fields) && fields.length <= 10, 'invalid_blocks')
  demand(text !== undefined || fields.length > 0, 'invalid_blocks')
  const readText = (object: unknown, longest: number) => {
    demand(isFields(object), 'invalid_blocks')
    demand(object.type === 'mrkdwn' || object.type === 'plain_text', 'invalid_blocks')
    demand(isText(object.text, longest), 'invalid_blocks')
    // Only our own links contain unescaped < and >.
    demand(!/<(?!https?:\/\/[^<>|]+\|[^<>|]+>)/.test(object.text), 'not escaped')
    return object.text
  }
  return [
    ...(text === undefined ? [] : [readText(text, 3000)]),
    ...fields.map((field) => readText(field, 2000)),
  ]
}

export class Slack {
  readonly receiver: HttpReceiver<SlackMessage>

  private constructor(receiver: HttpReceiver<SlackMessage>) {
    this.receiver = receiver
  }

  static async open(): Promise<Slack> {
    return new Slack(await HttpReceiver.open(slack))
  }

  get settings(): Record<string, string> {
    return { SLACK_API_URL: this.receiver.url('/api'), SLACK_BOT_TOKEN: slackToken }
  }

  webhook(name: string): { url: string; channel: string } {
    const channel = `/services/T000/B000/${name}`
    return { url: this.receiver.url(channel), channel }
  }

  to(channel: string): SlackMessage[] {
    return this.receiver.messages.filter((message) => message.channel === channel)
  }
}
