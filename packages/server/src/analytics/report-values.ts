// The values of reports: per run, or added up per bucket of time.
import { getOrInsert } from '../core/get-or-insert.ts'
import type { Pool } from '../storage/core/db.ts'
import { listRunValues, type RunValues } from '../storage/results/run-values.ts'
import { readTallies, type Tally } from '../storage/results/tallies.ts'
import { isMeasured } from './measure.ts'
import { floorTo, grainOf, partsOf } from './range.ts'
import { bucketLength, maxRows, type ReportQuery, tooManyRows } from './report-query.ts'
import { round, Summary } from './summary.ts'

const anyOutcome: ('success' | 'failure')[] = ['success', 'failure']

export async function readRuns(pool: Pool, query: ReportQuery): Promise<RunValues[]> {
  const { accountId, checkId, range, outcomes = anyOutcome } = query
  const runs = await listRunValues(pool, { accountId, checkId, ...range, outcomes, limit: maxRows + 1 })
  if (runs.length > maxRows) throw tooManyRows('aggregationInterval', 'is needed')
  return runs
}

export function valueAt({ metrics }: RunValues, metricIndex: number | null): number | null {
  const value = metricIndex === null ? null : metrics[metricIndex]
  return isMeasured(value) ? round(value) : null
}

export interface ReportBucket<Group> {
  group: Group
  /** Empty if there is one bucket for the whole range. */
  begin: { startedAt?: string }
  summary: Summary
}

/** In the order of time, with separate buckets per group. */
export async function readBuckets<Group>(
  pool: Pool,
  query: ReportQuery,
  metricIndexes: number[],
  groupOf: (tally: Tally) => Group,
): Promise<ReportBucket<Group>[]> {
  const { accountId, checkId, range, keptSince, outcomes = anyOutcome } = query
  const bucketMs = bucketLength(query)
  const tallies = await readTallies(pool, {
    accountId,
    checks: [{ id: checkId, metricIndexes }],
    parts: partsOf(range, grainOf(range, bucketMs), keptSince),
    bucketMs,
    outcomes,
  })
  const groups = new Map<Group, Map<number, Summary>>()
  for (const tally of tallies) {
    const buckets = getOrInsert(groups, groupOf(tally), () => new Map<number, Summary>())
    const at = bucketMs === null ? 0 : floorTo(tally.at, bucketMs)
    getOrInsert(buckets, at, () => new Summary(metricIndexes.length)).add(tally)
  }
  return [...groups]
    .flatMap(([group, buckets]) => [...buckets].map(([at, summary]) => ({ group, at, summary })))
    .sort((a, b) => a.at - b.at)
    .map(({ group, at, summary }) => ({
      group,
      begin: bucketMs === null ? {} : { startedAt: new Date(at).toISOString() },
      summary,
    }))
}
