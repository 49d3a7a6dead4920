// The agent's line to its servers: a call goes to the server that answered last, and on to the next when that one can't
// be reached or fails. Management traffic only; checks go through net/dial.ts and its rules.
import { Agent as HttpAgent, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { ServerClock } from './clock.ts'
import type { Log } from './log.ts'
import { type Answers, type Call, paths } from './protocol.ts'

export interface ServerClientOptions {
  servers: readonly string[]
  apiKey: string
  version: string
  proxies?: { HTTPS_PROXY?: string; HTTP_PROXY?: string; NO_PROXY?: string }
}

interface CallOptions {
  timeoutMs: number
  signal?: AbortSignal
}

export interface ServerClient {
  /** `body` is JSON text. Throws a ServerError when no server took it. */
  call<C extends Call>(call: C, body: string, options: CallOptions): Promise<Answers[C]>
  /** When a server last answered as it should, by the server's clock. */
  readonly lastContactAt: number | null
  readonly isReachable: boolean
  readonly serverCount: number
  close(): void
}

/** `status` null: there was no answer at all. */
export class ServerError extends Error {
  override name = 'ServerError'
  readonly status: number | null

  constructor(message: string, status: number | null, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }

  /** Said about the body itself: the same one again would be refused again. */
  get isRefusal(): boolean {
    return this.status === 400 || this.status === 413 || this.status === 422
  }
}

export function createServerClient(
  { servers, apiKey, version, proxies = {} }: ServerClientOptions,
  clock: ServerClock,
  log: Log,
): ServerClient {
  const agents = agentsFor(proxies)
  const headers = {
    authorization: `Bearer ${apiKey}`,
    'user-agent': `vedette-agent/${version}`,
    'content-type': 'application/json',
  }
  let current = 0
  let lastContactAt: number | null = null
  let isReachable = true

  async function ask(server: string, call: Call, body: string, options: CallOptions): Promise<unknown> {
    const url = new URL(`${server}${paths[call]}`)
    const sentAt = clock.monotonic()
    const { status, text } = await post(url, agents, headers, body, options)
    const answer = parsed(text)
    if (status !== 200) throw new ServerError(`${url.origin} answered ${status}${told(answer)}`, status)
    if (typeof answer?.serverTime !== 'number')
      throw new ServerError(`${url.origin} is no Vedette server`, 502)
    clock.sample(sentAt, clock.monotonic(), answer.serverTime)
    return answer
  }

  function reached() {
    lastContactAt = clock.now()
    if (!isReachable) log.info({ server: servers[current] }, 'server.reached')
    isReachable = true
  }

  function lost(error: Error) {
    if (isReachable) log.warn({ err: error }, 'server.lost')
    isReachable = false
  }

  return {
    async call(call, body, options) {
      let last = new ServerError('there is no server to ask', null)
      for (let tries = 0; tries < servers.length; tries++) {
        const asked = current
        try {
          const answer = await ask(servers[asked] ?? '', call, body, options)
          reached()
          return answer as never
        } catch (error) {
          if (options.signal?.aborted) throw error
          last = asServerError(error)
          // Whoever else called meanwhile may have moved on already.
          if (isWorthAnother(last)) {
            if (current === asked) current = (asked + 1) % servers.length
          } else break
        }
      }
      if (!last.isRefusal) lost(last)
      throw last
    },
    get lastContactAt() {
      return lastContactAt
    },
    get isReachable() {
      return isReachable
    },
    serverCount: servers.length,
    close() {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

interface Agents {
  http: HttpAgent
  https: HttpsAgent
}

/** Node's own: an absolute URL to the proxy for http servers, a CONNECT tunnel for https ones, NO_PROXY obeyed. */
function agentsFor(proxies: NonNullable<ServerClientOptions['proxies']>): Agents {
  const isAsked = proxies.HTTPS_PROXY !== undefined || proxies.HTTP_PROXY !== undefined
  if (isAsked && !process.allowedNodeEnvironmentFlags.has('--use-env-proxy')) {
    throw new Error(`HTTPS_PROXY and HTTP_PROXY need Node 24.5 or newer; this is ${process.version}`)
  }
  const options = { keepAlive: true, maxSockets: 8, ...(isAsked && { proxyEnv: { ...proxies } }) }
  return { http: new HttpAgent(options), https: new HttpsAgent(options) }
}

const isWorthAnother = ({ status }: ServerError) => status === null || status >= 500

function asServerError(error: unknown): ServerError {
  if (error instanceof ServerError) return error
  const { code, message } = error as NodeJS.ErrnoException
  return new ServerError(code && !message.includes(code) ? `${message} (${code})` : message, null, {
    cause: error,
  })
}

interface Reply {
  status: number
  text: string
}

async function post(
  url: URL,
  agents: Agents,
  headers: Record<string, string>,
  body: string,
  options: CallOptions,
): Promise<Reply> {
  const bytes = Buffer.from(body)
  try {
    return await send(url, agents, headers, bytes, options)
  } catch (error) {
    // A kept connection may be closed just when it is used again: that says nothing about the server.
    if (!(error as { wasReused?: boolean }).wasReused || options.signal?.aborted) throw error
    return send(url, agents, headers, bytes, options)
  }
}

function send(
  url: URL,
  agents: Agents,
  headers: Record<string, string>,
  body: Buffer,
  { timeoutMs, signal }: CallOptions,
): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const isHttps = url.protocol === 'https:'
    const request = (isHttps ? requestHttps : requestHttp)(url, {
      method: 'POST',
      agent: isHttps ? agents.https : agents.http,
      headers: { ...headers, 'content-length': body.length },
      ...(signal && { signal }),
    })
    let isHeard = false
    const timer = setTimeout(() => {
      isHeard = true
      request.destroy(new Error(`${url.origin} did not answer within ${timeoutMs / 1000} s`))
    }, timeoutMs)
    const fail = (error: Error) => {
      clearTimeout(timer)
      reject(Object.assign(error, { wasReused: request.reusedSocket && !isHeard }))
    }
    request.on('error', fail)
    request.once('response', (response) => {
      isHeard = true
      const chunks: Buffer[] = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('error', fail)
      response.once('end', () => {
        clearTimeout(timer)
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString('utf8') })
      })
    })
    request.end(body)
  })
}

function parsed(text: string): { serverTime?: unknown; message?: unknown } | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' ? value : null
  } catch {
    return null
  }
}

function told(answer: { message?: unknown } | null): string {
  return typeof answer?.message === 'string' ? `: ${answer.message.slice(0, 500)}` : ''
}
