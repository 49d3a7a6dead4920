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
    const size =
      asymmetricKeyDetails?.modulusLength ?? keySizes[asymmetricKeyDetails?.namedCurve ?? asymmetricKeyType]
    return {
      keyAlgorithm: keyNames[asymmetricKeyType] ?? asymmetricKeyType.toUpperCase(),
      keySizeBits: size ?? null,
    }
  } catch {
    // OpenSSL doesn't know the algorithm.
    return { keyAlgorithm: 'UNKNOWN', keySizeBits: null }
  }
}

const keyNames: Record<string, string> = { ec: 'ECDSA', ed25519: 'Ed25519', ed448: 'Ed448', 'rsa-pss': 'RSA' }

/** By curve, as OpenSSL names it, and by key type. */
const keySizes: Record<string, number> = {
  prime192v1: 192,
  secp224r1: 224,
  prime256v1: 256,
  secp256k1: 256,
  brainpoolP256r1: 256,
  secp384r1: 384,
  brainpoolP384r1: 384,
  secp521r1: 521,
  brainpoolP512r1: 512,
  ed25519: 256,
  ed448: 456,
}

const oneLine = (name: string | undefined) => name?.replaceAll('\n', ', ') ?? ''

function commonName(name: string | undefined): string {
  return /(?:^|\n)CN=(.*)/.exec(name ?? '')?.[1] ?? ''
}
