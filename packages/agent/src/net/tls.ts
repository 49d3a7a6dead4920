// The facts of a TLS connection, and whether its certificate is trusted.
import { createHash, type X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Failure } from '@vedette/contracts'

export type TlsFacts = ReturnType<typeof readTlsFacts>

type CertificateFacts = ReturnType<typeof parseCertificate>

export function readTlsFacts(socket: TLSSocket, certificate: X509Certificate | undefined, host: string) {
  const certificateError = certificateErrorOf(socket, certificate, host)
  return {
    protocol: socket.getProtocol(),
    cipher: socket.getCipher()?.standardName ?? null,
    alpn: socket.alpnProtocol || null,
    /** OpenSSL's name of the first problem; null: the certificate is trusted. */
    certificateError,
    /** All problems, since OpenSSL stops at the first. */
    certificateErrors: certificateErrorsOf(certificateError, certificate, host),
    certificate: certificate ? certificateFacts(certificate) : null,
  }
}

/** Whole days until expiry, negative afterwards; null: there is no certificate. */
export function daysRemaining(tls: TlsFacts, now: number): number | null {
  const end = Date.parse(tls.certificate?.validTo ?? '')
  return Number.isNaN(end) ? null : Math.floor((end - now) / 86_400_000)
}

export function certificateFailure(facts: TlsFacts, host: string, address: string): Failure | null {
  if (!facts.certificateError) return null
  const { certificate } = facts
  const problems = facts.certificateErrors.map(
    (code) => reasons[code]?.(certificate, host) ?? `isn't trusted (${code})`,
  )
  const summary = `The certificate ${[problems.slice(0, -1).join(', '), problems.at(-1)].filter(Boolean).join(' and ')}.`
  const shown = certificate
    ? ` Subject: ${certificate.subject || 'none'}; issuer: ${certificate.issuer || 'none'}; valid from ${dateText(certificate.validFrom)} to ${dateText(certificate.validTo)}.`
    : ''
  return {
    kind: 'tls',
    phase: 'tls',
    message: `${summary}${shown}`,
    address,
    code: facts.certificateError,
  }
}

/** `2026-11-15 12:00 UTC`. */
function dateText(iso: string): string {
  return Number.isNaN(Date.parse(iso)) ? iso : `${iso.slice(0, 16).replace('T', ' ')} UTC`
}

type Reason = (certificate: CertificateFacts | null, host: string) => string

const reasons: Record<string, Reason> = {
  CERT_HAS_EXPIRED: (certificate) => `expired on ${dateText(certificate?.validTo ?? '')}`,
  CERT_NOT_YET_VALID: (certificate) => `isn't valid before ${dateText(certificate?.validFrom ?? '')}`,
  DEPTH_ZERO_SELF_SIGNED_CERT: () => 'is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: () => "has a chain that ends in an authority that isn't trusted",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: () => "has an issuer that isn't trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: () => 'has an unknown issuer (the chain may be incomplete)',
  ERR_TLS_CERT_ALTNAME_INVALID: (certificate, host) =>
    `isn't for ${host} but for ${certificate?.altNames.join(', ') || certificate?.subject}`,
  CERT_REVOKED: () => 'has been revoked',
  NO_CERTIFICATE: () => 'is missing',
}

function certificateErrorOf(
  socket: TLSSocket,
  certificate: X509Certificate | undefined,
  host: string,
): string | null {
  // At run time it is a string, although its type is Error.
  if (!socket.authorized) return String(socket.authorizationError)
  if (!certificate) return 'NO_CERTIFICATE'
  return isFor(certificate, host) ? null : 'ERR_TLS_CERT_ALTNAME_INVALID'
}

function isFor(certificate: X509Certificate, host: string): boolean {
  const name = isIP(host)
    ? certificate.checkIP(host)
    : certificate.checkHost(host, { partialWildcards: false })
  return name !== undefined
}

/** Only a rejected certificate is checked for further problems. */
function certificateErrorsOf(
  first: string | null,
  certificate: X509Certificate | undefined,
  host: string,
): string[] {
  if (first === null || !certificate) return first === null ? [] : [first]
  const now = Date.now()
  const isSelfSigned = certificate.subject === certificate.issuer && !isChainError(first)
  const all: [string, boolean][] = [
    ['CERT_HAS_EXPIRED', Date.parse(certificate.validTo) < now],
    ['CERT_NOT_YET_VALID', Date.parse(certificate.validFrom) > now],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', isSelfSigned],
    ['ERR_TLS_CERT_ALTNAME_INVALID', !isFor(certificate, host)],
  ]
  return [...new Set([first, ...all.flatMap(([code, holds]) => (holds ? [code] : []))])]
}

const isChainError = (code: string) => code === 'SELF_SIGNED_CERT_IN_CHAIN' || code.startsWith('UNABLE_TO_')

/** By the digest of the chain: each run gets a new object for the same certificate, and reading it takes time. */
const knownFacts = new Map<string, Readonly<CertificateFacts>>()
const maxKnownFacts = 1_000

function certificateFacts(certificate: X509Certificate): CertificateFacts {
  const chainSha256 = digestChain(chainOf(certificate).map(({ fingerprint256 }) => fingerprint256))
  const known = knownFacts.get(chainSha256)
  if (known) return { ...known }
  const facts = parseCertificate(certificate, chainSha256)
  if (knownFacts.size >= maxKnownFacts) knownFacts.clear()
  knownFacts.set(chainSha256, facts)
  return { ...facts }
}

function parseCertificate(certificate: X509Certificate, chainSha256: string) {
  return {
    subject: certificate.subject?.replaceAll('\n', ', ') ?? '',
    issuer: certificate.issuer?.replaceAll('\n', ', ') ?? '',
    altNames: altNamesOf(certificate.subjectAltName ?? ''),
    validFrom: isoDate(certificate.validFrom),
    validTo: isoDate(certificate.validTo),
    fingerprint256: certificate.fingerprint256,
    serialNumber: certificate.serialNumber,
    /** Differs when any certificate of the chain does. */
    chainSha256,
  }
}

/** As the server sent it, its own certificate first. */
export function chainOf(peer: X509Certificate | undefined): X509Certificate[] {
  const chain: X509Certificate[] = []
  for (let next = peer; next; next = next.issuerCertificate) chain.push(next)
  return chain
}

export function digestChain(fingerprints: readonly string[]): string {
  return createHash('sha256').update(fingerprints.join()).digest('hex')
}

/** `DNS:a.test, IP Address:10.0.0.1`; names with special characters are quoted. */
export function altNamesOf(text: string): string[] {
  const entries = text.match(/(?:[^,"]|"(?:[^"\\]|\\.)*")+/g) ?? []
  return entries.map((entry) => entry.trim().replace(/^(DNS|IP Address):/, ''))
}

function isoDate(text: string): string {
  const time = Date.parse(text)
  return Number.isNaN(time) ? text : new Date(time).toISOString()
}
