// An SSL monitor's run: one TLS handshake. A certificate that isn't trusted fails the run when it is judged, so that the
// result has all of the evidence.
import type { Failure, Subject } from '@vedette/contracts'
import { type ClientCertificate, certificateFor } from '@vedette/safeguards/client-certificate'
import { type InspectResult, inspectTls, notInspected, type TlsInspection } from '../net/inspect-tls.ts'
import { digestChain } from '../net/tls.ts'
import { type BaselineResult, evaluateBaseline } from '../net/tls-baseline.ts'
import type { CheckOf, RunContext, Runner } from './runner.ts'

type SslSettings = CheckOf<'SSL'>['request']

export type SslDetail = Awaited<ReturnType<typeof runSsl>>['detail']

type TlsFindings = TlsInspection & { resolvedIp: string | null; securityBaseline: BaselineResult | null }

export const sslMonitor = {
  type: 'SSL',
  run: runSsl,
  uses: ['clientCertificates'],
  metrics({ responseTimeMs, detail }) {
    const response = detail?.response
    const percent = (isTrue: boolean | undefined) => (isTrue === undefined ? null : isTrue ? 100 : 0)
    return {
      handshakeTimeMs: responseTimeMs,
      // An expired certificate has no days left; metrics aren't negative.
      daysUntilExpiry: response && Math.max(0, response.certificate.daysUntilExpiry),
      keySizeBits: response?.certificate.keySizeBits,
      tlsVersion: response && Number(response.protocol.replace('TLS', '')),
      hostnameVerified: percent(response?.hostnameVerified),
      chainTrusted: percent(response?.chainTrusted),
      ocspStapled: percent(response?.ocspStapled),
      baselineVerdict:
        response?.securityBaseline && { pass: 2, warn: 1, fail: 0 }[response.securityBaseline.verdict],
    }
  },
  target: ({ sslConfig }) => ({ host: sslConfig.hostname, port: sslConfig.port }),
  failureOf: (_check, { detail }) => detail?.certificateFailure ?? baselineFailure(detail, 'fail'),
  warningOf: (_check, { detail }) => expiresSoon(detail) ?? baselineFailure(detail, 'degrade'),
  certificate: ({ response }) =>
    response && {
      subject: response.certificate.subject,
      issuer: response.certificate.issuer,
      validTo: response.certificate.notAfter,
      chainSha256: digestChain(response.chain.map(({ fingerprintSha256 }) => fingerprintSha256)),
    },
} satisfies Runner<'SSL', SslDetail>

async function runSsl(settings: SslSettings, context: RunContext) {
  const { clock } = context
  const { sslConfig } = settings
  const clientCertificate = clientCertificateOf(settings, context.clientCertificates ?? [])
  const { inspection, failure, ip, tried, certificateFailure }: InspectResult =
    clientCertificate === 'missing'
      ? notInspected(noClientCertificate)
      : await inspectTls(
          { ...sslConfig, timeoutMs: sslConfig.handshakeTimeoutMs, clientCertificate },
          { ...context, monotonic: clock.monotonic, now: clock.now },
        )
  const securityBaseline = inspection && evaluateBaseline(sslConfig.securityBaseline, inspection)
  const response = inspection && { ...inspection, resolvedIp: ip, securityBaseline }
  return {
    responseTimeMs: inspection?.handshakeTimeMs ?? null,
    failure,
    detail: {
      request: sslConfig,
      response,
      tlsVersion: inspection?.protocol ?? null,
      cipherSuite: inspection?.cipherSuite ?? null,
      daysUntilExpiry: inspection?.certificate.daysUntilExpiry ?? null,
      handshakeTimeMs: inspection?.handshakeTimeMs ?? null,
      chainTrusted: inspection?.chainTrusted ?? null,
      hostnameVerified: inspection?.hostnameVerified ?? null,
      baselineVerdict: securityBaseline?.verdict ?? null,
      baselineGrade: securityBaseline?.grade ?? null,
      failureCategory: categoryOf(failure, certificateFailure, response),
      certificateFailure,
      requestError: failure?.message ?? null,
      tried,
    },
    subjects: response ? subjectsOf(response) : {},
  }
}

/** Null: none is needed. `missing`: the account doesn't have the check's certificate. */
function clientCertificateOf(
  { sslConfig, sslClientCertificateId: id }: SslSettings,
  certificates: readonly ClientCertificate[],
): ClientCertificate | null | 'missing' {
  if (sslConfig.clientCertificateMode === 'auto' || id === null)
    return certificateFor(sslConfig.hostname, certificates)
  return certificates.find((certificate) => certificate.id === id) ?? 'missing'
}

const noClientCertificate: Failure = {
  kind: 'tls',
  message: 'The client certificate of this check (sslClientCertificateId) does not exist.',
  phase: 'setup',
  code: 'CLIENT_CERTIFICATE_NOT_FOUND',
}

function expiresSoon(detail: SslDetail | null): Failure | null {
  const days = detail?.daysUntilExpiry ?? null
  if (detail === null || days === null || days > detail.request.alertDaysBeforeExpiry) return null
  const end = detail.response?.certificate.notAfter.slice(0, 10)
  const left = days === 1 ? '1 day' : `${days} days`
  return {
    kind: 'tls',
    message: `The certificate expires in ${left}, on ${end} (alertDaysBeforeExpiry: ${detail.request.alertDaysBeforeExpiry}).`,
    phase: 'judge',
    code: 'CERT_EXPIRES_SOON',
  }
}

function baselineFailure(detail: SslDetail | null, severity: 'fail' | 'degrade'): Failure | null {
  const findings =
    detail?.response?.securityBaseline?.findings.filter((finding) => finding.severity === severity) ?? []
  if (findings.length === 0) return null
  const message = `The security baseline isn't met. ${findings.map((finding) => finding.message).join(' ')}`
  return { kind: 'tls', message, phase: 'judge', code: 'SECURITY_BASELINE' }
}

function categoryOf(
  failure: Failure | null,
  certificateFailure: Failure | null,
  response: TlsFindings | null,
): string | null {
  if (failure)
    return /CERTIFICATE/.test(failure.code ?? '') ? 'CLIENT_CERTIFICATE' : failure.kind.toUpperCase()
  if (certificateFailure?.code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'HOSTNAME_MISMATCH'
  if (certificateFailure) return response?.chainTrustReason ?? 'INVALID_CHAIN'
  return response?.securityBaseline?.verdict === 'fail' ? 'SECURITY_BASELINE' : null
}

function subjectsOf(response: TlsFindings): Record<string, Subject> {
  const { certificate, protocol, cipherSuite, hostnameVerified, chainTrusted, ocspStapled } = response
  const { ocspStatus, resolvedIp } = response
  return {
    CERTIFICATE: namedSubject({ ...certificate, sans: certificate.sans.join(', ') }),
    CONNECTION: namedSubject({
      tlsVersion: protocol,
      cipherSuite,
      hostnameVerified,
      chainTrusted,
      ocspStapled,
      ocspStatus,
      resolvedIp,
    }),
    RESPONSE_TIME: { kind: 'number', value: response.handshakeTimeMs },
    JSON_RESPONSE: { kind: 'json', value: response },
    TEXT_RESPONSE: { kind: 'text', value: JSON.stringify(response) },
  }
}

function namedSubject(values: Record<string, string | number | boolean | null>): Subject {
  const known = Object.entries(values).flatMap(([name, value]) =>
    value === null ? [] : [[name, typeof value === 'boolean' ? String(value) : value] as const],
  )
  return { kind: 'named', values: Object.fromEntries(known) }
}
