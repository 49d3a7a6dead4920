// API checks and URL monitors: the run, which sends the request and follows redirects, and what they share besides. Any status is a
// response; the judge decides what it means.
import type { Failure, Observation, Subject } from '@vedette/contracts'
import { renderRequest } from '@vedette/safeguards/template'
import { agentWaits } from '../core/agent-waits.ts'
import { parseJson } from '../core/parse-json.ts'
import { hideCredentials } from '../net/basic-auth.ts'
import { smallBodyBytes } from '../net/body-budget.ts'
import { deadline } from '../net/deadline.ts'
import { isFailure } from '../net/failure.ts'
import { isBinary, isJson, maxBodyBytes, type StoredBody, textOf, toStoredBody } from '../net/http-body.ts'
import type { ResponseHead } from '../net/http-exchange.ts'
import { failedHop, followHops, type Hop, type HopSettings, type Redirect } from '../net/http-hops.ts'
import { buildRequest, type OutgoingRequest, type RequestSettings } from '../net/http-request.ts'
import { breakdownOf, roundMs, wirePhases, wireTimings } from '../net/timings.ts'
import { daysRemaining } from '../net/tls.ts'
import type {
  CheckOf,
  JudgedAssertion,
  Rendered,
  RunContext,
  Runner,
  Target,
  TemplateValues,
} from './runner.ts'

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

export interface HttpSettings extends RequestSettings, HopSettings {
  assertions: readonly { source: string }[]
}

export type HttpDetail = ReturnType<typeof observationOf>['detail']

const limitMs = 30_000

/** Timings start with the run: after redirects, `wait` is the time of the hops before the last one. */
export async function runHttp(settings: HttpSettings, context: RunContext) {
  const { clock } = context
  const start = clock.monotonic()
  const waits = context.waits ?? agentWaits(() => clock.monotonic())
  const waitedBeforeMs = waits.totalMs
  const limit = deadline(context.signal, limitMs, waits)
  const request = buildRequest(settings, context.userAgent)
  const redirects: Redirect[] = []
  const last = isFailure(request)
    ? failedHop(hideCredentials(settings.url), request)
    : await followHops(
        request,
        settings,
        {
          ...context,
          signal: limit.signal,
          monotonic: () => clock.monotonic(),
          waits,
          // Without an assertion on it, only the stored part of a body is needed.
          keepBytes: asserts(settings, 'TEXT_BODY', 'JSON_BODY') ? maxBodyBytes : smallBodyBytes,
        },
        redirects,
      )
  limit.clear()
  const sent = isFailure(request) ? null : request
  const agentWaitMs = waits.totalMs - waitedBeforeMs
  return observationOf(settings, sent, last, { start, now: clock.now(), redirects, agentWaitMs })
}

function asserts({ assertions }: HttpSettings, ...sources: string[]): boolean {
  return assertions.some(({ source }) => sources.includes(source))
}

function observationOf(
  settings: HttpSettings,
  sent: OutgoingRequest | null,
  hop: Hop,
  progress: { start: number; now: number; redirects: Redirect[]; agentWaitMs: number },
) {
  const { start, now, redirects, agentWaitMs } = progress
  const { exchanged, failure, marks } = hop
  const { tls } = hop.dialed
  const contentType = exchanged?.head?.headers['content-type'] ?? ''
  const wantsText = asserts(settings, 'TEXT_BODY')
  const isText = exchanged !== null && (wantsText || !isBinary(contentType))
  // A large body is decoded by the judge, on another thread.
  const isSmall = exchanged !== null && exchanged.body.length <= smallBodyBytes
  const text = isText && isSmall ? textOf(exchanged.body, contentType) : null
  const stored = exchanged && toStoredBody(exchanged, text, contentType, wantsText)
  const responseTimeMs = failure || marks.end === undefined ? null : roundMs(marks.end - start)
  return {
    responseTimeMs,
    failure,
    detail: {
      request: describeRequest(settings, sent),
      response: exchanged?.head && stored ? describeResponse(exchanged.head, stored, hop, start) : null,
      requestError: failure?.message ?? null,
      ...hop.dialed,
      tls: tls && { ...tls, daysRemaining: daysRemaining(tls, now) },
      breakdown: breakdownOf(marks, agentWaitMs),
      redirects,
    },
    subjects:
      failure || !exchanged?.head
        ? {}
        : {
            ...subjectsOf(exchanged.head, responseTimeMs),
            ...(isText && bodySubjects(exchanged.body, text, contentType)),
          },
  }
}

function describeRequest(settings: HttpSettings, sent: OutgoingRequest | null) {
  const params: Record<string, string | string[]> = {}
  for (const { key, value } of settings.queryParameters) {
    const known = Object.hasOwn(params, key) ? params[key] : undefined
    params[key] = known === undefined ? value : [known, value].flat()
  }
  return {
    method: settings.method,
    url: hideCredentials(settings.url),
    data: sent?.body ?? '',
    headers: sent?.headers ?? {},
    params,
  }
}

function describeResponse(head: ResponseHead, stored: StoredBody, hop: Hop, start: number) {
  const timings = wireTimings(start, hop.marks)
  return {
    status: head.status,
    statusText: head.statusText,
    ...stored,
    href: hop.href,
    headers: head.headers,
    timings,
    timingPhases: wirePhases(timings),
  }
}

function subjectsOf(head: ResponseHead, responseTimeMs: number | null): Record<string, Subject> {
  const values: Record<string, string> = {}
  for (const name in head.headers) {
    const value = head.headers[name] ?? ''
    values[name] = typeof value === 'string' ? value : value.join(', ')
  }
  const subjects: Record<string, Subject> = {
    STATUS_CODE: { kind: 'number', value: head.status },
    HEADERS: { kind: 'named', values },
  }
  if (responseTimeMs !== null) subjects.RESPONSE_TIME = { kind: 'number', value: responseTimeMs }
  return subjects
}

function bodySubjects(bytes: Buffer, text: string | null, contentType: string): Record<string, Subject> {
  if (text === null) {
    const undecoded = { kind: 'undecoded', bytes, contentType } as const
    return {
      TEXT_BODY: { ...undecoded, as: 'text' },
      ...(isJson(contentType) && { JSON_BODY: { ...undecoded, as: 'json' } }),
    }
  }
  const json = isJson(contentType) ? parseJson(text) : undefined
  return {
    TEXT_BODY: { kind: 'text', value: text },
    ...(json !== undefined && { JSON_BODY: { kind: 'json', value: json } }),
  }
}
