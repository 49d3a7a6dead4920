// What a dashboard shows at an instant, as data.
import { type CheckStateName, dayMs, definitionOf, hourMs, minuteMs } from '@vedette/contracts'
import { summarizeEach, summaryMetrics } from '../../analytics/check-summaries.ts'
import { floorTo, partsOf } from '../../analytics/range.ts'
import { readCheckStates } from '../../states/read-check-states.ts'
import { openLinks } from '../../storage/core/signed-links.ts'
import { type DashboardCheck, listDashboardChecks } from '../../storage/pages/dashboard-checks.ts'
import {
  listShownDashboardIncidents,
  type ShownDashboardIncident,
} from '../../storage/pages/dashboard-incidents.ts'
import { type DashboardRow, findShownDashboard, listDashboardKeys } from '../../storage/pages/dashboards.ts'
import { listPageImages } from '../../storage/pages/page-images.ts'
import { listResultsAfter } from '../../storage/results/result-reads.ts'
import type { PagesDeps } from '../deps.ts'
import type { PageImages } from '../page-images.ts'
import type { Lock } from '../private-access.ts'
import { type Verdict, verdictOf } from '../words.ts'

/** Each is drawn in parts of `stepMs`. */
export const dashboardRanges = {
  '1h': { lengthMs: hourMs, stepMs: 5 * minuteMs, grain: 'run' },
  '3h': { lengthMs: 3 * hourMs, stepMs: 10 * minuteMs, grain: 'run' },
  '24h': { lengthMs: dayMs, stepMs: hourMs, grain: 'hour' },
  '7d': { lengthMs: 7 * dayMs, stepMs: 6 * hourMs, grain: 'hour' },
  '30d': { lengthMs: 30 * dayMs, stepMs: dayMs, grain: 'day' },
} as const

export type DashboardRange = keyof typeof dashboardRanges

/** A part of the range; null: nothing was measured. */
export interface Point {
  /** When it begins. */
  at: number
  /** Percentage of passed runs. */
  availability: number | null
  /** Milliseconds. */
  p95: number | null
}

interface Figures {
  availability: number | null
  p95: number | null
  p99: number | null
  /** Percentage, of ICMP monitors. */
  packetLoss: number | null
  points: Point[]
}

export interface ShownCheck extends DashboardCheck, Figures {
  state: CheckStateName
  /** Whether the type has response times; packet loss is shown instead of P99 for ICMP. */
  kind: 'timed' | 'ping' | 'untimed'
  /** The page of its last run; null: not shown. */
  runUrl: string | null
}

export interface ShownRun {
  at: string
  location: string
  tone: Verdict['tone']
  durationMs: number | null
  /** Its page; null: not shown. */
  url: string | null
}

export interface DashboardContent {
  dashboard: DashboardRow
  /** Null: the dashboard is public. */
  lock: Lock | null
  images: PageImages
  range: DashboardRange
  page: number
  pages: number
  /** Of all its checks, also those on other pages. */
  counts: ReadonlyMap<CheckStateName, number>
  checks: ShownCheck[]
  /** The latest ones, if a single check is shown. */
  runs: ShownRun[]
  incidents: ShownDashboardIncident[]
  at: number
}

export interface DashboardQuery {
  name: string
  range: DashboardRange
  /** From 1. A page after the last shows the last. */
  page: number
  /** Null: all checks of the page. */
  checkId: string | null
}

const shownIncidents = 50
const shownRuns = 20
const defaultPerPage = 15

/** Null: no dashboard has this name. */
export async function readDashboardContent(
  deps: PagesDeps,
  query: DashboardQuery,
): Promise<DashboardContent | null> {
  const dashboard = await findShownDashboard(deps.store.db, query.name)
  return dashboard && readDashboardContentOf(deps, dashboard, query)
}

