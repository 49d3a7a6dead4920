// What error groups of checks and of test sessions have in common.
import type { SerializedAnalyses } from './serialize-analysis.ts'

interface GroupColumns {
  id: string
  error_hash: string
  raw_error_message: string | null
  cleaned_error_message: string
  first_seen: string
  last_seen: string
  archived_until_next_event: boolean
  archived_for_ever: boolean
}

export function serializeErrorGroup(row: GroupColumns, analyses: SerializedAnalyses) {
  return {
    id: row.id,
    errorHash: row.error_hash,
    rawErrorMessage: row.raw_error_message,
    cleanedErrorMessage: row.cleaned_error_message,
    firstSeen: row.first_seen,
    lastSeen: row.last_seen,
    archivedUntilNextEvent: row.archived_until_next_event,
    archiveForEver: row.archived_for_ever,
    rootCauseAnalyses: analyses.get(row.id) ?? [],
  }
}

interface Archiving {
  archiveForEver?: boolean | undefined
  archivedUntilNextEvent?: boolean | undefined
}

/** Null: nothing was sent, so there is nothing to change. */
export function archiveColumns({ archiveForEver, archivedUntilNextEvent }: Archiving) {
  if (archiveForEver === undefined && archivedUntilNextEvent === undefined) return null
  return {
    ...(archiveForEver !== undefined && { archived_for_ever: archiveForEver }),
    ...(archivedUntilNextEvent !== undefined && { archived_until_next_event: archivedUntilNextEvent }),
  }
}
