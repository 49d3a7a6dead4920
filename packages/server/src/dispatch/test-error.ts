import { SuiteTest } from '@vedette/contracts'
import { z } from 'zod'
import { errorGroupOf } from '../ingest/error-group.ts'
import { errorGroupId, toStorable } from '../ingest/recorded-row.ts'
import type { RunResult } from '../ingest/run-result.ts'
import type { TestErrorEvent } from '../storage/runs/test-session-error-groups.ts'
import type { TestScope } from '../storage/runs/test-sessions.ts'

const maxMessageLength = 1_000

/** Null if the run didn't fail, or if its session isn't recorded: a draft that is being written fails all the time. */
export function testErrorOf(
  result: RunResult,
  { projectId, environment, isRecorded }: TestScope,
): TestErrorEvent | null {
  const { failure, hasFailures, accountId } = result
  if (!isRecorded || !hasFailures || failure === null) return null
  const group = errorGroupOf(failure.message)
  return {
    // Groups belong to a project, or to the account if there is none.
    id: errorGroupId(`test ${accountId} ${projectId ?? ''}`, group),
    accountId,
    projectId,
    environment,
    ...group,
    rawErrorMessage: toStorable(failure.message.slice(0, maxMessageLength)),
    pwtMetadata: result.checkType === 'PLAYWRIGHT' ? failedTests(result.detail) : null,
    seenAt: result.stoppedAt,
  }
}

const maxTests = 50

const FailedTest = SuiteTest.extend({
  testTitle: z.string().min(1),
  error: z.object({ message: z.string() }),
})

/**
 * The tests of a suite that failed for the same reason as the first failed one. Entries that aren't valid are left out: the
 * detail comes from an agent.
 */
function failedTests(detail: string | null): z.output<typeof SuiteTest>[] | null {
  const failed = errorsOf(detail)
    .slice(0, maxTests)
    .flatMap((one) => FailedTest.safeParse(one).data ?? [])
  const hashes = failed.map(({ error }) => errorGroupOf(error.message).errorHash)
  const same = failed.filter((_, index) => hashes[index] === hashes[0])
  if (same.length === 0) return null
  return same.map(({ error: _, ...test }) => storableTest(SuiteTest.parse(test)))
}

function errorsOf(detail: string | null): unknown[] {
  try {
    const errors: unknown = JSON.parse(detail ?? 'null')?.observed?.errors
    return Array.isArray(errors) ? errors : []
  } catch {
    return []
  }
}

/** jsonb refuses NUL characters and lone surrogates. */
function storableTest<T>(test: T): T {
  return JSON.parse(JSON.stringify(test, (_, part) => (typeof part === 'string' ? toStorable(part) : part)))
}
