// The TLS connection failed: because of the certificate, or in the handshake.
import type { EvidenceRun } from '../evidence.ts'
import { artifacts, type Finding, type Proof, quote, type Rule, runProof, statement } from '../finding.ts'

type Certificate = NonNullable<NonNullable<NonNullable<EvidenceRun['facts']>['tls']>['certificate']>

export const certificateRule: Rule = ({ failing, passing }): Finding | null => {
  const { facts } = failing
  const failure = facts?.failure
  if (failure?.kind !== 'tls') return null
  const certificate = facts?.tls?.certificate ?? null
  const [before] = passing.flatMap((run) => {
    const earlier = run.facts?.tls?.certificate
    return earlier ? [{ run, certificate: earlier }] : []
  })
  if (certificate === null) return handshakeFailure(failing, failure)
  const codes = problemsOf(failing, certificate)
  const host = facts?.target?.host ?? 'the target'
  const seen = runProof(failing, artifacts.certificate, describeCertificate(certificate))
  const [first = '', ...others] = codes
  const statements: Finding['statements'] = [
    statement(causeOf(first, certificate, host, failure.message), seen),
    ...others.map((code) => statement(causeOf(code, certificate, host, failure.message), seen)),
  ]
  if (before) statements.push(compareCertificates(certificate, before, seen))
  const isDated = codes.includes('CERT_HAS_EXPIRED') || codes.includes('CERT_NOT_YET_VALID')
  return {
    // A certificate for another name may be a symptom: the connection reached another server.
    strength: isDated ? 95 : 82,
    classification: 'CERTIFICATE_ERROR',
    statements,
    codeFix: fixOf(codes, host),
    explainedBy: ['deployment', 'settings'],
  }
}

const selfSigned = 'DEPTH_ZERO_SELF_SIGNED_CERT'

/** All problems of the certificate, the most important first. TLS libraries report only the first one they find. */
function problemsOf({ facts, at }: EvidenceRun, certificate: Certificate): string[] {
  const reported = [
    ...(facts?.tls?.certificateErrors ?? []),
    facts?.tls?.certificateError ?? facts?.failure?.code ?? '',
  ]
  const isChain = reported.some(
    (code) => code.startsWith('UNABLE_TO_') || code === 'SELF_SIGNED_CERT_IN_CHAIN',
  )
  const all = new Set([
    ...reported.filter((code) => code !== ''),
    ...(Date.parse(certificate.validTo) < at ? ['CERT_HAS_EXPIRED'] : []),
    ...(Date.parse(certificate.validFrom) > at ? ['CERT_NOT_YET_VALID'] : []),
    ...(certificate.subject !== '' && certificate.subject === certificate.issuer && !isChain
      ? [selfSigned]
      : []),
  ])
  const rank = (code: string) => (ranked.includes(code) ? ranked.indexOf(code) : ranked.length)
  return [...all].sort((a, b) => rank(a) - rank(b))
}

const ranked = ['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', selfSigned, 'ERR_TLS_CERT_ALTNAME_INVALID']

function fixOf(codes: readonly string[], host: string): string {
  const isExpired = codes.includes('CERT_HAS_EXPIRED')
  const others = codes.filter((code) => code !== 'CERT_HAS_EXPIRED')
  if (codes.length === 1 && codes[0] !== undefined)
    return (
      fixes[codes[0]] ?? `Install a certificate for ${host} that is valid and issued by a trusted authority.`
    )
  const why = others.map((code) => obstacles[code] ?? "isn't trusted").join(' and ')
  return isExpired
    ? `Install a new certificate for ${host} from a trusted authority. Renewing this one alone won't help, because it ${why}.`
    : `Install a certificate for ${host} that is valid and issued by a trusted authority.`
}

const obstacles: Record<string, string> = {
  [selfSigned]: 'is self-signed',
  ERR_TLS_CERT_ALTNAME_INVALID: "isn't for this host",
}

function describeCertificate({ subject, issuer, altNames, validFrom, validTo }: Certificate): string {
  const names = altNames.length > 0 ? altNames.slice(0, 10).join(', ') : 'no names'
  return `certificate of ${subject} for ${names}, issued by ${issuer}, valid from ${validFrom} to ${validTo}`
}

function causeOf(code: string, certificate: Certificate, host: string, message: string): string {
  switch (code) {
    case 'CERT_HAS_EXPIRED':
      return `The certificate of ${host} expired on ${certificate.validTo}.`
    case 'CERT_NOT_YET_VALID':
      return `The certificate of ${host} isn't valid before ${certificate.validFrom}.`
    case 'ERR_TLS_CERT_ALTNAME_INVALID':
      return `The certificate isn't for ${host}, but for ${certificate.altNames.join(', ') || certificate.subject}.`
    case selfSigned:
      return `The certificate of ${host} is self-signed (issued by its own subject, ${certificate.subject}), so no client trusts it.`
    default:
      return `The certificate of ${host} isn't trusted: ${quote(message)}.`
  }
}

const fixes: Record<string, string> = {
  CERT_HAS_EXPIRED:
    "Renew the certificate, install it with its chain, and find out why it wasn't renewed automatically.",
  [selfSigned]:
    'Install a certificate that a trusted authority issued, or trust this one in the agent (NODE_EXTRA_CA_CERTS).',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'Install the whole chain: the intermediate certificates are missing.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'Install the whole chain, or a certificate that a trusted authority issued.',
}

function compareCertificates(
  now: Certificate,
  { run, certificate: earlier }: { run: EvidenceRun; certificate: Certificate },
  seen: Proof,
) {
  const shown = runProof(run, artifacts.certificate, describeCertificate(earlier))
  if (earlier.fingerprint256 === now.fingerprint256) {
    return statement('The check passed with the same certificate before.', seen, shown)
  }
  return statement(
    `The certificate was replaced: when the check last passed, the certificate was valid until ${earlier.validTo} and issued by ${earlier.issuer}.`,
    seen,
    shown,
  )
}

function handshakeFailure(
  failing: EvidenceRun,
  { code, message, address }: { code?: string | undefined; message: string; address?: string | undefined },
): Finding {
  const named = code === undefined ? '' : ` (${code})`
  return {
    strength: 80,
    classification: 'NETWORK_ERROR',
    statements: [
      statement(
        `The TLS handshake with ${address ?? 'the target'} failed${named} before the target presented a certificate.`,
        runProof(failing, artifacts.connection, quote(message)),
      ),
    ],
    codeFix:
      'Check the TLS settings of the server: its protocol versions and ciphers, and whether it supports TLS on this port.',
    explainedBy: ['deployment', 'settings'],
  }
}
