// Records results. In: results with their evidence. Out: rows, in the caller's transaction, each result once. Only results
// that were inserted affect statuses, alerts, error groups and rollups. Makes no network calls.
import type { DecisionContext } from '../alerting/decision/decision-context.ts'
import { ensureDays } from '../storage/core/partitions.ts'
import type { Client } from '../storage/core/transaction.ts'
import { recordCertificates } from '../storage/results/certificate-chains.ts'
import { upsertErrorGroups } from '../storage/results/error-group-writes.ts'
import { type DetailRow, insertDetails } from '../storage/results/result-details.ts'
import { insertResults, listRecordedChecks } from '../storage/results/result-writes.ts'
import { requestAutomaticAnalyses } from '../storage/results/root-cause-analyses.ts'
import { recordArtifacts } from './artifacts.ts'
import { prepareDecisions } from './decidable-run.ts'
import { decideRuns } from './decide-runs.ts'
import { listUnsampled } from './detail-sample.ts'
import { markHours } from './pending-hours.ts'
import { errorGroupId, type RecordedRow, toRecordedRow } from './recorded-row.ts'
import type { RunResult } from './run-result.ts'

/** Returns the results that were inserted. */
export async function recordResults(
  client: Client,
  results: readonly RunResult[],
  context: DecisionContext,
): Promise<RunResult[]> {
  if (results.length === 0) return []
  const { now, detailSamplePercent = 100 } = context
  const checks = await listRecordedChecks(client, new Set(results.map(({ checkId }) => checkId)))
  const rows = results
    .filter(({ checkId }) => checks.has(checkId))
    .map(toRecordedRow)
    // All batches lock rows in the same order, so they can't deadlock.
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
  const insertedRows = uniqueById(rows.filter(({ id }) => inserted.has(id)))
  const unsampled = listUnsampled(insertedRows, checks, detailSamplePercent)
  await insertDetails(client, {
    kept: detailsOf(insertedRows.filter(({ id }) => !unsampled.has(id))),
    unsampled: detailsOf(insertedRows.filter(({ id }) => unsampled.has(id))),
  })
  await recordArtifacts(
    client,
    insertedRows.map(({ id, result }) => ({ ...result, resultId: id, artifacts: result.artifacts ?? [] })),
  )
  await recordErrorGroups(client, insertedRows, now)
  await recordCertificates(
    client,
    insertedRows.flatMap(({ result }) =>
      result.certificate === undefined
        ? []
        : [{ ...result, ...result.certificate, seenAt: result.startedAt }],
    ),
  )
  const recorded = insertedRows.map(({ result }) => result)
  await markHours(client, recorded, now)
  await decideRuns(client, await prepareDecisions(client, insertedRows, now), context)
  return recorded
}

/** A batch may contain a result twice. */
function uniqueById(rows: RecordedRow[]): RecordedRow[] {
  return [...new Map(rows.map((row) => [row.id, row])).values()]
}

function detailsOf(rows: readonly RecordedRow[]): DetailRow[] {
  return rows.flatMap(({ result }) => (result.detail === null ? [] : [{ ...result, detail: result.detail }]))
}

async function recordErrorGroups(client: Client, rows: readonly RecordedRow[], now: number): Promise<void> {
  const events = rows.flatMap(({ result, row, errorGroup }) =>
    errorGroup === null
      ? []
      : [
          {
            id: errorGroupId(result.checkId, errorGroup),
            accountId: result.accountId,
            checkId: result.checkId,
            ...errorGroup,
            rawErrorMessage: row.failureMessage ?? '',
            seenAt: result.stoppedAt,
          },
        ],
  )
  await requestAutomaticAnalyses(client, await upsertErrorGroups(client, events), now)
}
