import type { GroupAnalysis, RootCause } from '@vedette/contracts'
import type { z } from 'zod'
import { orNotFound } from '../../core/or-not-found.ts'
import type { LinkTo } from '../../links/signed-link.ts'
import {
  type AnalysisRow,
  type GroupColumn,
  listGroupAnalyses,
} from '../../storage/results/root-cause-analyses.ts'
import { type Deps, linksOf } from '../transport/deps.ts'

export function serializeAnalysis(row: AnalysisRow, linkTo: LinkTo) {
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
    analysis: withLinks(orNotFound(row.analysis), linkTo),
  }
}

/** The number of analyses that an error group shows. */
const perGroup = 5

export type SerializedAnalyses = Map<string, z.output<typeof GroupAnalysis>[]>

/** The completed analyses of each of these groups. */
export async function serializeGroupAnalyses(
  deps: Deps,
  accountId: string,
  column: GroupColumn,
  groups: readonly { id: string }[],
): Promise<SerializedAnalyses> {
  const ids = groups.map(({ id }) => id)
  const analyses = await listGroupAnalyses(deps.store.db, accountId, column, ids, perGroup)
  if (analyses.size === 0) return new Map()
  const linkTo = await linksOf(deps, accountId)
  return new Map(
    [...analyses].map(([id, rows]) => [id, rows.map((row) => serializeGroupAnalysis(row, linkTo))]),
  )
}

const idIn = (name: string) => `(?<${name}>[0-9a-f-]{36})`
const storedPath = new RegExp(
  `/(?:checks/${idIn('checkId')}|test-sessions/${idIn('sessionId')})/results/${idIn('id')}$`,
)

/** Analyses store paths of results. Each read signs them, so that the links are valid. */
function withLinks(analysis: RootCause, linkTo: LinkTo): RootCause {
  const referenceLinks = analysis.referenceLinks?.map(({ title, url }) => {
    const { checkId, sessionId, id = '' } = storedPath.exec(url)?.groups ?? {}
    if (checkId !== undefined) return { title, url: linkTo('result', checkId, id) }
    return { title, url: sessionId === undefined ? url : linkTo('testResult', sessionId, id) }
  })
  return { ...analysis, ...(referenceLinks && { referenceLinks }) }
}

function serializeGroupAnalysis(row: AnalysisRow, linkTo: LinkTo): z.output<typeof GroupAnalysis> {
  return {
    id: row.id,
    created_at: row.created_at,
    analysis: withLinks(orNotFound(row.analysis), linkTo),
    provider: row.provider,
    model: row.model,
    durationMs: row.duration_ms,
    userContext: row.user_context === '' ? [] : [{ text: row.user_context, type: 'text' }],
  }
}
