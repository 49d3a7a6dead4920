// Renders one message for one channel, sends its parts and judges the responses. In: the parts that were accepted before. Out: the
// response, or the DeliveryError that determines the retry. Stateless.
import type { ChannelType } from '@vedette/contracts'
import type { Channel, ChannelTools, Part } from '../channels/channel.ts'
import { channelOf } from '../channels/index.ts'
import { DeliveryError } from '../channels/transport/delivery-error.ts'
import type { HttpCall, HttpResponse } from '../channels/transport/http.ts'
import { judgeResponse, responseInWords } from '../channels/transport/judge-response.ts'
import type { Mail } from '../channels/transport/smtp.ts'
import type { AlertMessage } from '../message/message.ts'
import { cut, oneLine } from '../message/plain-text.ts'
import { channelSecrets } from './channel-secrets.ts'
import { resolveConfig } from './resolve-config.ts'

export interface Senders {
  http: { send(call: HttpCall, signal?: AbortSignal): Promise<HttpResponse> }
  mail: {
    /** Returns the response of the mail server. */
    send(mail: Mail, signal?: AbortSignal): Promise<string>
    /** Remaining backoff after a failure: until then, emails aren't claimed. */
    pauseLeftMs?(): number
  }
}

export interface Sending {
  type: ChannelType
  message: AlertMessage
  /** With unsealed secrets, but without resolved variables. */
  config: Record<string, unknown>
  tools: ChannelTools
  senders: Senders
  /** Keys of the parts that were accepted before, which are left out. */
  accepted: ReadonlySet<string>
  /** Awaited before the part counts as sent. */
  onAccepted?: (key: string) => unknown
  /** Once aborted, no more parts are started, and those in flight are canceled. */
  signal?: AbortSignal
}

const concurrency = 8
const maxResultChars = 1000
const maxResponseChars = 300

/** Attempts all parts. Of several errors, throws a transient one, so that the message is retried. */
export async function sendParts(sending: Sending): Promise<{ result: string }> {
  const { type, message, tools, accepted } = sending
  const channel = channelOf(type)
  const config = await resolveConfig(sending.config, tools, message)
  const mask = maskSecrets(channelSecrets(type, config, tools))
  const parts = await channel.render(message, config, tools)
  const open = parts.filter(({ key }) => !accepted.has(key))
  const outcomes = await mapConcurrently(open, (part) => tryPart(channel, part, sending, mask))
  const line = ({ key, text }: Outcome) => (parts.length > 1 ? `${key}: ${text}` : text)
  const failed = outcomes.filter(({ error }) => error !== null)
  const lines = (failed.length > 0 ? failed : outcomes).map(line).join('\n')
  const result = cut(lines || 'The channel accepted the message on an earlier attempt.', maxResultChars)
  const decisive = (failed.find(({ error }) => error?.permanent === false) ?? failed[0])?.error
  if (decisive) throw withMessage(decisive, result)
  return { result }
}

/** The parts of a message with *** instead of each secret; nothing is sent. */
export async function renderParts(
  { type, config: stored }: Pick<Sending, 'type' | 'config'>,
  message: AlertMessage,
  tools: ChannelTools,
): Promise<Part[]> {
  const config = await resolveConfig(stored, tools, message)
  const mask = maskSecrets(channelSecrets(type, config, tools))
  const parts = await channelOf(type).render(message, config, tools)
  return parts.map((part) =>
    'mail' in part
      ? { ...part, mail: { ...part.mail, text: mask(part.mail.text) } }
      : { ...part, http: { ...part.http, body: part.http.body === null ? null : mask(part.http.body) } },
  )
}

interface Outcome {
  key: string
  text: string
  error: DeliveryError | null
}

type AnyChannel = Channel<Record<string, unknown>>

type Mask = (text: string) => string

async function tryPart(channel: AnyChannel, part: Part, sending: Sending, mask: Mask): Promise<Outcome> {
  const { key } = part
  try {
    const text = await sendPart(channel, part, sending, mask)
    await sending.onAccepted?.(key)
    return { key, text, error: null }
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error
    return { key, text: mask(error.message), error }
  }
}

async function sendPart(
  channel: AnyChannel,
  part: Part,
  { senders, signal }: Sending,
  mask: Mask,
): Promise<string> {
  if (signal?.aborted)
    throw new DeliveryError('The message was not sent, because the delivery ran out of time.', {
      permanent: false,
    })
  if ('mail' in part) {
    const reply = oneLine(await senders.mail.send(part.mail, signal), maxResponseChars)
    return `The mail server accepted the email (${reply}).`
  }
  const received = await senders.http.send(part.http, signal)
  // Mask before truncating: half of a secret wouldn't match.
  const response = { ...received, body: mask(received.body) }
  const error = channel.judge === undefined ? judgeResponse(response) : channel.judge(response, part.key)
  if (error !== null) throw error
  return responseInWords(response.status, cut(response.body.trim(), maxResponseChars))
}

/** Results are in the order of the items. */
async function mapConcurrently<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const left = items.entries()
  const workers = Array.from({ length: Math.min(concurrency, items.length) }, async () => {
    for (const [index, item] of left) results[index] = await work(item)
  })
  const failure = (await Promise.allSettled(workers)).find(({ status }) => status === 'rejected')
  if (failure?.status === 'rejected') throw failure.reason
  return results
}

function withMessage(error: DeliveryError, message: string): DeliveryError {
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

/** Users who may read the log may not see the channel's secrets, which a tool may repeat in its response. */
function maskSecrets(secrets: readonly string[]): Mask {
  return (text) => secrets.reduce((left, secret) => left.replaceAll(secret, '***'), text)
}
