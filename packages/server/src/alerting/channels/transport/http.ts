// The only door through which the server calls out: to what channels name, past the guard against internal addresses.
// No redirects, no proxies: what is connected to is what was judged.
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

export interface HttpAnswer {
  status: number
  headers: Record<string, string>
  /** Cut after some kilobytes. */
  body: string
}

export interface Http {
  /** Throws a DeliveryError; every answer is an answer, whatever its status. */
  send(call: HttpCall, signal?: AbortSignal): Promise<HttpAnswer>
  /** What is under way fails, as something to be tried again. */
  close(): void
}

export interface HttpOptions {
  rules: NetworkRules
  /** From the call to the end of the answer, waiting for a connection included. */
  timeoutMs?: number
}

const maxBodyBytes = 16 * 1024

export function openHttp({ rules, timeoutMs = 15_000 }: HttpOptions): Http {
  const policy = networkPolicy(rules, 'server')
  const options = {
    keepAlive: true,
    // Of one host: a slow one keeps its own callers waiting, and nobody else's.
    maxSockets: 32,
    // All of them may wait for the next message: with fewer, a burst would open most of its connections anew.
    maxFreeSockets: 32,
    // Idle ones are dropped before the usual server would do so, in the middle of a call.
    timeout: 4000,
    lookup: guardedLookup(policy),
  }
  const plain = new HttpAgent(options)
  const secure = new HttpsAgent(options)
  const open = new Set<(why: DeliveryError) => void>()

  function start({ isSecure, options }: HttpTarget): ClientRequest {
    return isSecure ? requestHttps({ ...options, agent: secure }) : requestHttp({ ...options, agent: plain })
  }

  async function send(call: HttpCall, signal?: AbortSignal): Promise<HttpAnswer> {
    const target = readTarget(call)
    const refusal = target.literal === null ? null : policy.refusalOf(target.literal)
    if (refusal !== null) throw refusedAddress(target, refusal)
    if (signal?.aborted) throw stopped(target)
    const { answer, fail } = exchange(start(target), call.body, target, timeoutMs)
    const onAbort = () => fail(stopped(target))
    open.add(fail)
    signal?.addEventListener('abort', onAbort, { once: true })
    try {
      return await answer
    } finally {
      open.delete(fail)
      signal?.removeEventListener('abort', onAbort)
    }
  }

  return {
    send,
    close() {
      for (const fail of open)
        fail(new DeliveryError('The server was stopped during the call.', { permanent: false }))
      plain.destroy()
      secure.destroy()
    },
  }
}

function exchange(request: ClientRequest, body: string | null, target: HttpTarget, timeoutMs: number) {
  const { promise: answer, resolve, reject } = Promise.withResolvers<HttpAnswer>()
  let partial: (() => HttpAnswer) | null = null
  let isSettled = false
  const timer = setTimeout(() => settle(timedOut(request, target, timeoutMs)), timeoutMs)

  /** Once its status is there a call is answered; that the rest of the body is missing does not make it a failure. */
  function settle(failure: DeliveryError | null) {
    if (isSettled) return
    isSettled = true
    clearTimeout(timer)
    if (partial) resolve(partial())
    else reject(failure ?? callFailure(target, { code: 'ECONNRESET' }))
    // Nothing, where the whole answer was read: its connection serves the next call.
    request.destroy()
  }

  request.on('error', (error: NodeJS.ErrnoException) => settle(callFailure(target, error)))
  request.on('close', () => settle(null))
  request.on('response', (response) => {
    const chunks: Buffer[] = []
    let bytes = 0
    partial = () => ({
      status: response.statusCode ?? 0,
      headers: joined(response.headers),
      body: new TextDecoder().decode(Buffer.concat(chunks).subarray(0, maxBodyBytes), { stream: true }),
    })
    response.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes > maxBodyBytes) settle(null)
    })
    response.on('error', () => settle(null))
    response.on('end', () => settle(null))
  })
  // As bytes: together with a text, Node would encode the headers once more.
  request.end(body === null ? undefined : Buffer.from(body))
  return { answer, fail: (why: DeliveryError) => settle(why) }
}

function joined(headers: NodeJS.Dict<string | string[]>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}

function timedOut(request: ClientRequest, { name }: HttpTarget, timeoutMs: number): DeliveryError {
  const seconds = timeoutMs / 1000
  const message = request.socket
    ? `The receiver at ${name} didn't respond within ${seconds} s. Check whether it is overloaded.`
    : `No connection to ${name} became free within ${seconds} s. Check whether the receiver is overloaded.`
  return new DeliveryError(message, { permanent: false })
}

function stopped({ name }: HttpTarget): DeliveryError {
  return new DeliveryError(`The call to ${name} was stopped before a response arrived.`, { permanent: false })
}
