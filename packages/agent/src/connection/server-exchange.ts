// One exchange with a server over HTTP(S): texts within a time, files for as long as they move.
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

export interface ProxySettings {
  HTTPS_PROXY?: string
  HTTP_PROXY?: string
  NO_PROXY?: string
}

export interface CallLimit {
  timeoutMs: number
  signal?: AbortSignal
}

/** Of files: how long a transfer may stand still. */
export interface TransferLimit {
  idleMs: number
  signal: AbortSignal
}

export interface FileBody {
  bytes: number
  /** Anew for every server that is asked. */
  open(): Readable
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

  /** Said about this moment: the same later, or to another server, may be taken. */
  get isPassing(): boolean {
    return this.status === null || this.status >= 500
  }
}

export interface Agents {
  http: HttpAgent
  https: HttpsAgent
}

/** Node's own: an absolute URL to the proxy for http servers, a CONNECT tunnel for https ones, NO_PROXY obeyed. */
export function agentsFor(proxies: ProxySettings): Agents {
  const isAsked = proxies.HTTPS_PROXY !== undefined || proxies.HTTP_PROXY !== undefined
  if (isAsked && !process.allowedNodeEnvironmentFlags.has('--use-env-proxy')) {
    throw new Error(`HTTPS_PROXY and HTTP_PROXY need Node 24.5 or newer; this is ${process.version}`)
  }
  const options = { keepAlive: true, maxSockets: 8, ...(isAsked && { proxyEnv: { ...proxies } }) }
  return { http: new HttpAgent(options), https: new HttpsAgent(options) }
}

export interface Exchange<T> {
  method: string
  headers: Record<string, string>
  body: Buffer | FileBody | null
  limit: CallLimit | TransferLimit
  /** Throws a ServerError for what is no success. */
  read(response: IncomingMessage, origin: string): Promise<T>
}

export async function exchange<T>(url: URL, agents: Agents, what: Exchange<T>): Promise<T> {
  try {
    return await send(url, agents, what)
  } catch (error) {
    // A kept connection may be closed just when it is used again: that says nothing about the server.
    if (!(error as { wasReused?: boolean }).wasReused || what.limit.signal?.aborted) throw error
    return send(url, agents, what)
  }
}

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
    let isHeard = false
    const limitMs = 'idleMs' in limit ? limit.idleMs : limit.timeoutMs
    const timer = setTimeout(() => {
      isHeard = true
      const what = 'idleMs' in limit ? 'stood still for' : 'did not answer within'
      request.destroy(new Error(`${url.origin} ${what} ${limitMs / 1000} s`))
    }, limitMs)
    const moved = () => void ('idleMs' in limit && timer.refresh())
    const content = isFile ? body.open() : null
    const fail = (error: Error) => {
      clearTimeout(timer)
      content?.destroy()
      reject(Object.assign(error, { wasReused: request.reusedSocket && !isHeard }))
    }
    request.on('error', fail)
    request.once('response', (response) => {
      isHeard = true
      // Who answers before the end of a file wants no more of it.
      content?.destroy()
      response.on('data', moved)
      read(response, url.origin).then((answer) => {
        clearTimeout(timer)
        if (!request.writableFinished) request.destroy()
        resolve(answer)
      }, fail)
    })
    content?.on('data', moved)
    content?.on('error', (error) => !isHeard && request.destroy(error))
    if (content) content.pipe(request)
    else request.end(body)
  })
}

export async function readAnswer(response: IncomingMessage, origin: string): Promise<{ serverTime: number }> {
  const answer = await readReply(response, origin)
  if (typeof answer?.serverTime !== 'number') {
    throw new ServerError(`${origin} is no Vedette server`, 502)
  }
  return answer as { serverTime: number }
}

async function readReply(response: IncomingMessage, origin: string): Promise<ReturnType<typeof parsed>> {
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  const answer = parsed(Buffer.concat(chunks).toString('utf8'))
  const { statusCode: status = 0 } = response
  if (status !== 200) throw new ServerError(`${origin} answered ${status}${told(answer)}`, status)
  return answer
}

export async function readInto(path: string, response: IncomingMessage, origin: string): Promise<void> {
  if (response.statusCode !== 200) return void (await readReply(response, origin))
  try {
    await pipeline(response, createWriteStream(path, { mode: 0o600 }))
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
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
