// The HTTP client for channels and other addresses of users, guarded by the address policy. No redirects and no proxies: it connects only to addresses that the
// policy has checked.
import { type ClientRequest, Agent as HttpAgent, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { type NetworkRules, networkPolicy } from '@vedette/safeguards/address-policy'
import { callFailure, type HttpTarget, readTarget, refusedAddress } from './call-target.ts'
import { DeliveryError } from './delivery-error.ts'
import { guardedLookup } from './guarded-lookup.ts'

export interface HttpCall {
  method: string
  url: string
  headers: Record<string, string>
  body: string | null
}

export interface HttpResponse {
  status: number
  headers: Record<string, string>
  /** The first 16 KB, unless the client was opened with another limit. */
  body: string
}

/** A response as bytes. */
interface Download {
  status: number
  headers: Record<string, string>
  bytes: Buffer
  /** False: it is longer than was asked for, or the connection broke. */
  isWhole: boolean
}

export interface Http {
  /** Resolves with any response, whatever its status; throws a DeliveryError otherwise. */
  send(call: HttpCall, signal?: AbortSignal): Promise<HttpResponse>
  /** GET of a file. Resolves and throws like `send`; at most `maxBytes` of the body are kept. */
  download(url: string, maxBytes: number, signal?: AbortSignal): Promise<Download>
  /** Requests in flight fail with a transient error. */
  close(): void
}

export interface HttpOptions {
  rules: NetworkRules
  /** From the call to the end of the response, including the wait for a connection. */
  timeoutMs?: number
  /** Of responses to `send`; the rest isn't read. */
  maxBodyBytes?: number
}

export function openHttp({ rules, timeoutMs = 15_000, maxBodyBytes = 16 * 1024 }: HttpOptions): Http {
  const policy = networkPolicy(rules, 'server')
  const options = {
    keepAlive: true,
    // Per host: a slow host delays only its own requests.
    maxSockets: 32,
    // As many as maxSockets: with fewer, a burst would reopen most of its connections.
    maxFreeSockets: 32,
    // Close idle sockets before most servers do, which would fail a request in flight.
    timeout: 4000,
    lookup: guardedLookup(policy),
  }
  const plain = new HttpAgent(options)
  const secure = new HttpsAgent(options)
  const open = new Set<(why: DeliveryError) => void>()

  function start({ isSecure, options }: HttpTarget): ClientRequest {
    return isSecure ? requestHttps({ ...options, agent: secure }) : requestHttp({ ...options, agent: plain })
  }

  async function receive(call: HttpCall, maxBytes: number, signal?: AbortSignal): Promise<Download> {
    const target = readTarget(call)
    const refusal = target.literal === null ? null : policy.refusalOf(target.literal)
    if (refusal !== null) throw refusedAddress(target, refusal)
    if (signal?.aborted) throw stopError(target)
    const { response, fail } = exchange(start(target), call.body, target, { timeoutMs, maxBytes })
    const onAbort = () => fail(stopError(target))
    open.add(fail)
    signal?.addEventListener('abort', onAbort, { once: true })
    try {
      return await response
    } finally {
      open.delete(fail)
      signal?.removeEventListener('abort', onAbort)
    }
  }

  return {
    async send(call, signal) {
      const { status, headers, bytes } = await receive(call, maxBodyBytes, signal)
      return { status, headers, body: new TextDecoder().decode(bytes, { stream: true }) }
    },
    download: (url, maxBytes, signal) =>
      receive(
        { method: 'GET', url, headers: { 'accept-encoding': 'identity' }, body: null },
        maxBytes,
        signal,
      ),
    close() {
      for (const fail of open)
        fail(new DeliveryError('The server was stopped during the call.', { permanent: false }))
      plain.destroy()
      secure.destroy()
    },
  }
}

interface Limits {
  timeoutMs: number
  maxBytes: number
}

function exchange(
  request: ClientRequest,
  body: string | null,
  target: HttpTarget,
  { timeoutMs, maxBytes }: Limits,
) {
  const { promise, resolve, reject } = Promise.withResolvers<Download>()
  let partial: (() => Download) | null = null
  let isSettled = false
  const timer = setTimeout(() => settle(timeoutError(request, target, timeoutMs)), timeoutMs)

  /** A response with a status counts, even if the rest of its body is missing. */
  function settle(failure: DeliveryError | null) {
    if (isSettled) return
    isSettled = true
    clearTimeout(timer)
    if (partial) resolve(partial())
    else reject(failure ?? callFailure(target, { code: 'ECONNRESET' }))
    // No effect if the whole response was read: the connection is reused.
    request.destroy()
  }

  request.on('error', (error: NodeJS.ErrnoException) => settle(callFailure(target, error)))
  request.on('close', () => settle(null))
  request.on('response', (response) => {
    const chunks: Buffer[] = []
    let bytes = 0
    partial = () => ({
      status: response.statusCode ?? 0,
      headers: joinValues(response.headers),
      bytes: Buffer.concat(chunks).subarray(0, maxBytes),
      isWhole: response.complete && bytes <= maxBytes,
    })
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > maxBytes) settle(null)
    })
    response.on('error', () => settle(null))
    response.on('end', () => settle(null))
  })
  // As bytes: with a string, Node would encode the headers again.
  request.end(body === null ? undefined : Buffer.from(body))
  return { response: promise, fail: (why: DeliveryError) => settle(why) }
}

function joinValues(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}

function timeoutError(request: ClientRequest, { name }: HttpTarget, timeoutMs: number): DeliveryError {
  const seconds = timeoutMs / 1000
  const message = request.socket
    ? `The receiver at ${name} didn't respond within ${seconds} s. Check whether it is overloaded.`
    : `No connection to ${name} became free within ${seconds} s. Check whether the receiver is overloaded.`
  return new DeliveryError(message, { permanent: false })
}

function stopError({ name }: HttpTarget): DeliveryError {
  return new DeliveryError(`The call to ${name} was stopped before a response arrived.`, { permanent: false })
}
