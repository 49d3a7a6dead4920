// Refreshes the summaries of checks: when one of their hours was rolled up, and when an hour leaves the last week.
import { dayMs, definitionOf, hourMs } from '@vedette/contracts'
import type { Pool } from '../storage/core/db.ts'
import { type Client, inTransaction } from '../storage/core/transaction.ts'
import {
  countExecuted,
  type DueSummary,
  deleteSummaries,
  listHourSums,
  lockDueSummaries,
  type SummaryRow,
  sumRuns,
  updateSummaries,
} from '../storage/results/check-summaries.ts'
import { floorTo, partsOf } from './range.ts'
import { closedAfterMs, type RollUpOptions } from './roll-up.ts'
import { Sketch } from './sketch.ts'
import { round } from './summary.ts'

/** Returns how many summaries were refreshed. Safe in several processes: rows are claimed. */
export async function refreshSummaries(
  pool: Pool,
  now: number,
  { batch = 50, isStopping = () => false }: Pick<RollUpOptions, 'batch' | 'isStopping'> = {},
): Promise<number> {
  const until = floorTo(now - closedAfterMs, hourMs)
  let total = 0
  while (!isStopping()) {
    const count = await inTransaction(pool, async (client) => {
      const due = await lockDueSummaries(client, { until, limit: batch })
      if (due.length > 0) await refresh(client, due, until)
      return due.length
    })
    total += count
    if (count < batch) break
  }
  return total
}

async function refresh(client: Client, due: readonly DueSummary[], until: number): Promise<void> {
  const deleted = due.filter(({ checkType }) => checkType === null)
  if (deleted.length > 0)
    await deleteSummaries(
      client,
      deleted.map(({ checkId }) => checkId),
    )
  const checks = due.flatMap(({ checkId, checkType }) => {
    if (checkType === null) return []
    const { metrics, summary } = definitionOf(checkType)
    return [{ checkId, metric: metrics[summary.responseTime ?? summary.latency ?? '']?.index ?? null }]
  })
  const checkIds = checks.map(({ checkId }) => checkId)
  const day = { from: until - dayMs, to: until }
  const ofDay = Map.groupBy(await listHourSums(client, checks, day), ({ checkId }) => checkId)
  const parts = partsOf({ from: until - 7 * dayMs, to: until }, 'day', 0)
  const ofWeek = new Map((await sumRuns(client, checkIds, parts)).map((sums) => [sums.checkId, sums]))
  const executed = await countExecuted(client, checkIds, day)
  const rows = checkIds.map((checkId): SummaryRow => {
    const hours = ofDay.get(checkId) ?? []
    const runsOf = (some: typeof hours) => some.reduce((total, { runs }) => total + runs, 0)
    const times = new Sketch()
    for (const { sketch } of hours) if (sketch !== null) times.merge(Sketch.decode(sketch))
    const p95 = times.quantile(0.95)
    return {
      checkId,
      until,
      runs24h: runsOf(hours),
      passed24h: runsOf(hours.filter(({ isSuccess }) => isSuccess)),
      executed24h: executed.get(checkId) ?? 0,
      runs7d: ofWeek.get(checkId)?.runs ?? 0,
      passed7d: ofWeek.get(checkId)?.passed ?? 0,
      p95: p95 === null ? null : round(p95),
    }
  })
  await updateSummaries(client, rows)
}
