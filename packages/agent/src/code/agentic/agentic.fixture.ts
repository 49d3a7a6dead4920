// For tests: a scripted model, and a shop that tests can change.
import { randomUUID } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Job } from '@vedette/contracts'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { jobExample } from '../../connection/agent-server.fixture.ts'
import { findRuntime } from '../../runtimes/find-runtime.ts'
import type { InstalledRuntime } from '../../runtimes/runtime.ts'
import type { CodeContext } from '../code-runner.ts'
import type { ModelMessage, ModelSettings } from './model.ts'

/** The runtime that the suite installs once for all tests. */
export function testRuntime(): InstalledRuntime {
  const shared = fileURLToPath(new URL('../../../../../node_modules/.vedette-runtimes', import.meta.url))
  const found = findRuntime('2026.04', shared)
  if (!found) throw new Error(`The runtime 2026.04 is not installed in ${shared}: npm test does that`)
  return found
}

interface ModelRequest {
  headers: Record<string, unknown>
  body: { model: string; messages: ModelMessage[]; tools: { function: { name: string } }[] }
}

/** A turn of the model: tool calls, text, or a whole HTTP response. */
export type Turn =
  | [tool: string, args: object | string][]
  | string
  | { status: number; body: string }
  | ((request: ModelRequest) => Turn)

export interface ScriptedModel {
  settings: ModelSettings
  requests: ModelRequest[]
  /** Next turns; afterwards the model replies with nothing. */
  turns: Turn[]
  close(): Promise<void>
}

export async function startModel(turns: Turn[] = []): Promise<ScriptedModel> {
  const requests: ModelRequest[] = []
  const model = { turns }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      if (request.url !== '/v1/chat/completions' || request.method !== 'POST') {
        response.writeHead(404).end()
        return
      }
      const one: ModelRequest = {
        headers: request.headers,
        body: JSON.parse(Buffer.concat(chunks).toString()),
      }
      requests.push(one)
      const { status, body } = replyOf(model.turns.shift() ?? '', one)
      response.writeHead(status, { 'content-type': 'application/json' }).end(body)
    })
  })
  const port = await listen(server)
  return {
    settings: { url: `http://127.0.0.1:${port}/v1`, name: 'test-model', apiKey: 'sk-model-key' },
    requests,
    get turns() {
      return model.turns
    },
    set turns(next: Turn[]) {
      model.turns = next
    },
    close: () => closed(server),
  }
}

function replyOf(turn: Turn, request: ModelRequest): { status: number; body: string } {
  if (typeof turn === 'function') return replyOf(turn(request), request)
  if (typeof turn === 'object' && 'status' in turn) return turn
  const calls = typeof turn === 'string' ? [] : turn
  const tool_calls = calls.map(([name, args]) => ({
    id: `call_${randomUUID()}`,
    type: 'function',
    function: { name, arguments: typeof args === 'string' ? args : JSON.stringify(args) },
  }))
  const message = {
    role: 'assistant',
    content: typeof turn === 'string' ? turn : null,
    ...(tool_calls.length > 0 && { tool_calls }),
  }
  const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 }
  return { status: 200, body: JSON.stringify({ id: 'chat', choices: [{ index: 0, message }], usage }) }
}

export interface Shop {
  url: string
  /** The label of the button. */
  buyLabel: string
  isBroken: boolean
  close(): Promise<void>
}

export async function startShop(): Promise<Shop> {
  const state = { buyLabel: 'Buy', isBroken: false }
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html; charset=utf-8')
    response.end(pageOf(new URL(request.url ?? '/', 'http://shop'), state))
  })
  const port = await listen(server)
  return Object.assign(state, { url: `http://127.0.0.1:${port}`, close: () => closed(server) })
}

function pageOf(
  { pathname, searchParams }: URL,
  { buyLabel, isBroken }: { buyLabel: string; isBroken: boolean },
) {
  if (pathname === '/account') {
    const user = searchParams.get('user') ?? ''
    return `<title>Account</title><h1>Hello ${user}</h1><p>Your password is ${searchParams.get('password')}</p>`
  }
  if (pathname === '/login') {
    return `<title>Sign in</title><form action="/account">
      <label>Name <input name="user"></label><label>Password <input name="password" type="password"></label>
      <button>Sign in</button></form>`
  }
  const text = isBroken ? 'Sorry, the cart is broken' : 'Cart: 1 pen'
  return `<title>The pen shop</title><h1>Pens</h1>
    <button onclick="document.querySelector('output').textContent = '${text}'">${buyLabel}</button>
    <output></output>`
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((settle) => server.listen(0, '127.0.0.1', settle))
  return (server.address() as AddressInfo).port
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((settle) => server.close(settle))
}

export function agenticJob(prompt: string, more: Partial<Job> = {}): Job {
  return jobExample('http://127.0.0.1/', {
    checkId: randomUUID(),
    checkType: 'AGENTIC',
    check: { checkType: 'AGENTIC', name: 'Shop in words', prompt },
    runtimeId: '2026.04',
    ...more,
  })
}

export function codeContext(signal: AbortSignal = new AbortController().signal): CodeContext {
  return {
    signal,
    clock: { now: () => Date.now(), monotonic: () => performance.now() },
    network: networkPolicy({ mode: 'default' }),
    userAgent: 'Vedette/test',
  }
}
