// What the overview of a check shows, by type: the route of its report, its main time, and the phases of a run.
import type { Operation } from '../../api/call.ts'
import type { OverviewCheck } from '../../api/types.ts'
import type { ChartLimit } from '../../core/chart-data.ts'
import { vitalLimits, vitalNames, webVitals } from '../../core/web-vitals.ts'

type CheckType = OverviewCheck['checkType']

interface OtherFigure {
  metric: string
  label: string
  unit: 'ms' | '%' | 'count' | 'days' | 'score'
  limits?: readonly ChartLimit[]
}

export interface TypeView {
  report: Extract<Operation, `GET /v1/analytics/${string}/{id}`>
  /** The metric of the main chart, and what people call it. */
  main: { metric: string; label: string; unit: 'ms' }
  /** In the order in which they happen. */
  phases: readonly { metric: string; label: string }[]
  /** Other figures of interest. */
  others: readonly OtherFigure[]
}

const time = { metric: 'responseTime', label: 'Response time', unit: 'ms' } as const
const duration = { metric: 'responseTime', label: 'Duration', unit: 'ms' } as const

const httpPhases = [
  { metric: 'dns', label: 'DNS' },
  { metric: 'tcp', label: 'Connect and TLS' },
  { metric: 'firstByte', label: 'Wait' },
  { metric: 'download', label: 'Receive' },
] as const

export const certificateLabel = 'Days until the certificate expires'

const loss = { metric: 'packetLoss', label: 'Packet loss', unit: '%' } as const

const vitalCharts = vitalNames.map((metric) => ({
  ...{ metric, label: webVitals[metric].label, unit: webVitals[metric].unit, limits: vitalLimits(metric) },
}))

/** Null: the type has no report; its results are listed. */
const views: Record<CheckType, TypeView | null> = {
  API: { report: 'GET /v1/analytics/api-checks/{id}', main: time, phases: httpPhases, others: [] },
  URL: { report: 'GET /v1/analytics/url-monitors/{id}', main: time, phases: httpPhases, others: [] },
  BROWSER: {
    report: 'GET /v1/analytics/browser-checks/{id}',
    main: duration,
    phases: [],
    others: vitalCharts,
  },
  MULTI_STEP: { report: 'GET /v1/analytics/multistep-checks/{id}', main: duration, phases: [], others: [] },
  PLAYWRIGHT: { report: 'GET /v1/analytics/playwright-checks/{id}', main: duration, phases: [], others: [] },
  TCP: {
    ...{ report: 'GET /v1/analytics/tcp-checks/{id}', others: [] },
    main: { metric: 'total', label: 'Response time', unit: 'ms' },
    phases: [
      { metric: 'dns', label: 'DNS' },
      { metric: 'connection', label: 'Connect' },
      { metric: 'data', label: 'Send and receive' },
    ],
  },
  DNS: {
    ...{ report: 'GET /v1/analytics/dns/{id}', phases: [], others: [] },
    main: { metric: 'total', label: 'Response time', unit: 'ms' },
  },
  ICMP: {
    ...{ report: 'GET /v1/analytics/icmp/{id}', phases: [], others: [loss] },
    main: { metric: 'latencyAvg', label: 'Latency', unit: 'ms' },
  },
  GRPC: {
    ...{ report: 'GET /v1/analytics/grpc-checks/{id}', main: time, others: [] },
    phases: [
      { metric: 'dns', label: 'DNS' },
      { metric: 'tcp', label: 'Connect' },
      { metric: 'tls', label: 'TLS' },
      { metric: 'firstByte', label: 'Wait' },
      { metric: 'download', label: 'Receive' },
    ],
  },
  SSL: {
    ...{ report: 'GET /v1/analytics/ssl/{id}', phases: [] },
    main: { metric: 'handshakeTimeMs', label: 'TLS handshake', unit: 'ms' },
    others: [{ metric: 'daysUntilExpiry', label: certificateLabel, unit: 'days' }],
  },
  TRACEROUTE: {
    ...{ report: 'GET /v1/analytics/traceroute/{id}', main: { ...time, label: 'Latency' }, phases: [] },
    others: [loss, { metric: 'hopCount', label: 'Hops', unit: 'count' }],
  },
  HEARTBEAT: null,
  AGENTIC: null,
}

export function viewOf(type: CheckType): TypeView | null {
  return views[type]
}
