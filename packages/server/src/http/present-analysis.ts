import type { GroupAnalysis, RootCause } from '@vedette/contracts'
import type { z } from 'zod'
import type { Db } from '../storage/db.ts'
import { type AnalysisRow, type GroupColumn, listGroupAnalyses } from '../storage/root-cause-analyses.ts'

export function presentAnalysis(row: AnalysisRow) {
  return {
    id: row.id,
    status: 'COMPLETED' as const,
    checkType: row.check_type ?? 'UNKNOWN',
    provider: row.provider ?? '',
    model: row.model ?? '',
    checkId: row.check_id,
    errorGroupId: row.error_group_id,
    testSessionErrorGroupId: row.test_session_error_group_id,
    durationMs: row.duration_ms ?? 0,
    created_at: row.created_at,
    analysis: row.analysis as RootCause,
  }
}

/** As many as an error group shows. */
const perGroup = 5

export type PresentedAnalyses = Map<string, z.output<typeof GroupAnalysis>[]>

/** The completed analyses of each of these groups. */
export async function presentGroupAnalyses(
  db: Db,
  accountId: string,
  column: GroupColumn,
  groups: readonly { id: string }[],
): Promise<PresentedAnalyses> {
  const ids = groups.map(({ id }) => id)
  const analyses = await listGroupAnalyses(db, accountId, column, ids, perGroup)
  return new Map([...analyses].map(([id, rows]) => [id, rows.map(presentGroupAnalysis)]))
}

function presentGroupAnalysis(row: AnalysisRow): z.output<typeof GroupAnalysis> {
  return {
    id: row.id,
    created_at: row.created_at,
    analysis: row.analysis as RootCause,
    provider: row.provider,
    model: row.model,
    durationMs: row.duration_ms,
    userContext: row.user_context === '' ? [] : [{ text: row.user_context, type: 'text' }],
  }
}
