// What the runs of many checks add up to, one summary per check and bucket.
import { type CheckType, definitionOf } from '@vedette/contracts'
import type { Pool } from '../storage/core/db.ts'
import { readTallies, type TallyQuery } from '../storage/results/tallies.ts'
import { Summary } from './summary.ts'
import { upsert } from './upsert.ts'

export interface SummaryQuery extends Pick<TallyQuery, 'accountId' | 'parts' | 'bucketMs'> {
  checks: { id: string; type: CheckType }[]
  /** In which bucket an instant is counted. */
  bucketOf?: (at: number) => number
}

/** The places of what is measured in a summary. */
export const summarySlots = { responseTime: 0, packetLoss: 1 }

/** The duration that people mean when they ask how fast a check is, and the share of packets lost. */
const slotsOf = (type: CheckType): (number | null)[] => {
  const { metrics, summary } = definitionOf(type)
  const indexOf = (name = '') => metrics[name]?.index ?? null
  return [indexOf(summary.responseTime ?? summary.latency), indexOf(summary.packetLoss)]
}

/** Bounds what is in memory at once; each check is read in one snapshot all the same. */
const checksAtOnce = 40
/** So that PostgreSQL reads while we add up. */
const readersAtOnce = 2

/** Per check, per bucket; a check without runs is absent. */
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
        .map(({ id, type }) => ({ id, metricIndexes: slotsOf(type) }))
      next += checksAtOnce
      for (const tally of await readTallies(pool, {
        ...rest,
        checks: some,
        outcomes: ['success', 'failure'],
      })) {
        const buckets = upsert(summaries, some[tally.check]?.id ?? '', () => new Map<number, Summary>())
        upsert(buckets, bucketOf(tally.at), () => new Summary(Object.keys(summarySlots).length)).add(tally)
      }
    }
  }
  await Promise.all(Array.from({ length: readersAtOnce }, reader))
  return summaries
}
