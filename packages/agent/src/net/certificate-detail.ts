// A certificate as SSL monitors report it.
import type { X509Certificate } from 'node:crypto'
import { altNamesOf } from './tls.ts'

export type CertificateDetail = ReturnType<typeof certificateDetail>

export function certificateDetail(certificate: X509Certificate, now: number) {
  return {
    subject: oneLine(certificate.subject),
    subjectCN: commonName(certificate.subject),
    issuer: oneLine(certificate.issuer),
    issuerCN: commonName(certificate.issuer),
    serialNumber: certificate.serialNumber,
    sans: altNamesOf(certificate.subjectAltName ?? ''),
    notBefore: certificate.validFromDate.toISOString(),
    notAfter: certificate.validToDate.toISOString(),
    /** Whole days, negative once the certificate has expired. */
    daysUntilExpiry: Math.floor((certificate.validToDate.getTime() - now) / 86_400_000),
    ...keyOf(certificate),
    /** OpenSSL's name, as `sha256WithRSAEncryption` and `ecdsa-with-SHA256`. */
    signatureAlgorithm: certificate.signatureAlgorithm ?? certificate.signatureAlgorithmOid,
    fingerprintSha256: certificate.fingerprint256,
    selfSigned: isSelfSigned(certificate),
    isCA: certificate.ca,
  }
}

export function isSelfSigned(certificate: X509Certificate): boolean {
  return certificate.checkIssued(certificate)
}

/** The algorithm is RSA, ECDSA, Ed25519, …. */
function keyOf(certificate: X509Certificate): { keyAlgorithm: string; keySizeBits: number | null } {
  try {
    const { asymmetricKeyType = '', asymmetricKeyDetails } = certificate.publicKey
    const { modulusLength, namedCurve = '' } = asymmetricKeyDetails ?? {}
    // OpenSSL's names of curves have their size: prime256v1, brainpoolP384r1.
    const [curveSize] = /\d{3}/.exec(namedCurve) ?? []
    return {
      keyAlgorithm: keyNames[asymmetricKeyType] ?? asymmetricKeyType.toUpperCase(),
      keySizeBits: modulusLength ?? keySizes[asymmetricKeyType] ?? (curveSize ? Number(curveSize) : null),
    }
  } catch {
    // OpenSSL doesn't know the algorithm.
    return { keyAlgorithm: 'UNKNOWN', keySizeBits: null }
  }
}

const keyNames: Record<string, string> = { ec: 'ECDSA', ed25519: 'Ed25519', ed448: 'Ed448', 'rsa-pss': 'RSA' }

const keySizes: Record<string, number> = { ed25519: 256, ed448: 456 }

const oneLine = (name: string | undefined) => name?.replaceAll('\n', ', ') ?? ''

function commonName(name: string | undefined): string {
  return /(?:^|\n)CN=(.*)/.exec(name ?? '')?.[1] ?? ''
}
