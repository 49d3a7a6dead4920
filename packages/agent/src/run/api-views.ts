// The request and response of an API check as scripts see them, and how their changes apply.
import type { Observation, Subject } from '@vedette/contracts'
import type { HttpDetail } from '../checks/http-run.ts'
import type { NetworkCheck } from '../checks/runner.ts'
import { parseJson } from '../core/parse-json.ts'
import { cutText, isJson, maxStoredBytes } from '../net/http-body.ts'
import { sizeOf } from '../sandbox/child/passed-values.ts'
import { scriptLimits } from '../sandbox/limits.ts'
import type { Pair, RequestView, ResponseView } from '../sandbox/messages.ts'

export type ApiRequest = Extract<NetworkCheck, { checkType: 'API' }>['request']

const pairOf = ({ key, value }: { key: string; value: string }): Pair => [key, value]
const settingOf = ([key, value]: Pair) => ({ key, value, locked: false })

export function requestView({ method, url, body, headers, queryParameters }: ApiRequest): RequestView {
  return {
    method,
    url,
    body,
    headers: headers.map(pairOf),
    queryParameters: queryParameters.map(pairOf),
  }
}

export function settingsOf(view: RequestView, { bodyType }: ApiRequest): Partial<ApiRequest> {
  const { method, url, body } = view
  return {
    method: method as ApiRequest['method'],
    url,
    body,
    // A body that a script adds is sent unchanged.
    bodyType: bodyType === 'NONE' && body !== '' ? 'RAW' : bodyType,
    headers: view.headers.map(settingOf),
    queryParameters: view.queryParameters.map(settingOf),
  }
}

/** The request that was sent. */
export function sentView(detail: HttpDetail | null): RequestView | null {
  if (!detail?.request) return null
  const { method, url, data, headers, params } = detail.request
  const view = { method, url, body: data, headers: pairsOf(headers), queryParameters: pairsOf(params) }
  return sizeOf(view) > scriptLimits.maxPassedBytes ? { ...view, body: '' } : view
}

function pairsOf(values: Record<string, string | string[]>): Pair[] {
  return Object.entries(values).flatMap(([name, value]) => [value].flat().map((one): Pair => [name, one]))
}

export function responseView({ detail, subjects }: Observation<HttpDetail | null>): ResponseView | null {
  const response = detail?.response
  if (!response) return null
  const { status, statusText, headers, timings, timingPhases } = response
  const text = subjects.TEXT_BODY?.kind === 'text' ? subjects.TEXT_BODY.value : response.body
  const body = cutText(text, scriptLimits.maxPassedBytes)
  return { statusCode: status, statusText, body, headers, timings, timingPhases }
}

export function withBody(
  observation: Observation<HttpDetail | null>,
  body: string,
): Observation<HttpDetail | null> {
  const { detail, subjects } = observation
  if (!detail?.response) return observation
  const { bodyEncoding: _dropped, ...response } = detail.response
  const stored = cutText(body, maxStoredBytes)
  const { JSON_BODY: _before, ...others } = subjects
  const json = isJson(String(response.headers['content-type'] ?? '')) ? parseJson(body) : undefined
  const asserted: Record<string, Subject> = {
    ...others,
    TEXT_BODY: { kind: 'text', value: body },
    ...(json !== undefined && { JSON_BODY: { kind: 'json', value: json } as const }),
  }
  return {
    ...observation,
    detail: { ...detail, response: { ...response, body: stored, truncated: stored.length < body.length } },
    // After a failure there is nothing to assert, whatever a script sets.
    subjects: observation.failure ? subjects : asserted,
  }
}
