// What API checks and URL monitors share besides the run: their parts of a runner, and templates. Any status is a response; the
// judge decides what it means.
import type { Failure, Observation } from '@vedette/contracts'
import { renderRequest } from '@vedette/safeguards/template'
import type { HttpDetail } from './http-run.ts'
import type { CheckOf, JudgedAssertion, Rendered, Runner, Target, TemplateValues } from './runner.ts'

type HttpRequest = CheckOf<'API' | 'URL'>['request']

export const httpRunner = {
  uses: ['bodies', 'proxy', 'clientCertificates'],
  metrics({ responseTimeMs, detail }) {
    const phases = detail?.response?.timingPhases
    return {
      responseTime: responseTimeMs,
      wait: phases?.wait,
      dns: phases?.dns,
      tcp: phases?.tcp,
      firstByte: phases?.firstByte,
      download: phases?.download,
    }
  },
  target: (_request, detail) =>
    targetOfUrl(detail?.redirects?.at(-1)?.location ?? detail?.request?.url ?? ''),
  failureOf: statusFailure,
  statusCode: ({ response }) => response?.status,
  certificate: ({ tls }) => tls?.certificate,
} satisfies Omit<Runner<'API' | 'URL', HttpDetail>, 'type' | 'run'>

export function targetOfUrl(address: string): Target | null {
  if (!URL.canParse(address)) return null
  const url = new URL(address)
  return { host: url.hostname, port: Number(url.port) || (url.protocol === 'https:' ? 443 : 80) }
}

export function renderHttp<R extends HttpRequest>(
  request: R,
  { variables, groupBaseUrl, environmentUrl }: TemplateValues,
): Rendered<R> {
  const known = environmentUrl ? { ...variables, ENVIRONMENT_URL: environmentUrl } : variables
  const rendered = renderRequest(request, { variables: known, groupBaseUrl: groupBaseUrl ?? null })
  if (!rendered.ok) return { failure: rendered.failure }
  const { url } = rendered.request
  const ownUrl = environmentUrl ? withEnvironmentUrl(url, environmentUrl) : url
  return { request: { ...rendered.request, url: ownUrl }, undefinedText: rendered.undefinedText }
}

/** Keeps path and query. Credentials for one host aren't sent to another. */
function withEnvironmentUrl(text: string, environmentUrl: string): string {
  if (!URL.canParse(text) || !URL.canParse(environmentUrl)) return text
  const url = new URL(text)
  return `${new URL(environmentUrl).origin}${url.pathname}${url.search}${url.hash}`
}

/**
 * An HTTP status of 400 and above fails unless shouldFail is set.
 * choice: an assertion on the status doesn't replace this rule. The spec has such an exception for DNS; HTTP has shouldFail.
 */
function statusFailure(
  { shouldFail }: { shouldFail?: boolean },
  { subjects }: Observation,
  assertions: readonly JudgedAssertion[],
): Failure | null {
  const subject = subjects.STATUS_CODE
  if (shouldFail === true || subject?.kind !== 'number' || subject.value < 400) return null
  const isAsserted = assertions.some(({ source, error }) => source === 'STATUS_CODE' && error === undefined)
  const hint = isAsserted ? ' Set shouldFail if an error status is expected.' : ''
  return {
    kind: 'status',
    message: `Expected a status code below 400, but it was ${subject.value}.${hint}`,
    phase: 'judge',
    code: String(subject.value),
  }
}
