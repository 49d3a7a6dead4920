// The model: any endpoint that speaks the chat-completions protocol with tools. The operator named it, so it may be an
// internal address; a metadata address never. Its key is shown there and nowhere else.

import { setTimeout as sleep } from 'node:timers/promises'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { z } from 'zod'
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

export interface ModelAnswer {
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
const maxAnswerBytes = 2_000_000
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
): Promise<ModelAnswer> {
  const body = JSON.stringify({ model: settings.name, ...conversation, tool_choice: 'auto' })
  for (const delayMs of retryDelaysMs) {
    const answer = await post(settings, body, context)
    if (answer.status !== 429 && answer.status < 500) return read(answer, settings)
    await sleep(delayMs, undefined, { signal: context.signal }).catch(() => context.signal.throwIfAborted())
  }
  return read(await post(settings, body, context), settings)
}

interface RawAnswer {
  status: number
  body: string
}

async function post(settings: ModelSettings, text: string, context: ModelContext): Promise<RawAnswer> {
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
  let dialled = await reach('IPv4')
  if (dialled.failure?.kind === 'dns') dialled = await reach('IPv6')
  context.signal.throwIfAborted()
  if (dialled.failure)
    throw new ModelError(`the model at MODEL_URL can not be reached: ${dialled.failure.message}`)
  const body = Buffer.from(text)
  const {
    head,
    body: answered,
    truncated,
    failure,
  } = await exchange(
    dialled.socket,
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
      maxBodyBytes: maxAnswerBytes,
      wantsBody: () => true,
    },
  )
  context.signal.throwIfAborted()
  if (failure || !head)
    throw new ModelError(`the model at MODEL_URL did not answer: ${failure?.message ?? 'closed'}`)
  if (truncated)
    throw new ModelError(`the model at MODEL_URL answered with more than ${maxAnswerBytes} bytes`)
  return { status: head.status, body: answered.toString('utf8') }
}

function read({ status, body }: RawAnswer, { apiKey }: ModelSettings): ModelAnswer {
  if (status !== 200) {
    // Some repeat the key that they refuse.
    const said = createScrubber(apiKey === null ? [] : [apiKey]).text(body)
    throw new ModelError(`the model at MODEL_URL answered with ${status}: ${said.slice(0, 300)}`)
  }
  const completion = Completion.safeParse(parsed(body))
  const message = completion.data?.choices[0]?.message
  if (!message)
    throw new ModelError('the model at MODEL_URL answered with something that is no chat completion')
  const toolCalls = (message.tool_calls ?? []).map(({ id, function: called }, index): ToolCall => {
    const given = called.arguments ?? '{}'
    const text = typeof given === 'string' ? given : JSON.stringify(given)
    return { id: id || `call_${index}`, type: 'function', function: { name: called.name, arguments: text } }
  })
  return { content: message.content ?? '', toolCalls }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
