// Checks with OpenSSL that a client certificate works before it is stored.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import type { FieldIssue } from '@vedette/contracts'
import { derivationIsBounded } from './key-derivation.ts'

export interface CertificateParts {
  cert: string
  ca: string | null
  key: string
  passphrase: string | null
}

export function clientCertificateIssues({ cert, ca, key, passphrase }: CertificateParts): FieldIssue[] {
  const issues: FieldIssue[] = []
  const own = readCertificates(cert)
  if (own === null)
    issues.push({ path: ['cert'], message: 'must be one or more certificates as PEM, and nothing else' })
  if (ca !== null && readCertificates(ca) === null) {
    issues.push({ path: ['ca'], message: 'must be one or more certificates as PEM, and nothing else' })
  }
  const opened = readPrivateKey(key, passphrase)
  if ('issue' in opened) issues.push(opened.issue)
  else if (own !== null && !belongTogether(own, opened.privateKey)) {
    issues.push({ path: ['key'], message: "isn't the key of the certificate" })
  }
  return issues
}

/** Null unless every block is a certificate: a private key in here would be shown to every reader. */
function readCertificates(pem: string): X509Certificate[] | null {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  if (blocks.length === 0 || blocks.length !== pem.split('-----BEGIN').length - 1) return null
  try {
    return blocks.map((block) => new X509Certificate(block))
  } catch {
    return null
  }
}

function readPrivateKey(
  pem: string,
  passphrase: string | null,
): { privateKey: KeyObject } | { issue: FieldIssue } {
  const isEncrypted = /^-----BEGIN ENCRYPTED|^Proc-Type: 4,ENCRYPTED/m.test(pem)
  if (isEncrypted && !passphrase) {
    return { issue: { path: ['passphrase'], message: 'is required: the key is encrypted' } }
  }
  if (!derivationIsBounded(pem)) {
    return {
      issue: {
        path: ['key'],
        message: 'takes too long to decrypt: encrypt it with at most 1000000 iterations',
      },
    }
  }
  try {
    return { privateKey: createPrivateKey({ key: pem, format: 'pem', passphrase: passphrase ?? '' }) }
  } catch {
    return isEncrypted
      ? { issue: { path: ['passphrase'], message: 'does not open the key' } }
      : { issue: { path: ['key'], message: 'must be a private key as PEM' } }
  }
}

function belongTogether([first]: X509Certificate[], privateKey: KeyObject): boolean {
  try {
    return first?.checkPrivateKey(privateKey) === true
  } catch {
    return false
  }
}
