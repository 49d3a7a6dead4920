// The metrics of single runs of a check.
import type { Pool } from '../core/db.ts'
import { outcomeOf } from './rollups.ts'

export interface RunValues {
  startedAt: string
  location: string
  dimension: string
  outcome: 'success' | 'failure'
  retries: number
  metrics: (number | null)[]
}

/** By slot; at most `limit`. */
export async function listRunValues(
  pool: Pool,
  query: { accountId: string; checkId: string; from: number; to: number; outcomes: string[]; limit: number },
): Promise<RunValues[]> {
  const { rows } = await pool.query<RunValues>({
    text: `select started_at as "startedAt", location, coalesce(status_code::text, '') as dimension,
        ${outcomeOf('results')} as outcome, attempt - 1 as retries,
        to_json(metrics) as metrics
      from results
      where check_id = $2 and scheduled_at >= to_timestamp($3 / 1000.0) and scheduled_at < to_timestamp($4 / 1000.0)
        and account_id = $1 and result_type = 'FINAL' and not is_cancelled and not has_errors
        and ${outcomeOf('results')} = any($5::text[])
      order by scheduled_at, run_id limit $6`,
    values: [query.accountId, query.checkId, query.from, query.to, query.outcomes, query.limit],
  })
  return rows
}
