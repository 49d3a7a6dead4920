// The evidence of a run as the API shows it. Agents of private locations are on other people's machines: a part that does
// not fit its contract is left out, and never makes a result unreadable.
import {
  ApiCheckResult,
  AssertionOutcome,
  type CheckResult,
  type CheckType,
  Failure,
  JobLog,
  type LogLine,
  NetworkCheckResult,
} from '@vedette/contracts'
import { z } from 'zod'

type Values = Record<string, unknown>

export interface ResultDetail {
  failure: Failure | null
  assertions: z.output<typeof AssertionOutcome>[]
  observed: Values
  jobLog: z.output<typeof JobLog> | null
  /** Without the packet capture. */
  diagnostics: Values | null
  /** The packets of a network failure: a pcap file. */
  pcapDataUrl: string | null
}

/** From the text that was stored; null when there is none (any more). */
export function readDetail(text: string | null): ResultDetail | null {
  const stored = text === null ? null : valuesOf(parseJson(text))
  if (stored === null) return null
  const { pcapDataUrl, ...diagnostics } = valuesOf(stored.diagnostics) ?? {}
  return {
    failure: fitting(Failure, stored.failure),
    assertions: fitting(z.array(AssertionOutcome), stored.assertions) ?? [],
    observed: valuesOf(stored.observed) ?? {},
    jobLog: fitting(JobLog, stored.jobLog),
    diagnostics: valuesOf(stored.diagnostics) && diagnostics,
    pcapDataUrl: fitting(PcapDataUrl, pcapDataUrl),
  }
}

/** A link of any other kind is not passed on: people open what we show them. */
const PcapDataUrl = z.string().regex(/^data:application\/vnd\.tcpdump\.pcap;base64,[A-Za-z0-9+/]+={0,2}$/)

export function captureOf({ pcapDataUrl }: ResultDetail): Buffer<ArrayBuffer> | null {
  return pcapDataUrl === null ? null : Buffer.from(pcapDataUrl.slice(pcapDataUrl.indexOf(',') + 1), 'base64')
}

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

/** Under the name of its type. */
export function presentEvidence(type: CheckType, detail: ResultDetail | null): Evidence {
  if (detail === null) return nothing
  if (type === 'API' || type === 'URL') {
    return { ...nothing, apiCheckResult: presentHttp(detail) }
  }
  const name = networkNames[type]
  return name === undefined ? nothing : { ...nothing, [name]: presentNetwork(detail) }
}

const networkNames: { [T in CheckType]?: keyof Evidence } = {
  TCP: 'tcpCheckResult',
  DNS: 'dnsCheckResult',
  ICMP: 'icmpCheckResult',
}

function presentHttp(detail: ResultDetail): z.output<typeof ApiCheckResult> {
  const { observed, assertions, jobLog, pcapDataUrl } = detail
  const { shape } = ApiCheckResult
  const request = fitting(shape.request, observed.request)
  const response = fitting(shape.response, observed.response)
  return {
    assertions,
    ...(request && { request }),
    ...(response && { response }),
    requestError: fitting(shape.requestError, observed.requestError),
    jobLog,
    jobAssets: null,
    pcapDataUrl,
    ip: fitting(shape.ip, observed.ip),
    tls: fitting(shape.tls, observed.tls),
    tried: fitting(shape.tried, observed.tried) ?? [],
    redirects: fitting(shape.redirects, observed.redirects) ?? [],
    breakdown: fitting(shape.breakdown, observed.breakdown),
  }
}

function presentNetwork({
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

/** Per phase for API checks and URL monitors, else one list; null: there is none. */
export function presentLog(
  type: CheckType,
  { jobLog }: ResultDetail,
): z.output<typeof JobLog> | z.output<typeof LogLine>[] | null {
  if (jobLog === null || type === 'API' || type === 'URL') return jobLog
  return [...jobLog.setup, ...jobLog.request, ...jobLog.teardown]
}

export function presentRunData({ observed, assertions }: ResultDetail): Values {
  return { ...observed, assertions }
}

function fitting<S extends z.ZodType>(schema: S, value: unknown): NonNullable<z.output<S>> | null {
  const parsed = schema.safeParse(value)
  return parsed.success ? (parsed.data ?? null) : null
}

function valuesOf(value: unknown): Values | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : null
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
