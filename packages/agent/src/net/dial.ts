// The only egress point of the agent. Resolves a host, checks each address against the address policy, and connects to the
// address that it checked, never to a name. Returns the connection with its timings, or the failure.
import { createHash, type X509Certificate } from 'node:crypto'
import { type ClientRequest, type RequestOptions, request } from 'node:http'
import type { ClientHttp2Session } from 'node:http2'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import {
  connect as connectTls,
  createSecureContext,
  type DetailedPeerCertificate,
  getCACertificates,
  type SecureContext,
  type TLSSocket,
} from 'node:tls'
import type { Failure } from '@vedette/contracts'
import type { NetworkPolicy } from '@vedette/safeguards/address-policy'
import type { ClientCertificate } from '@vedette/safeguards/client-certificate'
import { addressOf, connectionClosed, failureOf, failureOfAbort, isFailure, systemError } from './failure.ts'
import { type IpFamily, type Lookup, resolveHost } from './resolve.ts'
import { stripBrackets } from './split-server.ts'
import type { DialMarks } from './timings.ts'
import { certificateFailure, readTlsFacts, type TlsFacts } from './tls.ts'

export interface DialTarget {
  host: string
  port: number
  ipFamily: IpFamily
  /** Absent: plain TCP. */
  tls?: TlsOptions
  /** For every address but the last: one that never responds must not use up the time of the run. */
  attemptMs?: number
}

export interface TlsOptions {
  /** False: a bad certificate doesn't fail the connection; the facts list what is wrong with it. */
  verify: boolean
  alpn?: string[]
  /** Its authority is trusted besides the default ones. */
  clientCertificate?: Pick<ClientCertificate, 'cert' | 'key' | 'ca' | 'passphrase'> | null
  /** Offers every version and cipher of OpenSSL, so that outdated servers can be inspected. */
  acceptsWeak?: boolean
  /** Requests a stapled OCSP response. Called before the handshake ends, with null if the server sends none. */
  onOcspResponse?(response: Buffer | null): void
}

export interface DialContext {
  network: NetworkPolicy
  /** How names are resolved; absent: by the agent's own queries. */
  lookup?: Lookup
  signal: AbortSignal
  monotonic(): number
}

export interface Attempt {
  address: string
  /** Null: the connection succeeded. */
  failure: Failure | null
}

/** The caller destroys `socket`. */
export type DialResult = { marks: Partial<DialMarks>; tried: Attempt[]; tls: TlsFacts | null } & (
  | { failure: null; socket: Socket; ip: string }
  | { failure: Failure; socket: null; ip: string | null }
)

/** Without an attempt. */
export function failedDial(failure: Failure): DialResult {
  return { failure, socket: null, ip: null, marks: {}, tried: [], tls: null }
}

export async function dial(target: DialTarget, context: DialContext): Promise<DialResult> {
  const { signal, monotonic } = context
  const marks: Partial<DialMarks> = { socket: monotonic() }
  const tried: Attempt[] = []
  const fail = (failure: Failure, ip: string | null = null, tls: TlsFacts | null = null): DialResult => {
    return { failure, socket: null, ip, marks, tried, tls }
  }
  if (signal.aborted) return fail(failureOfAbort(signal, 'connect'))
  const resolved = await resolveHost(target.host, target.ipFamily, signal, context.lookup)
  if (isFailure(resolved)) return fail(resolved)
  marks.lookup = monotonic()
  const connected = await connectAny(resolved, target, context, tried)
  if (isFailure(connected)) return fail(connected)
  marks.connect = monotonic()
  const { ip, socket } = connected
  if (!target.tls) return { failure: null, socket, ip, marks, tried, tls: null }
  const secured = await secure(socket, target.host, target.tls, signal, addressOf(ip, target.port))
  if (secured.failure) return fail(secured.failure, ip, secured.tls)
  marks.secureConnect = monotonic()
  return { failure: null, socket: secured.socket, ip, marks, tried, tls: secured.tls }
}

async function connectAny(
  ips: string[],
  { port, attemptMs = 5_000 }: DialTarget,
  context: DialContext,
  tried: Attempt[],
) {
  let last: Failure | null = null
  for (const ip of ips) {
    const address = addressOf(ip, port)
    const reason = context.network.refusalOf(ip, port)
    const outcome = reason
      ? refusal(address, reason)
      : await connectOne(ip, port, context.signal, ip === ips.at(-1) ? null : attemptMs)
    const failure = isFailure(outcome) ? outcome : null
    tried.push({ address, failure })
    if (!isFailure(outcome)) return { ip, socket: outcome }
    // The failure of a real attempt is more useful than a refusal.
    if (!last || outcome.kind !== 'blocked') last = outcome
    if (context.signal.aborted) break
  }
  return last ?? failureOf(new Error('there is no address to connect to'), 'connect')
}

export function refusal(address: string, reason: string): Failure {
  const message = `${address} is ${reason}, and this agent doesn't connect to it.`
  return { kind: 'blocked', message, phase: 'connect', address, code: 'BLOCKED_ADDRESS' }
}

/** The first address that the policy allows. */
export function firstAllowed(addresses: readonly string[], network: NetworkPolicy): string | Failure {
  const [first = ''] = addresses
  const allowed = addresses.find((ip) => network.refusalOf(ip) === null)
  return allowed ?? refusal(first, network.refusalOf(first) ?? '')
}

