// What reports are made of: the values of each run, or what runs add up to in buckets of time.
import type { Pool } from '../storage/core/db.ts'
import { listRunValues, type RunValues } from '../storage/results/run-values.ts'
import { readTallies, type Tally } from '../storage/results/tallies.ts'
import { isMeasured } from './measure.ts'
import { floorTo, grainOf, partsOf } from './range.ts'
import { bucketLength, maxRows, type ReportQuery, tooMany } from './report-query.ts'
import { rounded, Summary } from './summary.ts'
import { upsert } from './upsert.ts'

const anyOutcome: ('success' | 'failure')[] = ['success', 'failure']

export async function readRuns(pool: Pool, query: ReportQuery): Promise<RunValues[]> {
  const { accountId, checkId, range, outcomes = anyOutcome } = query
  const runs = await listRunValues(pool, { accountId, checkId, ...range, outcomes, limit: maxRows + 1 })
  if (runs.length > maxRows) throw tooMany('aggregationInterval', 'is needed')
  return runs
}

export function valueAt({ metrics }: RunValues, slot: number | null): number | null {
  const value = slot === null ? null : metrics[slot]
  return isMeasured(value) ? rounded(value) : null
}

export interface ReportBucket<Group> {
  group: Group
  /** When it begins, as rows tell it; nothing where there is one for the whole range. */
  begin: { startedAt?: string }
  summary: Summary
}

/** In the order of time; the runs of each group on their own. */
export async function readBuckets<Group>(
  pool: Pool,
  query: ReportQuery,
  slots: number[],
  groupOf: (tally: Tally) => Group,
): Promise<ReportBucket<Group>[]> {
  const { accountId, checkId, range, keptSince, outcomes = anyOutcome } = query
  const bucketMs = bucketLength(query)
  const tallies = await readTallies(pool, {
    accountId,
    checks: [{ id: checkId, metricIndexes: slots }],
    parts: partsOf(range, grainOf(range, bucketMs), keptSince),
    bucketMs,
    outcomes,
  })
  const groups = new Map<Group, Map<number, Summary>>()
  for (const tally of tallies) {
    const buckets = upsert(groups, groupOf(tally), () => new Map<number, Summary>())
    const at = bucketMs === null ? 0 : floorTo(tally.at, bucketMs)
    upsert(buckets, at, () => new Summary(slots.length)).add(tally)
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
