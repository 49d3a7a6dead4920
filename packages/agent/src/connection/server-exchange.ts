// One HTTP exchange with a server. Calls have a time limit; files have a limit for the time without progress.
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { parseJson } from '../core/parse-json.ts'

export interface ProxySettings {
  HTTPS_PROXY?: string
  HTTP_PROXY?: string
  NO_PROXY?: string
}

export interface CallLimit {
  timeoutMs: number
  signal?: AbortSignal
}

/** The longest time without progress. */
export interface TransferLimit {
  idleMs: number
  signal: AbortSignal
}

export interface FileBody {
  bytes: number
  /** Called once per server that is tried. */
  open(): Readable
}

/** `status` null: there was no response. */
export class ServerError extends Error {
  override name = 'ServerError'
  readonly status: number | null

  constructor(message: string, status: number | null, options?: ErrorOptions) {
    super(message, options)
    this.status = status
  }

  /** The server refuses the body, and would refuse it again. */
  get isRefusal(): boolean {
    return this.status === 400 || this.status === 413 || this.status === 422
  }

  /** The same call may succeed later or with another server. */
  get isTransient(): boolean {
    return this.status === null || this.status >= 500
  }
}

/** Node implements the proxy: absolute URLs for http servers, CONNECT tunnels for https servers, and NO_PROXY. */
export function agentsFor({ HTTPS_PROXY, HTTP_PROXY, NO_PROXY }: ProxySettings) {
  const hasProxy = HTTPS_PROXY !== undefined || HTTP_PROXY !== undefined
  if (hasProxy && !process.allowedNodeEnvironmentFlags.has('--use-env-proxy')) {
    throw new Error(`HTTPS_PROXY and HTTP_PROXY need Node 24.5 or newer; this is ${process.version}`)
  }
  const options = {
    keepAlive: true,
    maxSockets: 8,
    ...(hasProxy && { proxyEnv: { HTTPS_PROXY, HTTP_PROXY, NO_PROXY } }),
  }
  return { http: new HttpAgent(options), https: new HttpsAgent(options) }
}

export interface Exchange<T> {
  method: string
  headers: Record<string, string>
  body: Buffer | FileBody | null
  limit: CallLimit | TransferLimit
  /** Throws a ServerError unless the response is a success. */
  read(response: IncomingMessage, origin: string): Promise<T>
}

type Agents = ReturnType<typeof agentsFor>

export async function exchange<T>(url: URL, agents: Agents, options: Exchange<T>): Promise<T> {
  try {
    return await send(url, agents, options)
  } catch (error) {
    const isStale = error instanceof Error && staleErrors.has(error)
    if (!isStale || options.limit.signal?.aborted) throw error
    return send(url, agents, options)
  }
}

/** Errors of kept-alive connections that the server closed before the request. They don't mean that the server failed. */
const staleErrors = new WeakSet<Error>()

function send<T>(url: URL, agents: Agents, { method, headers, body, limit, read }: Exchange<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const isHttps = url.protocol === 'https:'
    const isFile = body !== null && 'open' in body
    const bytes = body === null ? null : isFile ? body.bytes : body.length
    const request = (isHttps ? requestHttps : requestHttp)(url, {
      method,
      agent: isHttps ? agents.https : agents.http,
      headers: { ...headers, ...(bytes !== null && { 'content-length': bytes }) },
      ...(limit.signal && { signal: limit.signal }),
    })
    let hasResponse = false
    const limitMs = 'idleMs' in limit ? limit.idleMs : limit.timeoutMs
    const timer = setTimeout(() => {
      hasResponse = true
      const problem = 'idleMs' in limit ? 'made no progress for' : "didn't respond within"
      request.destroy(new Error(`${url.origin} ${problem} ${limitMs / 1000} s`))
    }, limitMs)
    const noteProgress = () => void ('idleMs' in limit && timer.refresh())
    const content = isFile ? body.open() : null
    const fail = (error: Error) => {
      clearTimeout(timer)
      content?.destroy()
      if (request.reusedSocket && !hasResponse) staleErrors.add(error)
      reject(error)
    }
    request.on('error', fail)
    request.once('response', (response) => {
      hasResponse = true
      // A server that responds before the end of the file doesn't want the rest.
      content?.destroy()
      response.on('data', noteProgress)
      read(response, url.origin).then((result) => {
        clearTimeout(timer)
        if (!request.writableFinished) request.destroy()
        resolve(result)
      }, fail)
    })
    content?.on('data', noteProgress)
    content?.on('error', (error) => !hasResponse && request.destroy(error))
    if (content) content.pipe(request)
    else request.end(body)
  })
}

export async function readResponse(
  response: IncomingMessage,
  origin: string,
): Promise<{ serverTime: number }> {
  const body = await readBody(response, origin)
  if (typeof body?.serverTime !== 'number') {
    throw new ServerError(`${origin} isn't a Vedette server`, 502)
  }
  return { ...body, serverTime: body.serverTime }
}

type ResponseBody = { serverTime?: unknown; message?: unknown }

async function readBody(response: IncomingMessage, origin: string): Promise<ResponseBody | null> {
  const value = parseJson(await text(response))
  const body: ResponseBody | null = typeof value === 'object' ? value : null
  const { statusCode: status = 0 } = response
  if (status === 200) return body
  const message = typeof body?.message === 'string' ? `: ${body.message.slice(0, 500)}` : ''
  throw new ServerError(`${origin} responded ${status}${message}`, status)
}

export async function readInto(path: string, response: IncomingMessage, origin: string): Promise<void> {
  if (response.statusCode !== 200) return void (await readBody(response, origin))
  try {
    await pipeline(response, createWriteStream(path, { mode: 0o600 }))
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}
