// npm run drill -- citus: needs PostgreSQL of Debian, and Citus installed or in the archive CITUS_ARCHIVE.
import { NoExtension } from './citus/nodes.ts'
import { citusDrill } from './citus.ts'

const [checks = 300] = process.argv.slice(2).map(Number)
const results = 'packages/server/src/http/results'
const began = Date.now()
try {
  const books = await citusDrill({
    archive: process.env.CITUS_ARCHIVE,
    checks,
    absentMs: 60_000,
    measureMs: 30_000,
    tests: [
      'packages/server/src/analytics/roll-up.test.ts',
      `${results}/analytics`,
      `${results}/check-results.test.ts`,
      `${results}/overview`,
      'packages/server/src/http/runs/coverage.test.ts',
      'packages/server/src/dispatch/settle.test.ts',
    ],
    log: console.log,
  })
  for (const fault of books.faults) console.error(fault)
  const { expected, executed, skipped, missed, results: recorded, faults } = books
  console.log(
    `${expected} runs expected = ${executed} executed + ${skipped} skipped + ${missed} missed; ${recorded} results; ` +
      `${faults.length} faults in ${Math.round((Date.now() - began) / 1000)} s`,
  )
  process.exitCode = faults.length === 0 ? 0 : 1
} catch (error) {
  if (!(error instanceof NoExtension)) throw error
  console.error(error.message)
  process.exitCode = 1
}
