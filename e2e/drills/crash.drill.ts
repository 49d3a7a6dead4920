// npm run drill -- crash: five rounds. The suite runs the same drill with one.
import { crashDrill } from './crash.ts'

const [rounds = 5, checks = 300] = process.argv.slice(2).map(Number)
const began = Date.now()
const books = await crashDrill({ rounds, checks, calmMs: 12_000, log: console.log })
for (const fault of books.faults) console.error(fault)
const { expected, executed, skipped, missed, results, faults } = books
console.log(
  `${rounds} × (server, agent, PostgreSQL) killed among ${checks} checks in ${Math.round((Date.now() - began) / 1000)} s: ` +
    `${expected} runs expected = ${executed} executed + ${skipped} skipped + ${missed} missed; ${results} results; ${faults.length} faults`,
)
process.exitCode = faults.length === 0 ? 0 : 1
