// npm run drill -- alerts: twenty kills. The suite runs the same drill with fewer.
import { formatBooks } from './alert-books.ts'
import { alertDrill } from './alerts.ts'

const [kills = 20, checks = 3] = process.argv.slice(2).map(Number)
const began = Date.now()
const books = await alertDrill({ kills, checks, log: console.log })
for (const fault of books.faults) console.error(fault)
const seconds = Math.round((Date.now() - began) / 1000)
console.log(`${kills} × kill -9 between decision and delivery in ${seconds} s: ${formatBooks(books)}`)
process.exitCode = books.faults.length === 0 ? 0 : 1
