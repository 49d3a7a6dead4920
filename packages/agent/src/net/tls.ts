// What a TLS connection shows of itself, and whether it is who it should be.
import type { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import type { TLSSocket } from 'node:tls'
import type { Failure } from '@vedette/contracts'

export interface TlsFacts {
  protocol: string | null
  cipher: string | null
  alpn: string | null
  /** OpenSSL's name for what is wrong with the certificate; null when it is trusted. */
  certificateError: string | null
  certificate: CertificateFacts | null
}

interface CertificateFacts {
  subject: string
  issuer: string
  altNames: string[]
  validFrom: string
  validTo: string
  fingerprint256: string
  serialNumber: string
}

export function readTlsFacts(socket: TLSSocket, host: string): TlsFacts {
  // getPeerCertificate() costs half a millisecond more.
  const certificate = socket.getPeerX509Certificate()
  return {
    protocol: socket.getProtocol(),
    cipher: socket.getCipher()?.standardName ?? null,
    alpn: socket.alpnProtocol || null,
    certificateError: certificateErrorOf(socket, certificate, host),
    certificate: certificate ? certificateFacts(certificate) : null,
  }
}

/** Whole days until it ends, below zero once it has; null: there is no certificate. */
export function daysRemaining(tls: TlsFacts, now: number): number | null {
  const end = Date.parse(tls.certificate?.validTo ?? '')
  return Number.isNaN(end) ? null : Math.floor((end - now) / 86_400_000)
}

export function certificateFailure(facts: TlsFacts, host: string, address: string): Failure | null {
  if (!facts.certificateError) return null
  const reason = reasons[facts.certificateError]?.(facts.certificate, host)
  const message = reason ?? `the certificate is not trusted: ${facts.certificateError}`
  return { kind: 'tls', phase: 'tls', message, address, code: facts.certificateError }
}

type Reason = (certificate: CertificateFacts | null, host: string) => string

const reasons: Record<string, Reason> = {
  CERT_HAS_EXPIRED: (certificate) => `the certificate expired on ${certificate?.validTo}`,
  CERT_NOT_YET_VALID: (certificate) => `the certificate is not valid before ${certificate?.validFrom}`,
  DEPTH_ZERO_SELF_SIGNED_CERT: () => 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: () => 'the certificate chain ends in an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: () => "the certificate's issuer is not trusted",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: () => "the certificate's issuer is not known: the chain may be incomplete",
  ERR_TLS_CERT_ALTNAME_INVALID: (certificate, host) =>
    `the certificate is not for ${host} but for ${certificate?.altNames.join(', ') || certificate?.subject}`,
}

function certificateErrorOf(
  socket: TLSSocket,
  certificate: X509Certificate | undefined,
  host: string,
): string | null {
  // A string at run time, whatever its type says.
  if (!socket.authorized) return String(socket.authorizationError)
  if (!certificate) return 'NO_CERTIFICATE'
  const matches = isIP(host)
    ? certificate.checkIP(host)
    : certificate.checkHost(host, { partialWildcards: false })
  return matches ? null : 'ERR_TLS_CERT_ALTNAME_INVALID'
}

function certificateFacts(certificate: X509Certificate): CertificateFacts {
  return {
    subject: certificate.subject?.replaceAll('\n', ', ') ?? '',
    issuer: certificate.issuer?.replaceAll('\n', ', ') ?? '',
    altNames: altNamesOf(certificate.subjectAltName ?? ''),
    validFrom: isoDate(certificate.validFrom),
    validTo: isoDate(certificate.validTo),
    fingerprint256: certificate.fingerprint256,
    serialNumber: certificate.serialNumber,
  }
}

/** `DNS:a.test, IP Address:10.0.0.1`; a name with odd characters comes quoted. */
function altNamesOf(text: string): string[] {
  const entries = text.match(/(?:[^,"]|"(?:[^"\\]|\\.)*")+/g) ?? []
  return entries.map((entry) => entry.trim().replace(/^(DNS|IP Address):/, ''))
}

function isoDate(text: string): string {
  const time = Date.parse(text)
  return Number.isNaN(time) ? text : new Date(time).toISOString()
}
