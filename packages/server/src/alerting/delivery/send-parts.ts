// One message to one channel: rendered, sent part by part, judged. In: what was accepted before. Out: what the channel said,
// or the DeliveryError that decides about a retry. Nothing here is remembered.
import type { ChannelType } from '@vedette/contracts'
import type { Channel, ChannelTools, Part } from '../channels/channel.ts'
import { channelOf } from '../channels/index.ts'
import { DeliveryError } from '../channels/transport/delivery-error.ts'
import type { HttpAnswer, HttpCall } from '../channels/transport/http.ts'
import { judgeAnswer, responseInWords } from '../channels/transport/judge-answer.ts'
import type { Mail } from '../channels/transport/smtp.ts'
import type { AlertMessage } from '../message/message.ts'
import { cut, oneLine } from '../message/plain-text.ts'
import { channelSecrets } from './channel-secrets.ts'
import { resolveConfig } from './resolve-config.ts'

export interface Senders {
  http: { send(call: HttpCall, signal?: AbortSignal): Promise<HttpAnswer> }
  /** Answers with what the mail server said. */
  mail: {
    send(mail: Mail, signal?: AbortSignal): Promise<string>
    /** How long the mail server is spared, after a failure: until then mails aren't claimed. */
    pauseLeftMs?(): number
  }
}

export interface Sending {
  type: ChannelType
  message: AlertMessage
  /** With its secrets open, its variables not yet filled in. */
  config: Record<string, unknown>
  tools: ChannelTools
  senders: Senders
  /** Keys of the parts that were taken before: they are left out. */
  accepted: ReadonlySet<string>
  /** Awaited before the part counts as sent. */
  onAccepted?: (key: string) => unknown
  /** Aborted: no more parts are begun, and those under way are given up. */
  signal?: AbortSignal
}

const concurrency = 8
const maxResultChars = 1000
const maxAnswerChars = 300

/** All parts are tried; of several errors a passing one is thrown, so that it is tried again. */
export async function sendParts(sending: Sending): Promise<{ result: string }> {
  const { type, message, tools, accepted } = sending
  const channel = channelOf(type)
  const config = await resolveConfig(sending.config, tools, message)
  const hide = hiding(channelSecrets(type, config, tools))
  const parts = await channel.render(message, config, tools)
  const open = parts.filter(({ key }) => !accepted.has(key))
  const outcomes = await mapAtOnce(open, (part) => tryPart(channel, part, sending, hide))
  const line = ({ key, text }: Outcome) => (parts.length > 1 ? `${key}: ${text}` : text)
  const failed = outcomes.filter(({ error }) => error !== null)
  const told = (failed.length > 0 ? failed : outcomes).map(line).join('\n')
  const result = cut(
    told === '' ? 'The channel accepted the message on an earlier attempt.' : told,
    maxResultChars,
  )
  const decisive = (failed.find(({ error }) => error?.permanent === false) ?? failed[0])?.error
  if (decisive) throw withWords(decisive, result)
  return { result }
}

interface Outcome {
  key: string
  text: string
  error: DeliveryError | null
}

type AnyChannel = Channel<Record<string, unknown>>

type Hide = (text: string) => string

async function tryPart(channel: AnyChannel, part: Part, sending: Sending, hide: Hide): Promise<Outcome> {
  const { key } = part
  try {
    const text = await sendPart(channel, part, sending, hide)
    await sending.onAccepted?.(key)
    return { key, text, error: null }
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    return { key, text: hide(error.message), error }
  }
}

async function sendPart(
  channel: AnyChannel,
  part: Part,
  { senders, signal }: Sending,
  hide: Hide,
): Promise<string> {
  if (signal?.aborted)
    throw new DeliveryError('The message was not sent, because the delivery ran out of time.', {
      permanent: false,
    })
  if ('mail' in part) {
    const reply = oneLine(await senders.mail.send(part.mail, signal), maxAnswerChars)
    return `The mail server accepted the email (${reply}).`
  }
  const answered = await senders.http.send(part.http, signal)
  // Before anything of it is cut: half a secret would not be found.
  const answer = { ...answered, body: hide(answered.body) }
  const error = channel.judge === undefined ? judgeAnswer(answer) : channel.judge(answer, part.key)
  if (error !== null) throw error
  return responseInWords(answer.status, cut(answer.body.trim(), maxAnswerChars))
}

/** In the order of the items, a few of them at once. */
async function mapAtOnce<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const left = items.entries()
  const lines = Array.from({ length: Math.min(concurrency, items.length) }, async () => {
    for (const [index, item] of left) results[index] = await work(item)
  })
  const broken = (await Promise.allSettled(lines)).find(({ status }) => status === 'rejected')
  if (broken?.status === 'rejected') throw broken.reason
  return results
}

function withWords(error: DeliveryError, message: string): DeliveryError {
  const { permanent, rateLimited, retryAfterMs, pauseMs, isUntried } = error
  return new DeliveryError(message, {
    permanent,
    rateLimited,
    ...(retryAfterMs !== null && { retryAfterMs }),
    ...(pauseMs !== null && { pauseMs }),
    isUntried,
    cause: error,
  })
}

/** Who reads the log need not be who may read the channel: a tool that repeats its token gives it away to nobody. */
function hiding(secrets: readonly string[]): Hide {
  return (text) => secrets.reduce((left, secret) => left.replaceAll(secret, '***'), text)
}
