// The evidence of a run as the API shows it, under the name of its type.
import { ApiCheckResult, type CheckResult, type CheckType, NetworkCheckResult } from '@vedette/contracts'
import type { z } from 'zod'
import { fitting, type ResultDetail, valuesOf } from './result-detail.ts'
import { codeResults, isCodeResult, type ResultFile } from './serialize-code-result.ts'

type Evidence = Pick<
  z.output<typeof CheckResult>,
  | 'apiCheckResult'
  | 'tcpCheckResult'
  | 'dnsCheckResult'
  | 'icmpCheckResult'
  | 'browserCheckResult'
  | 'multiStepCheckResult'
  | 'agenticCheckResult'
  | 'playwrightCheckResult'
>

const nothing: Evidence = {
  apiCheckResult: null,
  tcpCheckResult: null,
  dnsCheckResult: null,
  icmpCheckResult: null,
  browserCheckResult: null,
  multiStepCheckResult: null,
  agenticCheckResult: null,
  playwrightCheckResult: null,
}

/** `files`: what a run of code left; null: nobody follows links. */
export function serializeEvidence(
  type: CheckType,
  detail: ResultDetail | null,
  files: readonly ResultFile[] | null = null,
): Evidence {
  if (detail === null) return nothing
  if (isCodeResult(type)) {
    const { name, serialize } = codeResults[type]
    return { ...nothing, [name]: serialize(detail, files) }
  }
  if (type === 'API' || type === 'URL') {
    return { ...nothing, apiCheckResult: serializeHttp(detail) }
  }
  const name = networkNames[type]
  return name === undefined ? nothing : { ...nothing, [name]: serializeNetwork(detail) }
}

const networkNames: { [T in CheckType]?: keyof Evidence } = {
  TCP: 'tcpCheckResult',
  DNS: 'dnsCheckResult',
  ICMP: 'icmpCheckResult',
}

function serializeHttp(detail: ResultDetail): z.output<typeof ApiCheckResult> {
  const { observed, assertions, jobLog, pcapDataUrl } = detail
  const { shape } = ApiCheckResult
  const request = fitting(shape.request, observed.request)
  const response = fitting(shape.response, observed.response)
  return {
    assertions,
    ...(request && { request }),
    ...(response && { response }),
    requestError: fitting(shape.requestError, observed.requestError),
    jobLog: Array.isArray(jobLog) ? null : jobLog,
    jobAssets: null,
    pcapDataUrl,
    ip: fitting(shape.ip, observed.ip),
    tls: fitting(shape.tls, observed.tls),
    tried: fitting(shape.tried, observed.tried) ?? [],
    redirects: fitting(shape.redirects, observed.redirects) ?? [],
    breakdown: fitting(shape.breakdown, observed.breakdown),
  }
}

function serializeNetwork({
  observed,
  assertions,
  pcapDataUrl,
}: ResultDetail): z.output<typeof NetworkCheckResult> {
  const { shape } = NetworkCheckResult
  return {
    ...observed,
    request: fitting(shape.request, observed.request),
    response: fitting(shape.response, observed.response),
    assertions,
    requestError: fitting(shape.requestError, observed.requestError),
    timingPhases: fitting(shape.timingPhases, observed.timingPhases) ?? wholeTime(observed.response),
    pcapDataUrl,
  }
}

/** Of DNS monitors, which have no phases. */
function wholeTime(response: unknown): Record<string, number> | null {
  const time = valuesOf(response)?.responseTime
  return typeof time === 'number' ? { total: time } : null
}
