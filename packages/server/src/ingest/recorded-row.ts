// A result with its row and the ids that are derived from it.
import { createHash } from 'node:crypto'
import { uuidFromDigest } from '../core/uuid-from-digest.ts'
import type { ResultRow } from '../storage/results/result-writes.ts'
import { type ErrorGroupKey, errorGroupOf } from './error-group.ts'
import { resultIdOf } from './result-id.ts'
import type { RunResult } from './run-result.ts'

const maxMessageLength = 1_000

export interface RecordedRow {
  id: string
  result: RunResult
  row: ResultRow
  errorGroup: ErrorGroupKey | null
}

export function toRecordedRow(result: RunResult): RecordedRow {
  const id = resultIdOf(result.scheduledAt, result.runId, result.attempt)
  const { failure } = result
  const errorGroup = result.hasFailures && failure !== null ? errorGroupOf(failure.message) : null
  const row: ResultRow = {
    ...result,
    id,
    failureKind: failure?.kind ?? null,
    failureMessage: failure === null ? null : toStorable(failure.message.slice(0, maxMessageLength)),
    errorGroupIds: errorGroup === null ? [] : [errorGroupId(result.checkId, errorGroup)],
  }
  return { id, result, row, errorGroup }
}

/** PostgreSQL refuses NUL characters and lone surrogates. */
export function toStorable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed()
}

/** Derived from the check and the message, so that a result can refer to its group before the group is written. */
export function errorGroupId(ownerId: string, { errorHash }: ErrorGroupKey): string {
  return uuidFromDigest(createHash('sha256').update(`error group ${ownerId} ${errorHash}`).digest(), 8)
}
