// The run is over: results and their evidence in, rows out, all in the caller's transaction and only once each.
// Only what was really inserted touches status, alerts, error groups and the marks for rollups. It never calls anyone.
import type { DecisionContext } from '../alerting/decision/decision-context.ts'
import { ensureDays } from '../storage/core/partitions.ts'
import type { Client } from '../storage/core/transaction.ts'
import { insertDetails, insertResults, listExistingChecks } from '../storage/results/result-writes.ts'
import { recordArtifacts } from './artifacts.ts'
import { decidableRuns } from './decidable-run.ts'
import { decideRuns } from './decide-runs.ts'
import { recordErrorGroups } from './error-groups.ts'
import { markHours } from './pending-hours.ts'
import { type RecordedRow, recordedRow } from './recorded-row.ts'
import type { RunResult } from './run-result.ts'

/** Returns those that were new. */
export async function recordResults(
  client: Client,
  results: readonly RunResult[],
  context: DecisionContext,
): Promise<RunResult[]> {
  if (results.length === 0) return []
  const { now } = context
  const known = await listExistingChecks(client, new Set(results.map(({ checkId }) => checkId)))
  const rows = results
    .filter(({ checkId }) => known.has(checkId))
    .map(recordedRow)
    // One order for all batches: they wait for each other's locks in a line, never in a circle.
    .sort((a, b) => (a.id < b.id ? -1 : 1))
  if (rows.length === 0) return []
  await ensureDays(
    client,
    rows.map(({ row }) => row.scheduledAt),
  )
  const inserted = await insertResults(
    client,
    rows.map(({ row }) => row),
    now,
  )
  const fresh = uniqueById(rows.filter(({ id }) => inserted.has(id)))
  await insertDetails(
    client,
    fresh.flatMap(({ result }) => (result.detail === null ? [] : [{ ...result, detail: result.detail }])),
  )
  await recordArtifacts(
    client,
    fresh.map(({ id, result }) => ({ ...result, resultId: id, artifacts: result.artifacts ?? [] })),
  )
  await recordErrorGroups(client, fresh, now)
  const recorded = fresh.map(({ result }) => result)
  await markHours(client, recorded, now)
  await decideRuns(client, await decidableRuns(client, fresh, now), context)
  return recorded
}

/** A batch may hold a result twice. */
function uniqueById(rows: RecordedRow[]): RecordedRow[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()]
}
