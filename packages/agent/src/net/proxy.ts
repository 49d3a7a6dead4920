// A connection through a location's proxy: a CONNECT tunnel for https targets, absolute URLs for http targets.
import { isIP, type Socket } from 'node:net'
import type { Failure } from '@vedette/contracts'
import { basicAuth, credentialsIn } from './basic-auth.ts'
import {
  type DialContext,
  type DialResult,
  type DialTarget,
  dial,
  failedDial,
  refusal,
  requestOver,
  secure,
} from './dial.ts'
import { addressOf, failureOf, failureOfAbort, isFailure } from './failure.ts'
import { stripBrackets } from './split-server.ts'

interface ProxiedDial {
  dialed: DialResult
  /** For requests that go to the proxy itself, with an absolute URL; null: they don't. */
  proxyHeaders: Record<string, string> | null
}

/**
 * The address policy applies to the proxy. The proxy resolves the target's name, so the policy applies only to targets that
 * are IP addresses.
 */
export async function dialThrough(
  proxyUrl: string,
  target: DialTarget,
  context: DialContext,
): Promise<ProxiedDial> {
  const proxy = URL.canParse(proxyUrl) ? new URL(proxyUrl) : null
  if (!proxy || !/^https?:$/.test(proxy.protocol)) return { dialed: failedDial(badProxy), proxyHeaders: null }
  const host = stripBrackets(target.host)
  const reason = isIP(host) ? context.network.refusalOf(host) : null
  if (reason) {
    const refused = refusal(addressOf(host, target.port), reason)
    return { dialed: failedDial(refused), proxyHeaders: null }
  }
  const isHttps = proxy.protocol === 'https:'
  const dialed = await dial(
    {
      host: proxy.hostname,
      port: Number(proxy.port) || (isHttps ? 443 : 80),
      ipFamily: target.ipFamily,
      ...(isHttps && { tls: { verify: true, alpn: ['http/1.1'] } }),
    },
    context,
  )
  const proxyHeaders = credentialsOf(proxy)
  if (dialed.failure) return { dialed: { ...dialed, failure: viaProxy(dialed.failure) }, proxyHeaders: null }
  // The TLS handshake with the proxy isn't part of the target's timings.
  delete dialed.marks.secureConnect
  if (!target.tls) return { dialed: { ...dialed, tls: null }, proxyHeaders }
  return { dialed: await tunnel(dialed, target, proxyHeaders, context), proxyHeaders: null }
}

async function tunnel(
  dialed: DialResult & { failure: null },
  target: DialTarget,
  headers: Record<string, string>,
  context: DialContext,
): Promise<DialResult> {
  const { marks, tried, ip } = dialed
  const fail = (failure: Failure, tls = dialed.tls): DialResult => {
    return { failure, socket: null, ip, marks, tried, tls }
  }
  const address = `${target.host}:${target.port}`
  const opened = await openTunnel(dialed.socket, address, headers, context.signal)
  if (isFailure(opened)) return fail(opened, null)
  marks.connect = context.monotonic()
  if (!target.tls) return { ...dialed, socket: opened }
  const secured = await secure(opened, target.host, target.tls, context.signal, address)
  if (secured.failure) {
    dialed.socket.destroy()
    return fail(secured.failure, secured.tls)
  }
  marks.secureConnect = context.monotonic()
  secured.socket.once('close', () => dialed.socket.destroy())
  return { failure: null, socket: secured.socket, ip, marks, tried, tls: secured.tls }
}

function openTunnel(
  socket: Socket,
  authority: string,
  headers: Record<string, string>,
  signal: AbortSignal,
): Promise<Socket | Failure> {
  return new Promise((settle) => {
    const request = requestOver(socket, {
      method: 'CONNECT',
      path: authority,
      headers: { host: authority, ...headers },
    })
    const onAbort = () => done(failureOfAbort(signal, 'connect', authority))
    const done = (outcome: Socket | Failure) => {
      signal.removeEventListener('abort', onAbort)
      if (outcome !== socket) socket.destroy()
      settle(outcome)
    }
    signal.addEventListener('abort', onAbort, { once: true })
    request.on('error', (error) => {
      const failure = failureOf(error, 'connect', authority)
      done(viaProxy(failure))
    })
    request.once('connect', (response, _socket, head) => {
      const { statusCode = 0, statusMessage = '' } = response
      if (statusCode < 200 || statusCode > 299)
        return done(proxyRefusal(statusCode, statusMessage, authority))
      if (head.length > 0) socket.unshift(head)
      done(socket)
    })
    if (signal.aborted) onAbort()
    else request.end()
  })
}

function proxyRefusal(status: number, reason: string, authority: string): Failure {
  return {
    kind: 'connect',
    message: `The proxy refused to connect to ${authority}: ${`${status} ${reason}`.trim()}.`,
    phase: 'connect',
    address: authority,
    code: `PROXY_${status}`,
  }
}

const badProxy: Failure = {
  kind: 'connect',
  message: "The location's proxy isn't a valid http or https URL.",
  phase: 'setup',
  code: 'INVALID_PROXY',
}

function viaProxy(failure: Failure): Failure {
  return { ...failure, message: `The location's proxy isn't usable. ${failure.message}` }
}

function credentialsOf(proxy: URL): Record<string, string> {
  const credentials = credentialsIn(proxy)
  if (!credentials) return {}
  return { 'proxy-authorization': basicAuth(credentials.username, credentials.password) }
}
