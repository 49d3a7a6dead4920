import { errorGroupOf } from '../ingest/error-group.ts'
import { errorGroupId } from '../ingest/recorded-row.ts'
import type { RunResult } from '../ingest/run-result.ts'
import type { TestErrorEvent } from '../storage/runs/test-session-error-groups.ts'
import { failedTests } from './failed-tests.ts'

const maxMessageLength = 1_000

/** Null if the run didn't fail. */
export function testErrorOf(
  result: RunResult,
  { projectId, environment }: { projectId: string | null; environment: string | null },
): TestErrorEvent | null {
  const { failure, hasFailures, accountId } = result
  if (!hasFailures || failure === null) return null
  const group = errorGroupOf(failure.message)
  return {
    // Groups belong to a project, or to the account if there is none.
    id: errorGroupId(`test ${accountId} ${projectId ?? ''}`, group),
    accountId,
    projectId,
    environment,
    ...group,
    rawErrorMessage: failure.message.slice(0, maxMessageLength).replaceAll('\0', '').toWellFormed(),
    pwtMetadata: result.checkType === 'PLAYWRIGHT' ? failedTests(result.detail) : null,
    seenAt: result.stoppedAt,
  }
}
