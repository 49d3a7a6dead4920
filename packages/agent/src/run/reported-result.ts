// The outcome of a run in the words of the agent protocol. Pure.
import type { Failure, Job, ReportedResult } from '@vedette/contracts'
import { arrangeMetrics, metricLayoutVersion, type resultMetrics } from '@vedette/contracts/runs'
import type { HttpDetail } from '../checks/http-run.ts'
import type { IcmpDetail } from '../checks/icmp.ts'
import type { TcpDetail } from '../checks/tcp.ts'
import { roundMs } from '../net/timings.ts'
import { detailText } from './run-detail.ts'
import type { RunOutcome } from './run-monitor.ts'
import { storableText } from './storable-text.ts'

type Measured = Pick<RunOutcome, 'responseTimeMs' | 'detail'>
type NetworkType = 'API' | 'URL' | 'TCP' | 'DNS' | 'ICMP'

/** Values by name: the compiler sees that none is forgotten, `metricsOf` puts them at the contract's indexes. */
type Metrics<T extends NetworkType> = Record<(typeof resultMetrics)[T][number], number | null | undefined>

const measures: { [T in NetworkType]: (run: Measured) => Metrics<T> } = {
  API: httpMetrics,
  URL: httpMetrics,
  TCP: ({ responseTimeMs, detail }) => {
    const phases = (detail as TcpDetail | null)?.timingPhases
    return { total: responseTimeMs, dns: phases?.dns, connection: phases?.connection, data: phases?.data }
  },
  DNS: ({ responseTimeMs }) => ({ total: responseTimeMs }),
  ICMP: ({ detail }) => {
    const response = (detail as IcmpDetail | null)?.response
    const { min, max, avg, stdDev } = response?.latency ?? {}
    return {
      packetLoss: response?.packetLoss,
      latencyMin: min,
      latencyMax: max,
      latencyAvg: avg,
      latencyStdDev: stdDev,
    }
  },
}

function httpMetrics({ responseTimeMs, detail }: Measured): Metrics<'API'> {
  const phases = (detail as HttpDetail | null)?.response?.timingPhases
  return {
    responseTime: responseTimeMs,
    wait: phases?.wait,
    dns: phases?.dns,
    tcp: phases?.tcp,
    firstByte: phases?.firstByte,
    download: phases?.download,
  }
}

export function metricsOf(checkType: string, run: Measured): (number | null)[] {
  if (!Object.hasOwn(measures, checkType)) return []
  const type = checkType as NetworkType
  return arrangeMetrics(type, measures[type](run)).map(measuredOrNull)
}

export function measuredOrNull(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && Number.isFinite(value) ? value : null
}

export function reportedResult(
  job: Job,
  outcome: RunOutcome,
  more: { isCancelled: boolean; diagnostics?: unknown; now: number },
): ReportedResult {
  const { assertions, detail: observed, jobLog } = outcome
  const failure = storableFailure(outcome.failure)
  const isHttp = job.checkType === 'API' || job.checkType === 'URL'
  const http = isHttp ? (observed as HttpDetail | null) : null
  return {
    token: job.token,
    startedAt: Math.round(outcome.startedAt),
    durationMs: roundMs(Math.max(0, outcome.durationMs)),
    responseTimeMs: outcome.responseTimeMs,
    outcome: more.isCancelled ? 'cancelled' : outcome.outcome,
    overMaxResponseTime: outcome.overMaxResponseTime,
    failure,
    statusCode: statusOf(http),
    metrics: metricsOf(job.checkType, outcome),
    metricLayout: metricLayoutVersion,
    sslDaysRemaining: daysUntil(http?.tls?.certificate?.validTo, more.now),
    artifacts: [],
    agenticScript: null,
    detail: detailText(
      {
        failure,
        assertions,
        observed,
        ...(jobLog && { jobLog }),
        ...(more.diagnostics !== undefined && { diagnostics: more.diagnostics }),
      },
      job.secrets.length > 0,
    ),
  }
}

const maxMessageChars = 10_000

export function storableFailure(failure: Failure | null): Failure | null {
  return failure && { ...failure, message: storableText(failure.message, maxMessageChars) }
}

/** A run that could not be made, or not be ended, through no fault of its target. */
export function brokenResult(
  job: Job,
  times: { startedAt: number; durationMs: number },
  message: string,
): ReportedResult {
  const failure = storableFailure({ kind: 'internal', message, phase: 'setup' })
  return {
    token: job.token,
    startedAt: Math.round(times.startedAt),
    durationMs: roundMs(Math.max(0, times.durationMs)),
    responseTimeMs: null,
    outcome: 'error',
    overMaxResponseTime: false,
    failure,
    statusCode: null,
    metrics: metricsOf(job.checkType, { responseTimeMs: null, detail: null }),
    metricLayout: metricLayoutVersion,
    sslDaysRemaining: null,
    artifacts: [],
    agenticScript: null,
    detail: detailText({ failure, assertions: [], observed: null }, false),
  }
}

function statusOf(http: HttpDetail | null): number | null {
  const status = http?.response?.status
  return status !== undefined && Number.isInteger(status) && status >= 0 && status <= 999 ? status : null
}

const dayMs = 86_400_000
const maxDays = 100_000

function daysUntil(date: string | undefined, now: number): number | null {
  const days = Math.floor((Date.parse(date ?? '') - now) / dayMs)
  return Number.isNaN(days) ? null : Math.max(-maxDays, Math.min(maxDays, days))
}
