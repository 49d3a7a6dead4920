// Scheduled runs that weren't made, per check.
import type { Client } from '../core/transaction.ts'

export interface CoverageGap {
  checkId: string
  skipped: number
  missed: number
  /** Of the skipped ones: paused by a maintenance window. */
  paused: number
}

/** Milliseconds at full hours. Checks without gaps are absent. */
export async function listCoverageGaps(
  client: Client,
  accountId: string,
  { from, to }: { from: number; to: number },
): Promise<CoverageGap[]> {
  const { rows } = await client.query<CoverageGap & Record<string, unknown>>({
    name: 'list_coverage_gaps',
    text: `select check_id as "checkId", sum(skipped)::int as skipped, sum(missed)::int as missed,
        coalesce(sum((reasons ->> 'maintenance')::int), 0)::int as paused
      from coverage
      where account_id = $1 and hour >= to_timestamp($2 / 1000.0) and hour < to_timestamp($3 / 1000.0)
        and (missed > 0 or skipped > 0)
      group by check_id`,
    values: [accountId, from, to],
  })
  return rows
}
