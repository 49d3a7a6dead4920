// The run of API checks and URL monitors: sends the request and follows redirects.
import type { Subject } from '@vedette/contracts'
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
import type { RunContext } from './runner.ts'

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
