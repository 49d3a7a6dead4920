// TLS did not come about: the certificate itself, or the handshake before it.
import type { EvidenceRun } from '../evidence.ts'
import { artifacts, type Finding, type Proof, quoted, type Rule, shows, statement } from '../finding.ts'

type Certificate = NonNullable<NonNullable<NonNullable<EvidenceRun['facts']>['tls']>['certificate']>

export const certificateRule: Rule = ({ failing, passing }): Finding | null => {
  const { facts } = failing
  const failure = facts?.failure
  if (failure?.kind !== 'tls') return null
  const certificate = facts?.tls?.certificate ?? null
  const before = passing.find((run) => run.facts?.tls?.certificate)
  if (certificate === null) return handshake(failing, failure)
  const code = facts?.tls?.certificateError ?? failure.code ?? ''
  const host = facts?.target?.host ?? 'the target'
  const seen = shows(failing, artifacts.certificate, told(certificate))
  const statements: Finding['statements'] = [
    statement(causeOf(code, certificate, host, failure.message), seen),
  ]
  if (before) statements.push(compared(certificate, before, seen))
  return {
    // A certificate for another name may only show that the connection went elsewhere.
    strength: code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID' ? 95 : 82,
    classification: 'CERTIFICATE_ERROR',
    statements,
    codeFix:
      fixes[code] ?? `Install a certificate for ${host} that is valid and issued by a trusted authority.`,
    explainedBy: ['deployment', 'settings'],
  }
}

function told({ subject, issuer, altNames, validFrom, validTo }: Certificate): string {
  const names = altNames.length > 0 ? altNames.slice(0, 10).join(', ') : 'no names'
  return `certificate of ${subject} for ${names}, issued by ${issuer}, valid from ${validFrom} to ${validTo}`
}

function causeOf(code: string, certificate: Certificate, host: string, message: string): string {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return `The certificate of ${host} expired on ${certificate.validTo}.`
    case 'CERT_NOT_YET_VALID':
      return `The certificate of ${host} is not valid before ${certificate.validFrom}.`
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `The certificate is not for ${host}, but for ${certificate.altNames.join(', ') || certificate.subject}.`
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
      return `The certificate of ${host} is self-signed.`
    default:
      return `The certificate of ${host} is not trusted: ${quoted(message)}.`
  }
}

const fixes: Record<string, string> = {
  CERT_HAS_EXPIRED:
    'Renew the certificate, install it with its chain, and look why it was not renewed by itself.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'Install the whole chain: the certificates between it and the authority are missing.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'Install the whole chain, or a certificate of an authority that is trusted.',
}

function compared(now: Certificate, run: EvidenceRun, seen: Proof) {
  const earlier = run.facts?.tls?.certificate as Certificate
  const shown = shows(run, artifacts.certificate, told(earlier))
  if (earlier.fingerprint256 === now.fingerprint256) {
    return statement('It is the same certificate with which the check passed before.', seen, shown)
  }
  return statement(
    `The certificate was replaced: when the check passed last, it was one valid to ${earlier.validTo}, issued by ${earlier.issuer}.`,
    seen,
    shown,
  )
}

function handshake(
  failing: EvidenceRun,
  { code, message, address }: { code?: string | undefined; message: string; address?: string | undefined },
): Finding {
  const named = code === undefined ? '' : ` (${code})`
  return {
    strength: 80,
    classification: 'NETWORK_ERROR',
    statements: [
      statement(
        `The TLS handshake with ${address ?? 'the target'} failed${named}, before a certificate was shown.`,
        shows(failing, artifacts.connection, quoted(message)),
      ),
    ],
    codeFix:
      'Look at the TLS settings of what listens there: protocol versions, ciphers, and whether it speaks TLS at all.',
    explainedBy: ['deployment', 'settings'],
  }
}