export async function readDashboardContentOf(
  deps: PagesDeps,
  dashboard: DashboardRow,
  query: Omit<DashboardQuery, 'name'>,
): Promise<DashboardContent> {
  const { store, clock } = deps
  const { account_id: accountId, settings } = dashboard
  const now = clock.now()
  const filter = { tags: dashboard.tags, needsAll: settings.useTagsAndOperator === true }
  const all = await listDashboardChecks(store.pool, accountId, filter)
  const ids = all.map(({ id }) => id)
  const states = await readCheckStates(store.pool, { accountId, checkIds: ids }, now)
  const stateOf = new Map(states.map(({ row, state }) => [row.id, { state: state.state, row }]))
  const perPage = settings.paginate ? (settings.checksPerPage ?? defaultPerPage) : Math.max(1, all.length)
  const pages = Math.max(1, Math.ceil(all.length / perPage))
  const page = Math.min(query.page, pages)
  const shown =
    query.checkId === null
      ? all.slice((page - 1) * perPage, page * perPage)
      : all.filter(({ id }) => id === query.checkId)
  const figuresOf = await readFigures(deps, accountId, shown, query.range, now)
  const { publicUrl, vault } = deps
  const linkTo = await openLinks(store.db, { publicUrl, sign: vault.sign, now }, accountId)
  const readRuns = async (checkId: string): Promise<ShownRun[]> => {
    const of = { accountId, checkId, withDetail: false }
    const rows = await listResultsAfter(store.db, of, { resultType: 'FINAL', limit: shownRuns, after: null })
    return rows.slice(0, shownRuns).map((row) => ({
      at: row.started_at,
      location: row.location,
      tone: verdictOf(row).tone,
      durationMs: row.response_time,
      url: settings.showCheckRunLinks ? linkTo('result', checkId, row.id) : null,
    }))
  }
  const { id, is_private } = dashboard
  const keys = is_private ? await listDashboardKeys(store.db, accountId, [id]) : []
  return {
    dashboard,
    lock: is_private ? { id: `d-${id}`, name: settings.header ?? dashboard.dashboard_id, keys } : null,
    images: await listPageImages(store.db, accountId, [settings.logo, settings.favicon]),
    range: query.range,
    page,
    pages,
    counts: countStates(states.map(({ state }) => state.state)),
    checks: shown.map((check) => {
      const { state = 'unknown', row } = stateOf.get(check.id) ?? {}
      const runId = settings.showCheckRunLinks ? row?.lastCheckRunId : null
      return {
        ...check,
        ...figuresOf(check.id),
        state,
        kind: kindOf(check),
        runUrl: runId ? linkTo('result', check.id, runId) : null,
      }
    }),
    runs: query.checkId === null || shown.length === 0 ? [] : await readRuns(query.checkId),
    incidents: settings.enableIncidents
      ? await listShownDashboardIncidents(store.db, accountId, dashboard.id, shownIncidents)
      : [],
    at: now,
  }
}

function kindOf({ type }: DashboardCheck): ShownCheck['kind'] {
  const { summary } = definitionOf(type)
  if (summary.packetLoss !== undefined) return 'ping'
  return summary.responseTime === undefined && summary.latency === undefined ? 'untimed' : 'timed'
}

function countStates(states: readonly CheckStateName[]): Map<CheckStateName, number> {
  const counts = new Map<CheckStateName, number>()
  for (const state of states) counts.set(state, (counts.get(state) ?? 0) + 1)
  return counts
}

async function readFigures(
  { store: { pool }, resultRetentionDays }: PagesDeps,
  accountId: string,
  checks: readonly DashboardCheck[],
  name: DashboardRange,
  now: number,
): Promise<(id: string) => Figures> {
  const { lengthMs, stepMs, grain } = dashboardRanges[name]
  // Results are read one by one in short ranges, otherwise by whole hours.
  const exact = { from: grain === 'run' ? now - lengthMs : floorTo(now - lengthMs, hourMs), to: now }
  const drawn = { from: floorTo(now - lengthMs, stepMs), to: now }
  const keptSince = floorTo(now, dayMs) - (resultRetentionDays - 1) * dayMs
  const query = { accountId, checks: [...checks] }
  const bucketOf = (at: number) => Math.max(0, Math.floor((at - drawn.from) / stepMs))
  const [totals, buckets] = await Promise.all([
    summarizeEach(pool, { ...query, parts: partsOf(exact, grain, keptSince), bucketMs: null }),
    summarizeEach(pool, { ...query, parts: partsOf(drawn, grain, keptSince), bucketMs: stepMs, bucketOf }),
  ])
  const count = Math.ceil((now - drawn.from) / stepMs)
  return (id) => {
    const total = totals.get(id)?.get(0)
    return {
      availability: total?.availability ?? null,
      p95: total?.measured(summaryMetrics.responseTime, 'p95') ?? null,
      p99: total?.measured(summaryMetrics.responseTime, 'p99') ?? null,
      packetLoss: total?.measured(summaryMetrics.packetLoss, 'avg') ?? null,
      points: Array.from({ length: count }, (_, index): Point => {
        const bucket = buckets.get(id)?.get(index)
        return {
          at: drawn.from + index * stepMs,
          availability: bucket?.availability ?? null,
          p95: bucket?.measured(summaryMetrics.responseTime, 'p95') ?? null,
        }
      }),
    }
  }
}
