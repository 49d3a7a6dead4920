// npm run drill -- failover [checks] [direct|pgbouncer]: with PostgreSQL alone, then with PgBouncer.
import { ensurePackages } from './failover/debian.ts'
import { failoverDrill } from './failover/failover.ts'
import { bouncerProgram } from './failover/pgbouncer.ts'
import { postgresProgram } from './failover/postgres-pair.ts'

const [checks = '150', only] = process.argv.slice(2)
ensurePackages({ 'postgresql-15': postgresProgram, pgbouncer: bouncerProgram })
const began = Date.now()
const faults: string[] = []
for (const hasBouncer of [false, true].filter(
  (one) => only === undefined || one === (only === 'pgbouncer'),
)) {
  const name = hasBouncer ? 'with PgBouncer' : 'without PgBouncer'
  const log = (line: string) => console.log(`${name}: ${line}`)
  faults.push(...(await failoverDrill({ hasBouncer, checks: Number(checks), calmMs: 12_000, log })))
}
for (const fault of faults) console.error(fault)
console.log(`failover: ${faults.length} faults in ${Math.round((Date.now() - began) / 1000)} s`)
process.exitCode = faults.length === 0 ? 0 : 1