function connectOne(ip: string, port: number, signal: AbortSignal, limitMs: number | null) {
  const address = addressOf(ip, port)
  return new Promise<Socket | Failure>((settle) => {
    const socket = connectTcp({ host: ip, port, noDelay: true, autoSelectFamily: false })
    // Never removed: an error without a listener would end the process.
    socket.on('error', (error) => done(failureOf(error, 'connect', address)))
    socket.on('connect', () => done(socket))
    const onAbort = () => done(failureOfAbort(signal, 'connect', address))
    signal.addEventListener('abort', onAbort, { once: true })
    const timeOut = () => done(failureOf(systemError('ETIMEDOUT'), 'connect', address))
    const timer = limitMs === null ? null : setTimeout(timeOut, limitMs)
    function done(outcome: Socket | Failure) {
      if (timer) clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      if (outcome !== socket) socket.destroy()
      settle(outcome)
    }
    if (signal.aborted) onAbort()
  })
}

type TlsResult =
  | { failure: null; socket: TLSSocket; tls: TlsFacts; peer: X509Certificate | undefined }
  | { failure: Failure; tls: TlsFacts | null }

/** Starts TLS on a connection. A failed handshake destroys the connection. */
export function secure(
  raw: Socket,
  host: string,
  options: TlsOptions,
  signal: AbortSignal,
  address: string,
): Promise<TlsResult> {
  const name = stripBrackets(host)
  return new Promise((settle) => {
    let socket: TLSSocket | null = null
    const done = (outcome: TlsResult) => {
      signal.removeEventListener('abort', onAbort)
      raw.removeListener('close', onClose)
      if (outcome.failure) (socket ?? raw).destroy()
      settle(outcome)
    }
    const fail = (failure: Failure, tls: TlsFacts | null = null) => done({ failure, tls })
    const onAbort = () => fail(failureOfAbort(signal, 'tls', address))
    const onClose = () => fail(failureOf(connectionClosed(), 'tls', address))
    if (signal.aborted) return onAbort()
    try {
      // The certificate is verified after the handshake, so that its facts are known even if it is rejected.
      socket = connectTls({
        socket: raw,
        servername: isIP(name) ? '' : name,
        ALPNProtocols: options.alpn ?? [],
        secureContext: secureContextFor(options),
        rejectUnauthorized: false,
        checkServerIdentity: () => undefined,
        requestOCSP: options.onOcspResponse !== undefined,
      })
    } catch (error) {
      return fail(failureOf(error, 'tls', address))
    }
    const tlsSocket = socket
    // Node calls it for its own verification, which isn't used here and takes a sixth of a run's CPU time.
    tlsSocket.getPeerCertificate = () => ({}) as DetailedPeerCertificate
    signal.addEventListener('abort', onAbort, { once: true })
    raw.once('close', onClose)
    tlsSocket.on('error', (error) => fail(failureOf(error, 'tls', address)))
    if (options.onOcspResponse) tlsSocket.once('OCSPResponse', options.onOcspResponse)
    tlsSocket.once('secureConnect', () => {
      // getPeerCertificate() takes half a millisecond more. Only the first call returns the chain.
      const peer = tlsSocket.getPeerX509Certificate()
      const tls = readTlsFacts(tlsSocket, peer, name)
      const failure = options.verify ? certificateFailure(tls, name, address) : null
      if (failure) fail(failure, tls)
      else done({ failure: null, socket: tlsSocket, tls, peer })
    })
  })
}

// A context takes milliseconds and megabytes, so runs with the same certificate share one.
const contexts = new Map<string, SecureContext>()
const maxContexts = 64

// Level 0 allows TLS 1.0, SHA-1 signatures and short keys.
const weakOffer = {
  minVersion: 'TLSv1',
  ciphers:
    'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256:TLS_AES_128_CCM_SHA256:' +
    'ALL:!aNULL:!eNULL:!PSK:!SRP:@SECLEVEL=0',
} as const

function secureContextFor({ clientCertificate, acceptsWeak = false }: TlsOptions): SecureContext {
  const { cert, key, passphrase, ca } = clientCertificate ?? {}
  const parts = [acceptsWeak, cert, key, passphrase, ca]
  const id = !(acceptsWeak || cert || ca)
    ? 'usual'
    : createHash('sha256').update(JSON.stringify(parts)).digest('base64')
  const known = contexts.get(id)
  if (known) return known
  const context = createSecureContext({
    ...(acceptsWeak && weakOffer),
    ...(cert && { cert, key, ...(passphrase && { passphrase }) }),
    ...(ca && { ca: [...getCACertificates('default'), ca] }),
  })
  const oldest = contexts.size >= maxContexts ? contexts.keys().next().value : undefined
  if (oldest !== undefined) contexts.delete(oldest)
  contexts.set(id, context)
  return context
}

/** An HTTP request over a dialed connection. It cannot open another one. */
export function requestOver(
  socket: Socket,
  options: Pick<RequestOptions, 'method' | 'path' | 'headers' | 'maxHeaderSize' | 'setDefaultHeaders'>,
): ClientRequest {
  return request({ ...options, createConnection: () => socket })
}

/** An HTTP/2 session over a dialed connection. It cannot open another one. */
export function http2Over(socket: Socket): ClientHttp2Session {
  // Loaded on first use: it takes 4 MB, which an agent without gRPC monitors doesn't need.
  const { connect } = process.getBuiltinModule('node:http2')
  // Each request has its own scheme and authority.
  return connect('http://dialed', {
    createConnection: () => socket,
    settings: { enablePush: false, initialWindowSize: 256 * 1024, maxHeaderListSize: 65_536 },
  })
}
