// A connection through a location's proxy: a CONNECT tunnel to https targets, absolute URLs for http ones.
import { isIP, type Socket } from 'node:net'
import type { Failure } from '@vedette/contracts'
import { basicAuth, credentialsIn } from './basic-auth.ts'
import {
  type DialContext,
  type Dialled,
  type DialTarget,
  dial,
  refusal,
  requestOver,
  secure,
} from './dial.ts'
import { addressOf, failureOf, failureOfAbort, isFailure } from './failure.ts'

export interface ProxiedDial {
  dialled: Dialled
  /** To be added to a request that goes to the proxy itself, which is then addressed by its absolute URL. */
  proxyHeaders: Record<string, string> | null
}

/**
 * The proxy's own address passes the agent's rules. The target's name is resolved by the proxy, out of our sight:
 * only targets given as addresses can be checked here.
 */
export async function dialThrough(
  proxyUrl: string,
  target: DialTarget,
  context: DialContext,
): Promise<ProxiedDial> {
  const proxy = URL.canParse(proxyUrl) ? new URL(proxyUrl) : null
  if (!proxy || !/^https?:$/.test(proxy.protocol)) return failed(badProxy)
  const host = target.host.replace(/^\[(.*)\]$/, '$1')
  const reason = isIP(host) ? context.network.refusalOf(host) : null
  if (reason) return failed(refusal(addressOf(host, target.port), reason))
  const isHttps = proxy.protocol === 'https:'
  const dialled = await dial(
    {
      host: proxy.hostname,
      port: Number(proxy.port) || (isHttps ? 443 : 80),
      ipFamily: target.ipFamily,
      ...(isHttps && { tls: { verify: true, alpn: ['http/1.1'] } }),
    },
    context,
  )
  const proxyHeaders = credentialsOf(proxy)
  if (dialled.failure) return { dialled: tellProxy(dialled), proxyHeaders: null }
  // How the proxy itself was reached is no fact of the target.
  delete dialled.marks.secureConnect
  if (!target.tls) return { dialled: { ...dialled, tls: null }, proxyHeaders }
  return { dialled: await tunnel(dialled, target, proxyHeaders, context), proxyHeaders: null }
}

async function tunnel(
  dialled: Dialled & { failure: null },
  target: DialTarget,
  headers: Record<string, string>,
  context: DialContext,
): Promise<Dialled> {
  const { marks, tried, ip } = dialled
  const fail = (failure: Failure, tls = dialled.tls): Dialled => {
    return { failure, socket: null, ip, marks, tried, tls }
  }
  const address = `${target.host}:${target.port}`
  const opened = await openTunnel(dialled.socket, address, headers, context.signal)
  if (isFailure(opened)) return fail(opened, null)
  marks.connect = context.monotonic()
  if (!target.tls) return { ...dialled, socket: opened }
  const secured = await secure(opened, target.host, target.tls, context.signal, address)
  if (secured.failure) {
    dialled.socket.destroy()
    return fail(secured.failure, secured.tls)
  }
  marks.secureConnect = context.monotonic()
  secured.socket.once('close', () => dialled.socket.destroy())
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
      if (statusCode < 200 || statusCode > 299) return done(refused(statusCode, statusMessage, authority))
      if (head.length > 0) socket.unshift(head)
      done(socket)
    })
    if (signal.aborted) onAbort()
    else request.end()
  })
}

function refused(status: number, reason: string, authority: string): Failure {
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

function tellProxy(dialled: Dialled & { socket: null }): Dialled {
  const { failure } = dialled
  return { ...dialled, failure: viaProxy(failure) }
}

function viaProxy(failure: Failure): Failure {
  return { ...failure, message: `The location's proxy isn't usable. ${failure.message}` }
}

function failed(failure: Failure): ProxiedDial {
  const dialled: Dialled = { failure, socket: null, ip: null, marks: {}, tried: [], tls: null }
  return { dialled, proxyHeaders: null }
}

function credentialsOf(proxy: URL): Record<string, string> {
  const credentials = credentialsIn(proxy)
  if (!credentials) return {}
  return { 'proxy-authorization': basicAuth(credentials.username, credentials.password) }
}
