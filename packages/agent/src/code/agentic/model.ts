// Client of the model: any endpoint with the chat-completions protocol and tools. The operator configures it, so it may be an
// internal address, but never a metadata address. Its key is sent there only.

import { setTimeout as sleep } from 'node:timers/promises'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { z } from 'zod'
import { parseJson } from '../../core/parse-json.ts'
import { dial } from '../../net/dial.ts'
import { exchange } from '../../net/http-exchange.ts'
import type { Lookup } from '../../net/resolve.ts'
import { createScrubber } from '../../scrub/scrub.ts'

export interface ModelSettings {
  /** Up to /v1. */
  url: string
  name: string
  apiKey: string | null
}

export interface ModelTool {
  type: 'function'
  function: { name: string; description: string; parameters: unknown }
}

export interface ToolCall {
  id: string
  type: 'function'
  function: { name: string; arguments: string }
}

export type ModelMessage =
  | { role: 'system' | 'user'; content: string }
  | { role: 'assistant'; content: string | null; tool_calls?: ToolCall[] }
  | { role: 'tool'; tool_call_id: string; content: string }

export interface ModelReply {
  content: string
  toolCalls: ToolCall[]
}

export interface ModelContext {
  signal: AbortSignal
  clock: { monotonic(): number }
  lookup?: Lookup
  userAgent: string
}

export class ModelError extends Error {
  override name = 'ModelError'
}

const limitMs = 90_000
const maxResponseBytes = 2_000_000
const retryDelaysMs = [1_000, 4_000]
const network = networkPolicy({ mode: 'default' })

const Call = z.object({
  id: z.string().max(200).nullish(),
  function: z.object({
    name: z.string().max(200),
    arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).nullish(),
  }),
})

const Completion = z.object({
  choices: z
    .array(
      z.object({
        message: z.object({ content: z.string().nullish(), tool_calls: z.array(Call).max(50).nullish() }),
      }),
    )
    .min(1),
})

/** Throws a ModelError, or the reason of the signal. */
export async function askModel(
  settings: ModelSettings,
  conversation: { messages: readonly ModelMessage[]; tools: readonly ModelTool[] },
  context: ModelContext,
): Promise<ModelReply> {
  const body = JSON.stringify({ model: settings.name, ...conversation, tool_choice: 'auto' })
  for (const delayMs of retryDelaysMs) {
    const response = await post(settings, body, context)
    if (response.status !== 429 && response.status < 500) return read(response, settings)
    await sleep(delayMs, undefined, { signal: context.signal }).catch(() => context.signal.throwIfAborted())
  }
  return read(await post(settings, body, context), settings)
}

interface RawResponse {
  status: number
  body: string
}

async function post(settings: ModelSettings, text: string, context: ModelContext): Promise<RawResponse> {
  const url = new URL(`${settings.url}/chat/completions`)
  const signal = AbortSignal.any([context.signal, AbortSignal.timeout(limitMs)])
  const monotonic = () => context.clock.monotonic()
  const isTls = url.protocol === 'https:'
  const port = Number(url.port) || (isTls ? 443 : 80)
  const reach = (ipFamily: 'IPv4' | 'IPv6') =>
    dial(
      { host: url.hostname, port, ipFamily, ...(isTls && { tls: { verify: true, alpn: ['http/1.1'] } }) },
      { network, signal, monotonic, ...(context.lookup && { lookup: context.lookup }) },
    )
  let dialed = await reach('IPv4')
  if (dialed.failure?.kind === 'dns') dialed = await reach('IPv6')
  context.signal.throwIfAborted()
  if (dialed.failure)
    throw new ModelError(`the model at MODEL_URL can't be reached: ${dialed.failure.message}`)
  const body = Buffer.from(text)
  const {
    head,
    body: responseBody,
    truncated,
    failure,
  } = await exchange(
    dialed.socket,
    {
      method: 'POST',
      target: `${url.pathname}${url.search}`,
      headers: {
        host: url.host,
        'user-agent': context.userAgent,
        accept: 'application/json',
        'content-type': 'application/json',
        'content-length': `${body.length}`,
        ...(settings.apiKey !== null && { authorization: `Bearer ${settings.apiKey}` }),
      },
      body,
    },
    {
      signal,
      monotonic,
      address: `${url.hostname}:${port}`,
      maxBodyBytes: maxResponseBytes,
      wantsBody: () => true,
    },
  )
  context.signal.throwIfAborted()
  if (failure || !head)
    throw new ModelError(`the model at MODEL_URL didn't respond: ${failure?.message ?? 'closed'}`)
  if (truncated)
    throw new ModelError(`the model at MODEL_URL responded with more than ${maxResponseBytes} bytes`)
  return { status: head.status, body: responseBody.toString('utf8') }
}

function read({ status, body }: RawResponse, { apiKey }: ModelSettings): ModelReply {
  if (status !== 200) {
    // Some servers repeat the key that they refuse.
    const message = createScrubber(apiKey === null ? [] : [apiKey]).text(body)
    throw new ModelError(`the model at MODEL_URL responded with ${status}: ${message.slice(0, 300)}`)
  }
  const completion = Completion.safeParse(parseJson(body))
  const message = completion.data?.choices[0]?.message
  if (!message)
    throw new ModelError("the model at MODEL_URL responded with something that isn't a chat completion")
  const toolCalls = (message.tool_calls ?? []).map(({ id, function: called }, index): ToolCall => {
    const given = called.arguments ?? '{}'
    const text = typeof given === 'string' ? given : JSON.stringify(given)
    return { id: id || `call_${index}`, type: 'function', function: { name: called.name, arguments: text } }
  })
  return { content: message.content ?? '', toolCalls }
}
