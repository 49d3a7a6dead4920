// The tests of a suite that failed for the same reason as the first failed one. Entries that aren't valid are left out: the
// detail comes from an agent.
import { SuiteTest } from '@vedette/contracts'
import { z } from 'zod'
import { errorGroupOf } from '../ingest/error-group.ts'

const maxTests = 50

const FailedTest = SuiteTest.extend({
  testTitle: z.string().min(1),
  error: z.object({ message: z.string() }),
})

export function failedTests(detail: string | null): z.output<typeof SuiteTest>[] | null {
  const failed = errorsOf(detail)
    .slice(0, maxTests)
    .flatMap((one) => FailedTest.safeParse(one).data ?? [])
  const hashes = failed.map(({ error }) => errorGroupOf(error.message).errorHash)
  const same = failed.filter((_, index) => hashes[index] === hashes[0])
  if (same.length === 0) return null
  return same.map(({ error: _, ...test }) => toStorable(SuiteTest.parse(test)))
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
function toStorable<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (_, part) =>
      typeof part === 'string' ? part.replaceAll('\0', '').toWellFormed() : part,
    ),
  )
}
