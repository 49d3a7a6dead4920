// The agent's only door to the network. In: a host, a port and the agent's rules; out: an open connection with the
// times of its making, or why there is none. It connects to the very address it checked, never to a name.
import { createHash, type X509Certificate } from 'node:crypto'
import { type ClientRequest, type RequestOptions, request } from 'node:http'
import { type ClientHttp2Session, connect as connectHttp2 } from 'node:http2'
import { connect as connectTcp, isIP, type Socket } from 'node:net'
import {
  connect as connectTls,
  createSecureContext,
  type DetailedPeerCertificate,
  getCACertificates,
  type SecureContext,
  type SecureVersion,
  type TLSSocket,
} from 'node:tls'
import type { Failure } from '@vedette/contracts'
import type { NetworkPolicy } from '@vedette/safeguards/address-policy'
import type { ClientCertificate } from './client-certificate.ts'
import { addressOf, failureOf, failureOfAbort, isFailure } from './failure.ts'
import { type IpFamily, type Lookup, resolveHost } from './resolve.ts'
import type { DialMarks } from './timings.ts'
import { certificateFailure, readTlsFacts, type TlsFacts } from './tls.ts'

export interface DialTarget {
  host: string
  port: number
  ipFamily: IpFamily
  /** Absent: plain TCP. */
  tls?: TlsOptions
  /** For an address that is not the last to try: one that never answers must not eat the whole run. */
  attemptMs?: number
}

export interface TlsOptions {
  /** Off: the connection is used whatever its certificate, and the facts tell what is wrong with it. */
  verify: boolean
  alpn?: string[]
  minVersion?: SecureVersion
  clientCertificate?: Pick<ClientCertificate, 'cert' | 'key' | 'ca' | 'passphrase'> | null
  /** Trusted besides the usual authorities, as PEM. */
  ca?: string | null
  /** Offers everything that OpenSSL can speak, so that an outdated server is inspected instead of refused. */
  acceptsWeak?: boolean
  /** Asks for a stapled OCSP response. Called before the handshake ends, with null where the server sends none. */
  onOcspResponse?(response: Buffer | null): void
}

export interface DialContext {
  network: NetworkPolicy
  /** How names are resolved; absent: by the agent's own queries. */
  lookup?: Lookup
  signal: AbortSignal
  monotonic(): number
}

export interface Tried {
  address: string
  /** Null: this one answered. */
  failure: Failure | null
}

/** `failure` null means that `socket` is there, and the caller's to destroy. */
export type Dialled = { marks: Partial<DialMarks>; tried: Tried[]; tls: TlsFacts | null } & (
  | { failure: null; socket: Socket; ip: string }
  | { failure: Failure; socket: null; ip: string | null }
)

