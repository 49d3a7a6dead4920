// One TLS handshake, and what it shows: protocol, cipher, the chain that the server sent, whether that chain is trusted.
// No data is sent over the connection. Weak protocols and untrusted certificates are facts, not failures.
import type { X509Certificate } from 'node:crypto'
import type { Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Failure } from '@vedette/contracts'
import type { ClientCertificate } from '@vedette/safeguards/client-certificate'
import { certificateDetail, isSelfSigned } from './certificate-detail.ts'
import { deadline } from './deadline.ts'
import { type Attempt, type DialContext, dial, secure } from './dial.ts'
import { addressOf, failureOf } from './failure.ts'
import { ocspStatus } from './ocsp-status.ts'
import type { IpFamily } from './resolve.ts'
import { roundMs } from './timings.ts'
import { certificateFailure, chainOf, type TlsFacts } from './tls.ts'

export interface InspectTarget {
  hostname: string
  port: number
  ipFamily: IpFamily
  /** Sent as SNI and expected in the certificate; null: the hostname. */
  serverName: string | null
  /** Ignores problems that depend on the authority. */
  skipChainValidation: boolean
  /** For the TCP connection, and then again for the handshake. */
  timeoutMs: number
  clientCertificate: Pick<ClientCertificate, 'cert' | 'key' | 'ca' | 'passphrase'> | null
}

export type TlsInspection = NonNullable<ReturnType<typeof inspectionOf>['inspection']>

export interface InspectResult {
  /** Why there was no handshake. */
  failure: Failure | null
  /** Null: there was no handshake, or the server has no certificate. */
  inspection: TlsInspection | null
  /** The problems of the certificate that the check doesn't ignore; null: none. */
  certificateFailure: Failure | null
  ip: string | null
  tried: Attempt[]
}

export function notInspected(
  failure: Failure,
  ip: string | null = null,
  tried: Attempt[] = [],
): InspectResult {
  return { failure, inspection: null, certificateFailure: null, ip, tried }
}

export async function inspectTls(
  target: InspectTarget,
  context: DialContext & { now(): number },
): Promise<InspectResult> {
  const { hostname, port, ipFamily, timeoutMs } = target
  const connectLimit = deadline(context.signal, timeoutMs)
  const dialed = await dial(
    { host: hostname, port, ipFamily, attemptMs: timeoutMs / 3 },
    { ...context, signal: connectLimit.signal },
  )
  connectLimit.clear()
  const { ip, tried } = dialed
  if (dialed.failure) return notInspected(dialed.failure, ip, tried)
  const limit = deadline(context.signal, timeoutMs)
  try {
    const address = addressOf(dialed.ip, port)
    const handshake = await performHandshake(dialed.socket, target, address, limit.signal, context)
    if ('kind' in handshake) return notInspected(handshake, ip, tried)
    const { tls, inspection } = inspectionOf(handshake, context.now())
    const isRelevant = (error: string) => !target.skipChainValidation || independent.has(error)
    const relevant = withErrors(tls, tls.certificateErrors.filter(isRelevant))
    const problem = certificateFailure(relevant, target.serverName ?? hostname, address)
    return { failure: null, inspection, certificateFailure: problem, ip, tried }
  } finally {
    limit.clear()
    dialed.socket.destroy()
  }
}

async function performHandshake(
  raw: Socket,
  { hostname, serverName, clientCertificate }: InspectTarget,
  address: string,
  signal: AbortSignal,
  { monotonic }: DialContext,
) {
  const ocsp: { response: Buffer | null } = { response: null }
  const begun = monotonic()
  const secured = await secure(
    raw,
    serverName ?? hostname,
    {
      verify: false,
      acceptsWeak: true,
      clientCertificate,
      onOcspResponse: (response) => {
        ocsp.response = response
      },
    },
    signal,
    address,
  )
  if (secured.failure) return explainAlert(secured.failure)
  const { socket, tls, peer } = secured
  const handshakeTimeMs = roundMs(monotonic() - begun)
  /** As the server sent it; empty: the server has no certificate. */
  const chain = chainOf(peer)
  const refusal =
    tls.protocol === 'TLSv1.3' ? await lateRefusal(socket, handshakeTimeMs, address, signal) : null
  socket.destroy()
  if (refusal) return explainAlert(refusal)
  return { tls, chain, handshakeTimeMs, ocspResponse: ocsp.response }
}

/**
 * In TLS 1.3 a server rejects a client's certificate, or its absence, after the client has finished the handshake: its next
 * message is a session ticket, data or an alert. A server that sends nothing within two round trips has accepted.
 */
function lateRefusal(
  socket: TLSSocket,
  handshakeTimeMs: number,
  address: string,
  signal: AbortSignal,
): Promise<Failure | null> {
  return new Promise((settle) => {
    const done = (failure: Failure | null) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', accept)
      settle(failure)
    }
    const accept = () => done(null)
    const timer = setTimeout(accept, Math.min(Math.max(handshakeTimeMs * 2, 100), 2_000))
    signal.addEventListener('abort', accept, { once: true })
    socket.once('session', accept).once('data', accept).once('end', accept)
    socket.once('error', (error) => done(failureOf(error, 'tls', address)))
    socket.once('close', accept)
  })
}

/** OpenSSL's alert numbers mean little to a reader. */
function explainAlert(failure: Failure): Failure {
  const meaning = Object.entries(alerts).find(([part]) => failure.code?.includes(part))?.[1]
  return meaning === undefined ? failure : { ...failure, message: `${meaning} (${failure.code}).` }
}

