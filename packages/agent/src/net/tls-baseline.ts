// The security baseline of SSL monitors: rules about protocol, key, signature and cipher, each with a severity.
import type { Check } from '@vedette/contracts'
import type { CertificateDetail } from './certificate-detail.ts'
import type { TlsInspection } from './inspect-tls.ts'

export type SecurityBaseline = Extract<
  Check,
  { checkType: 'SSL' }
>['request']['sslConfig']['securityBaseline']

export type BaselineFacts = Pick<
  TlsInspection,
  'protocol' | 'cipherSuite' | 'chain' | 'ocspStapled' | 'ocspMustStaple' | 'sctPresent'
>

interface BaselineFinding {
  rule: Exclude<keyof SecurityBaseline, 'enabled'>
  severity: SecurityBaseline['sctPresent']['severity']
  message: string
}

export interface BaselineResult {
  verdict: 'pass' | 'warn' | 'fail'
  grade: 'A-' | 'B' | 'F'
  findings: BaselineFinding[]
}

/** Null: the baseline is disabled. */
export function evaluateBaseline(baseline: SecurityBaseline, facts: BaselineFacts): BaselineResult | null {
  if (!baseline.enabled) return null
  const findings = violations(baseline, facts)
  if (findings.some(({ severity }) => severity === 'fail')) return { verdict: 'fail', grade: 'F', findings }
  if (findings.some(({ severity }) => severity === 'degrade'))
    return { verdict: 'warn', grade: 'B', findings }
  return { verdict: 'pass', grade: 'A-', findings }
}

function violations(baseline: SecurityBaseline, facts: BaselineFacts): BaselineFinding[] {
  const { protocol, cipherSuite, chain } = facts
  const [leaf] = chain
  const strength = leaf ? rsaStrengthOf(leaf) : null
  const key = `${leaf?.keyAlgorithm} ${leaf?.keySizeBits}-bit`
  const isShorter = (bits: number) => strength !== null && strength < bits
  // No client verifies the signature of a root.
  const weakSigned = chain.find((certificate) => !certificate.selfSigned && isWeakSignature(certificate))
  const badAuthority = badAuthorityIn(chain)
  // False: the rule is met.
  const messages: Record<BaselineFinding['rule'], string | false> = {
    minTLSVersion:
      isOlder(protocol, baseline.minTLSVersion.value) &&
      `The server negotiated ${protocol}, older than the minimum ${baseline.minTLSVersion.value}.`,
    minKeySizeBits:
      isShorter(baseline.minKeySizeBits.value) &&
      `The certificate's key (${key}) is weaker than the minimum of ${baseline.minKeySizeBits.value} bits.`,
    weakSignatureAlgorithm:
      weakSigned !== undefined &&
      `The certificate of ${weakSigned.subjectCN || weakSigned.subject} is signed with the weak algorithm ${weakSigned.signatureAlgorithm}.`,
    weakCipherSuite:
      isWeakCipher(cipherSuite) && `The server negotiated the weak cipher suite ${cipherSuite}.`,
    knownBadCA:
      badAuthority !== undefined && `The chain contains ${badAuthority}, which browsers have distrusted.`,
    recommendedTLSVersion:
      isOlder(protocol, baseline.recommendedTLSVersion.value) &&
      `The server negotiated ${protocol}; ${baseline.recommendedTLSVersion.value} is recommended.`,
    recommendedKeySizeBits:
      isShorter(baseline.recommendedKeySizeBits.value) &&
      `The certificate's key (${key}) is weaker than the recommended ${baseline.recommendedKeySizeBits.value} bits.`,
    ocspMustStapleRespected:
      facts.ocspMustStaple &&
      !facts.ocspStapled &&
      'The certificate requires a stapled OCSP response, but the server sent none.',
    sctPresent: !facts.sctPresent && 'The certificate has no signed certificate timestamp.',
  }
  return ruleNames.flatMap((rule) => {
    const message = messages[rule]
    return message === false ? [] : { rule, severity: baseline[rule].severity, message }
  })
}

const ruleNames = [
  'minTLSVersion',
  'minKeySizeBits',
  'weakSignatureAlgorithm',
  'weakCipherSuite',
  'knownBadCA',
  'recommendedTLSVersion',
  'recommendedKeySizeBits',
  'ocspMustStapleRespected',
  'sctPresent',
] as const satisfies BaselineFinding['rule'][]

/** `TLS1.0` to `TLS1.3` sort as text. */
const isOlder = (version: string, minimum: string) => version < minimum

/** RSA bits of the same strength: NIST SP 800-57 part 1, table 2. */
function rsaStrengthOf({ keyAlgorithm, keySizeBits }: CertificateDetail): number | null {
  if (keySizeBits === null || !isElliptic(keyAlgorithm)) return keySizeBits
  if (keySizeBits >= 512) return 15_360
  if (keySizeBits >= 384) return 7_680
  if (keySizeBits >= 256) return 3_072
  return keySizeBits >= 224 ? 2_048 : 1_024
}

const isElliptic = (algorithm: string) => /^(ECDSA|Ed25519|Ed448)$/.test(algorithm)

function isWeakSignature({ signatureAlgorithm }: CertificateDetail): boolean {
  return /md[245]|sha-?1(?!\d)/i.test(signatureAlgorithm)
}

/** Broken or short ciphers, and key exchanges without forward secrecy. Takes IANA names. */
function isWeakCipher(suite: string): boolean {
  return /_(NULL|EXPORT|anon|RC2|RC4|DES|DES40|3DES|IDEA|SEED)_|_MD5$|^TLS_(RSA|DH|ECDH)_/.test(suite)
}

/** Authorities that browsers removed for misconduct, by a part of their name. */
const badAuthorities = [
  'DigiNotar',
  'WoSign',
  'StartCom',
  'CNNIC',
  'TURKTRUST',
  'TrustCor',
  'Camerfirma',
  'E-Tugra',
  'Certinomis',
  'PROCERT',
  'Superfish',
  'eDellRoot',
]

function badAuthorityIn(chain: readonly CertificateDetail[]): string | undefined {
  const names = chain.flatMap(({ issuer, subject, isCA }) => (isCA ? [issuer, subject] : [issuer]))
  const bad = badAuthorities.map((name) => name.toLowerCase())
  return names.find((name) => bad.some((part) => name.toLowerCase().includes(part)))
}