export async function dial(target: DialTarget, context: DialContext): Promise<Dialled> {
  const { signal, monotonic } = context
  const marks: Partial<DialMarks> = { socket: monotonic() }
  const tried: Tried[] = []
  const fail = (failure: Failure, ip: string | null = null, tls: TlsFacts | null = null): Dialled => {
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
  tried: Tried[],
) {
  let last: Failure | null = null
  for (const [index, ip] of ips.entries()) {
    const address = addressOf(ip, port)
    const reason = context.network.refusalOf(ip, port)
    const outcome = reason
      ? refusal(address, reason)
      : await connectOne(ip, port, context.signal, index < ips.length - 1 ? attemptMs : null)
    const failure = isFailure(outcome) ? outcome : null
    tried.push({ address, failure })
    if (!isFailure(outcome)) return { ip, socket: outcome }
    // A real attempt says more than a refusal to make one.
    if (!last || outcome.kind !== 'blocked') last = outcome
    if (context.signal.aborted) break
  }
  return last ?? failureOf(new Error('no address to connect to'), 'connect')
}

export function refusal(address: string, reason: string): Failure {
  const message = `${address} is ${reason}, and this agent doesn't connect to it.`
  return { kind: 'blocked', message, phase: 'connect', address, code: 'BLOCKED_ADDRESS' }
}

function connectOne(ip: string, port: number, signal: AbortSignal, limitMs: number | null) {
  const address = addressOf(ip, port)
  return new Promise<Socket | Failure>((settle) => {
    const socket = connectTcp({ host: ip, port, noDelay: true, autoSelectFamily: false })
    // Stays: a connection that breaks while nobody looks must not end the process.
    socket.on('error', (error) => done(failureOf(error, 'connect', address)))
    socket.once('connect', () => done(socket))
    const onAbort = () => done(failureOfAbort(signal, 'connect', address))
    signal.addEventListener('abort', onAbort, { once: true })
    const timer = limitMs === null ? null : setTimeout(() => done(timedOut(address)), limitMs)
    function done(outcome: Socket | Failure) {
      if (timer) clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
      if (outcome !== socket) socket.destroy()
      settle(outcome)
    }
    if (signal.aborted) onAbort()
  })
}

function timedOut(address: string): Failure {
  return {
    kind: 'timeout',
    message: `The connection to ${address} timed out.`,
    phase: 'connect',
    address,
    code: 'ETIMEDOUT',
  }
}

type Secured =
  | { failure: null; socket: TLSSocket; tls: TlsFacts; peer: X509Certificate | undefined }
  | { failure: Failure; tls: TlsFacts | null }

/** Makes a connection a TLS one; a failed handshake takes the connection with it. */
export function secure(
  raw: Socket,
  host: string,
  options: TlsOptions,
  signal: AbortSignal,
  address: string,
): Promise<Secured> {
  const name = host.replace(/^\[(.*)\]$/, '$1')
  return new Promise((settle) => {
    let socket: TLSSocket | null = null
    const done = (outcome: Secured) => {
      signal.removeEventListener('abort', onAbort)
      raw.removeListener('close', onClose)
      if (outcome.failure) (socket ?? raw).destroy()
      settle(outcome)
    }
    const fail = (failure: Failure, tls: TlsFacts | null = null) => done({ failure, tls })
    const onAbort = () => fail(failureOfAbort(signal, 'tls', address))
    const onClose = () =>
      fail(failureOf(Object.assign(new Error('closed'), { code: 'ECONNRESET' }), 'tls', address))
    if (signal.aborted) return onAbort()
    try {
      // We verify ourselves, afterwards, to know the certificate's facts even when it is refused.
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
    // Node would read it for a check of its own that is ours here: a sixth of a run's CPU time.
    tlsSocket.getPeerCertificate = () => ({}) as DetailedPeerCertificate
    signal.addEventListener('abort', onAbort, { once: true })
    raw.once('close', onClose)
    tlsSocket.on('error', (error) => fail(failureOf(error, 'tls', address)))
    if (options.onOcspResponse) tlsSocket.once('OCSPResponse', options.onOcspResponse)
    tlsSocket.once('secureConnect', () => {
      // getPeerCertificate() costs half a millisecond more. Node gives the chain to the first call only.
      const peer = tlsSocket.getPeerX509Certificate()
      const tls = readTlsFacts(tlsSocket, peer, name)
      const failure = options.verify ? certificateFailure(tls, name, address) : null
      if (failure) fail(failure, tls)
      else done({ failure: null, socket: tlsSocket, tls, peer })
    })
  })
}

// Making a context costs milliseconds and megabytes; runs with the same certificate share one.
const contexts = new Map<string, SecureContext>()
const maxContexts = 64

// Level 0 allows TLS 1.0, SHA-1 signatures and short keys.
const weakOffer = {
  minVersion: 'TLSv1',
  ciphers:
    'TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256:TLS_AES_128_CCM_SHA256:' +
    'ALL:!aNULL:!eNULL:!PSK:!SRP:@SECLEVEL=0',
} as const

function secureContextFor({ minVersion, clientCertificate, ca, acceptsWeak }: TlsOptions): SecureContext {
  const { cert, key, passphrase } = clientCertificate ?? {}
  const extra = [ca, clientCertificate?.ca].filter((pem) => typeof pem === 'string' && pem !== '') as string[]
  const parts = [minVersion, acceptsWeak === true, cert, key, passphrase, ...extra]
  const id = createHash('sha256').update(JSON.stringify(parts)).digest('base64')
  const known = contexts.get(id)
  if (known) return known
  const context = createSecureContext({
    ...(acceptsWeak && weakOffer),
    ...(minVersion && { minVersion }),
    ...(cert && { cert, key, ...(passphrase && { passphrase }) }),
    ...(extra.length > 0 && { ca: [...getCACertificates('default'), ...extra] }),
  })
  const oldest = contexts.size >= maxContexts ? contexts.keys().next().value : undefined
  if (oldest !== undefined) contexts.delete(oldest)
  contexts.set(id, context)
  return context
}

/** An HTTP request over a connection that was dialled: it can not open another one. */
export function requestOver(
  socket: Socket,
  options: Pick<RequestOptions, 'method' | 'path' | 'headers' | 'maxHeaderSize' | 'setDefaultHeaders'>,
): ClientRequest {
  return request({ ...options, createConnection: () => socket })
}

/** An HTTP/2 session over a connection that was dialled; like requestOver(), it can't open another one. */
export function http2Over(socket: Socket): ClientHttp2Session {
  // Each request names its own scheme and authority.
  return connectHttp2('http://dialled', {
    createConnection: () => socket,
    settings: { enablePush: false, initialWindowSize: 256 * 1024, maxHeaderListSize: 65_536 },
  })
}