const alerts: Record<string, string> = {
  CERTIFICATE_REQUIRED: "The server requires a client certificate and didn't get one",
  ALERT_BAD_CERTIFICATE: 'The server rejected the client certificate',
  ALERT_UNKNOWN_CA: "The server doesn't trust the authority of the client certificate",
  ALERT_CERTIFICATE_EXPIRED: 'The server rejected the client certificate because it has expired',
  ALERT_HANDSHAKE_FAILURE:
    'The server ended the handshake: it shares no cipher suite with this agent, or requires a client certificate',
  WRONG_VERSION_NUMBER: "The server doesn't speak TLS on this port",
  UNRECOGNIZED_NAME: "The server doesn't know the server name",
  UNSUPPORTED_PROTOCOL: 'The server and this agent share no TLS version',
}

type Handshake = Exclude<Awaited<ReturnType<typeof performHandshake>>, Failure>

function inspectionOf({ tls: negotiated, chain, handshakeTimeMs, ocspResponse }: Handshake, now: number) {
  const revocation = ocspResponse && ocspStatus(ocspResponse)
  const errors = negotiated.certificateErrors
  const tls = revocation === 'revoked' ? withErrors(negotiated, [...errors, 'CERT_REVOKED']) : negotiated
  const details = chain.map((certificate) => certificateDetail(certificate, now))
  const [leaf] = chain
  const [certificate] = details
  if (!leaf || !certificate) return { tls, inspection: null }
  const inspection = {
    /** TLS1.0 to TLS1.3. */
    protocol: tls.protocol?.replace('TLSv', 'TLS').replace(/^TLS1$/, 'TLS1.0') ?? '',
    /** IANA's name. */
    cipherSuite: tls.cipher ?? '',
    handshakeTimeMs,
    hostnameVerified: !tls.certificateErrors.includes('ERR_TLS_CERT_ALTNAME_INVALID'),
    ...trustOf(tls, chain),
    ocspStapled: ocspResponse !== null,
    ocspStatus: revocation,
    ocspMustStaple: leaf.raw.includes(extensionIds.tlsFeature),
    sctPresent: leaf.raw.includes(extensionIds.signedTimestamps),
    certificate: { ...certificate, issuerFingerprintSha256: issuerFingerprint(chain) },
    chain: details,
  }
  return { tls, inspection }
}

function withErrors(tls: TlsFacts, certificateErrors: string[]): TlsFacts {
  return { ...tls, certificateErrors, certificateError: certificateErrors[0] ?? null }
}

/** DER of 1.3.6.1.5.5.7.1.24 and 1.3.6.1.4.1.11129.2.4.2. */
const extensionIds = {
  tlsFeature: Buffer.from('06082b06010505070118', 'hex'),
  signedTimestamps: Buffer.from('060a2b06010401d679020402', 'hex'),
}

function issuerFingerprint([leaf, ...others]: X509Certificate[]): string | null {
  if (!leaf) return null
  const issuer = isSelfSigned(leaf) ? leaf : others.find((other) => leaf.checkIssued(other))
  return issuer?.fingerprint256 ?? null
}

function trustOf({ certificateErrors }: TlsFacts, chain: X509Certificate[]) {
  const [code = null] = certificateErrors.filter((error) => error !== 'ERR_TLS_CERT_ALTNAME_INVALID')
  const missing = code !== null && isIssuerUnknown(code) ? missingIntermediate(chain) : null
  const reason = missing === null ? (trustReasons[code ?? ''] ?? 'INVALID_CHAIN') : 'INCOMPLETE_CHAIN'
  return {
    chainTrusted: code === null,
    chainTrustReason: code === null ? null : reason,
    /** OpenSSL's name of the problem. */
    chainTrustDetail: code,
    incompleteChain: missing !== null,
    /** The name of the issuer that the server didn't send. */
    missingIntermediate: missing,
  }
}

const trustReasons: Record<string, string> = {
  CERT_HAS_EXPIRED: 'EXPIRED',
  CERT_NOT_YET_VALID: 'NOT_YET_VALID',
  CERT_REVOKED: 'REVOKED',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'SELF_SIGNED',
  SELF_SIGNED_CERT_IN_CHAIN: 'UNKNOWN_AUTHORITY',
  UNABLE_TO_GET_ISSUER_CERT: 'UNKNOWN_AUTHORITY',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'UNKNOWN_AUTHORITY',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'UNKNOWN_AUTHORITY',
}

const isIssuerUnknown = (code: string) => code.startsWith('UNABLE_TO_')

/**
 * A missing intermediate looks like an unknown authority. The difference: certificates of public authorities have a URL of
 * their issuer's certificate.
 */
function missingIntermediate(chain: X509Certificate[]): string | null {
  const last = chain.at(-1)
  if (!last || isSelfSigned(last) || !/CA Issuers/.test(last.infoAccess ?? '')) return null
  return certificateDetail(last, 0).issuerCN || last.issuer.replaceAll('\n', ', ')
}

/** Errors that don't depend on the authority: validity and name. */
const independent = new Set([
  'CERT_HAS_EXPIRED',
  'CERT_NOT_YET_VALID',
  'ERR_TLS_CERT_ALTNAME_INVALID',
  'NO_CERTIFICATE',
])
