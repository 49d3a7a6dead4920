// Summarizes the runs of many checks, per check and bucket.
import { type CheckType, definitionOf } from '@vedette/contracts'
import { getOrInsert } from '../core/get-or-insert.ts'
import type { Pool } from '../storage/core/db.ts'
import { readTallies, type TallyQuery } from '../storage/results/tallies.ts'
import { Summary } from './summary.ts'

export interface SummaryQuery extends Pick<TallyQuery, 'accountId' | 'parts' | 'bucketMs'> {
  checks: { id: string; type: CheckType }[]
  /** The bucket of an instant. */
  bucketOf?: (at: number) => number
}

/** The positions of the metrics in a summary. */
export const summaryMetrics = { responseTime: 0, packetLoss: 1 }

/** In the order of `summaryMetrics`. */
const metricIndexesOf = (type: CheckType): (number | null)[] => {
  const { metrics, summary } = definitionOf(type)
  const indexOf = (name = '') => metrics[name]?.index ?? null
  return [indexOf(summary.responseTime ?? summary.latency), indexOf(summary.packetLoss)]
}

/** Bounds the memory; each check is still read in one snapshot. */
const checksAtOnce = 40
/** One reads while the other adds up. */
const readersAtOnce = 2

/** By check and bucket; checks without runs are absent. */
export async function summarizeEach(
  pool: Pool,
  query: SummaryQuery,
): Promise<Map<string, Map<number, Summary>>> {
  const { checks, bucketOf = () => 0, ...rest } = query
  const summaries = new Map<string, Map<number, Summary>>()
  let next = 0
  const reader = async () => {
    while (next < checks.length) {
      const some = checks
        .slice(next, next + checksAtOnce)
        .map(({ id, type }) => ({ id, metricIndexes: metricIndexesOf(type) }))
      next += checksAtOnce
      for (const tally of await readTallies(pool, {
        ...rest,
        checks: some,
        outcomes: ['success', 'failure'],
      })) {
        const buckets = getOrInsert(summaries, some[tally.check]?.id ?? '', () => new Map<number, Summary>())
        getOrInsert(buckets, bucketOf(tally.at), () => new Summary(Object.keys(summaryMetrics).length)).add(
          tally,
        )
      }
    }
  }
  await Promise.all(Array.from({ length: readersAtOnce }, reader))
  return summaries
}
