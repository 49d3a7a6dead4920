import { errorGroupOf } from '../ingest/error-group.ts'
import { errorGroupId } from '../ingest/recorded-row.ts'
import type { RunResult } from '../ingest/run-result.ts'
import type { TestErrorEvent } from '../storage/runs/test-session-error-groups.ts'
import { failedTests } from './failed-tests.ts'

const longestMessage = 1_000

/** The event that a failed run of a test is; null for one that found nothing wrong. */
export function testErrorOf(
  result: RunResult,
  { projectId, environment }: { projectId: string | null; environment: string | null },
): TestErrorEvent | null {
  const { failure, hasFailures, accountId } = result
  if (!hasFailures || failure === null) return null
  const group = errorGroupOf(failure.message)
  return {
    // Groups are kept per project, or per account where there is none.
    id: errorGroupId(`test ${accountId} ${projectId ?? ''}`, group),
    accountId,
    projectId,
    environment,
    ...group,
    rawErrorMessage: failure.message.slice(0, longestMessage).replaceAll('\0', '').toWellFormed(),
    pwtMetadata: result.checkType === 'PLAYWRIGHT' ? failedTests(result.detail) : null,
    seenAt: result.stoppedAt,
  }
}
