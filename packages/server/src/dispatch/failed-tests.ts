// Which tests of a suite failed for the same reason as the first of them. Agents wrote it: what is not as expected is left out.
import { SuiteTest } from '@vedette/contracts'
import { z } from 'zod'
import { errorGroupOf } from '../ingest/error-group.ts'

const most = 50

const FailedTest = SuiteTest.extend({
  testTitle: z.string().min(1),
  error: z.object({ message: z.string() }),
})

export function failedTests(detail: string | null): z.output<typeof SuiteTest>[] | null {
  const told = toldErrors(detail)
    .slice(0, most)
    .flatMap((one) => FailedTest.safeParse(one).data ?? [])
  const hashes = told.map(({ error }) => errorGroupOf(error.message).errorHash)
  const same = told.filter((_, index) => hashes[index] === hashes[0])
  if (same.length === 0) return null
  return same.map(({ error: _, ...place }) => storable(SuiteTest.parse(place)))
}

function toldErrors(detail: string | null): unknown[] {
  try {
    const errors: unknown = JSON.parse(detail ?? 'null')?.observed?.errors
    return Array.isArray(errors) ? errors : []
  } catch {
    return []
  }
}

/** jsonb takes no NUL and no half of a surrogate pair. */
function storable<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (_, part) =>
      typeof part === 'string' ? part.replaceAll('\0', '').toWellFormed() : part,
    ),
  )
}
