import {
  type AnalyticsReport,
  type AnalyticsSummary,
  ApiError,
  analyticsRouteOf,
  type CheckType,
  definitionOf,
  getHeartbeatAnalytics,
  listAnalyticsMetrics,
  type Metric,
  metricsOf,
  type QueryOf,
  summarizeChecks,
  unmeasuredMetricsOf,
} from '@vedette/contracts'
import { summarizeEach, summaryMetrics } from '../../analytics/check-summaries.ts'
import { partsOf, quickRange, type Range } from '../../analytics/range.ts'
import { buildSeries, reportMetrics } from '../../analytics/report.ts'
import type { Series } from '../../analytics/report-query.ts'
import { round, type Summary } from '../../analytics/summary.ts'
import { type CheckRow, findCheck } from '../../storage/checks/check-reads.ts'
import { countHeartbeatEvents, listReportedChecks } from '../../storage/checks/reported-checks.ts'
import type { AccountContext } from '../transport/account-context.ts'
import type { Deps } from '../transport/deps.ts'
import { handle, type Mounted } from '../transport/mount.ts'
import { keptSince, requestedRange } from './analytics-range.ts'

export function analyticsRoutes(deps: Deps): Mounted[] {
  const { store, clock } = deps
  return [
    ...[...analyticsRouteOf].map(([type, route]) =>
      handle(route, async ({ account, params, query: sent, warn }) => {
        const query = { ...sent, metrics: measuredOf(type, sent.metrics, warn) }
        const check = await getCheckOfType(deps, account, params.id, type)
        const range = requestedRange(query, clock.now())
        const series = await buildSeries(store.pool, {
          accountId: account.id,
          checkId: check.id,
          checkType: type,
          range,
          metrics: query.metrics,
          intervalMinutes: query.aggregationInterval,
          groupBy: query.groupBy,
          outcomes: query.filterByStatus,
          keptSince: keptSince(deps),
        })
        return serializeReport(check, type, range, query, series)
      }),
    ),
    handle(getHeartbeatAnalytics, async ({ account, params, query }) => {
      const check = await getCheckOfType(deps, account, params.id, 'HEARTBEAT')
      const range = requestedRange(query, clock.now())
      const series = await heartbeatSeries(deps, account, check.id, range, query)
      return serializeReport(check, 'HEARTBEAT', range, query, series)
    }),
    handle(listAnalyticsMetrics, async ({ query }) => metricsOf(query.checkType).map(serializeMetric)),
    handle(summarizeChecks, async ({ account, query, body }) => {
      const checks = await listReportedChecks(store.pool, account.id, { ids: body.checkIds })
      const parts = partsOf(quickRange(query.quickRange, clock.now()), 'day', keptSince(deps))
      const summaries = await summarizeEach(store.pool, {
        accountId: account.id,
        checks,
        parts,
        bucketMs: null,
      })
      const order = new Map(body.checkIds.map((id, index) => [id, index]))
      return checks
        .toSorted((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0))
        .map(({ id, type }) => serializeSummary(id, type, summaries.get(id)?.get(0)))
    }),
  ]
}

function measuredOf(type: CheckType, metrics: string[], warn: (sentence: string) => void): string[] {
  const unmeasured = unmeasuredMetricsOf(type)
  for (const name of metrics) {
    if (unmeasured.includes(name)) warn(`metrics: runs of this type don't measure ${name}; it is left out`)
  }
  return metrics.filter((name) => !unmeasured.includes(name))
}

async function getCheckOfType(
  { store }: Deps,
  account: AccountContext,
  id: string,
  type: CheckType,
): Promise<CheckRow> {
  const check = await findCheck(store, account.id, id)
  if (check === null || check.check_type !== type) throw new ApiError('not_found')
  return check
}

/** A filter by state is counted from the events; otherwise the results are enough. */
async function heartbeatSeries(
  deps: Deps,
  account: AccountContext,
  checkId: string,
  range: Range,
  { metrics, filterByStatus }: QueryOf<typeof getHeartbeatAnalytics>,
): Promise<Series[]> {
  const { pool } = deps.store
  if (filterByStatus === undefined) {
    const query = { accountId: account.id, checkId, checkType: 'HEARTBEAT', range, metrics } as const
    return buildSeries(pool, { ...query, keptSince: keptSince(deps) })
  }
  const query = { accountId: account.id, checkId, ...range, states: filterByStatus }
  const { events, pings } = await countHeartbeatEvents(pool, query)
  if (events === 0) return [{ group: {}, rows: [] }]
  const values: Record<string, number> = { availability: round((pings / events) * 100), retries: 0 }
  return [{ group: {}, rows: [Object.fromEntries(metrics.map((name) => [name, values[name] ?? null]))] }]
}

interface ReportPage {
  metrics: string[]
  page: number
  limit: number
}

/** spec §2.12. Pages consist of series, not of their rows. */
function serializeReport(
  check: CheckRow,
  type: CheckType,
  { from, to }: Range,
  { metrics, page, limit }: ReportPage,
  series: Series[],
): AnalyticsReport {
  return {
    checkId: check.id,
    name: check.name,
    checkType: type,
    activated: check.activated,
    muted: check.muted,
    frequency: check.frequency,
    from: new Date(from).toISOString(),
    to: new Date(to).toISOString(),
    tags: check.tags,
    series: series
      .slice((page - 1) * limit, page * limit)
      .map(({ group, rows }) => ({ ...group, data: rows })),
    pagination: { page, limit },
    metadata: Object.fromEntries(
      reportMetrics(type, metrics).map(({ name, unit, label, aggregation }) => [
        name,
        { unit, label, ...(aggregation !== null && { aggregation }) },
      ]),
    ),
  }
}

function serializeMetric({ name, unit, label, metricIndex, aggregation }: Metric) {
  const type = name === 'retries' ? ('Integer' as const) : ('Float' as const)
  return { name, unit, label, type, aggregated: metricIndex === null || aggregation !== null }
}

/** Metrics that the type doesn't have are absent; those without a value are null. */
function serializeSummary(
  checkId: string,
  checkType: CheckType,
  summary: Summary | undefined,
): AnalyticsSummary {
  const row: AnalyticsSummary = { checkId, checkType, availability: summary?.availability ?? null }
  const measured = (slot: number, aggregation: 'avg' | 'p50' | 'p95' | 'p99') =>
    summary?.measured(slot, aggregation) ?? null
  const { summary: columns } = definitionOf(checkType)
  for (const column of ['responseTime', 'latency'] as const) {
    if (columns[column] === undefined) continue
    for (const aggregation of ['avg', 'p50', 'p95', 'p99'] as const) {
      row[`${column}_${aggregation}`] = measured(summaryMetrics.responseTime, aggregation)
    }
  }
  if (columns.packetLoss === undefined) return row
  for (const aggregation of ['avg', 'p95', 'p99'] as const) {
    row[`packetLoss_${aggregation}`] = measured(summaryMetrics.packetLoss, aggregation)
  }
  return row
}
