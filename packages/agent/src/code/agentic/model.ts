// Client of the model: any endpoint with the chat-completions protocol and tools. The operator configures it, so it may be an
// internal address, but never a metadata address. Its key is sent there only.

import { setTimeout as sleep } from 'node:timers/promises'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { z } from 'zod'
import { agentWaits } from '../../core/agent-waits.ts'
import { parseJson } from '../../core/parse-json.ts'
import { followHops } from '../../net/http-hops.ts'
import type { IpFamily } from '../../net/resolve.ts'
import { createScrubber } from '../../scrub/scrub.ts'
import type { CodeContext } from '../code-runner.ts'

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

export type ModelContext = Pick<CodeContext, 'signal' | 'clock' | 'lookup' | 'userAgent'>

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

async function post(settings: ModelSettings, body: string, context: ModelContext) {
  const request = {
    method: 'POST',
    url: new URL(`${settings.url}/chat/completions`),
    headers: {
      'user-agent': context.userAgent,
      accept: 'application/json',
      'content-type': 'application/json',
      ...(settings.apiKey !== null && { authorization: `Bearer ${settings.apiKey}` }),
    },
    body,
  }
  const monotonic = () => context.clock.monotonic()
  const hopContext = {
    network,
    monotonic,
    waits: agentWaits(monotonic),
    keepBytes: maxResponseBytes,
    signal: AbortSignal.any([context.signal, AbortSignal.timeout(limitMs)]),
    lookup: context.lookup,
  }
  const send = (ipFamily: IpFamily) =>
    followHops(request, { followRedirects: false, skipSSL: false, ipFamily }, hopContext, [])
  let hop = await send('IPv4')
  if (hop.failure?.kind === 'dns') hop = await send('IPv6')
  context.signal.throwIfAborted()
  const { exchanged, failure } = hop
  if (!exchanged) throw new Error(`the model at MODEL_URL can't be reached: ${failure?.message}`)
  if (failure || !exchanged.head)
    throw new Error(`the model at MODEL_URL didn't respond: ${failure?.message ?? 'closed'}`)
  if (exchanged.bodyBytes > maxResponseBytes)
    throw new Error(`the model at MODEL_URL responded with more than ${maxResponseBytes} bytes`)
  return { status: exchanged.head.status, body: exchanged.body.toString('utf8') }
}

function read({ status, body }: { status: number; body: string }, { apiKey }: ModelSettings): ModelReply {
  if (status !== 200) {
    // Some servers repeat the key that they refuse.
    const message = createScrubber(apiKey === null ? [] : [apiKey]).text(body)
    throw new Error(`the model at MODEL_URL responded with ${status}: ${message.slice(0, 300)}`)
  }
  const completion = Completion.safeParse(parseJson(body))
  const message = completion.data?.choices[0]?.message
  if (!message)
    throw new Error("the model at MODEL_URL responded with something that isn't a chat completion")
  const toolCalls = (message.tool_calls ?? []).map(({ id, function: called }, index): ToolCall => {
    const given = called.arguments ?? '{}'
    const text = typeof given === 'string' ? given : JSON.stringify(given)
    return { id: id || `call_${index}`, type: 'function', function: { name: called.name, arguments: text } }
  })
  return { content: message.content ?? '', toolCalls }
}
