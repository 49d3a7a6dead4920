// npm run drill -- rolling [checkout of the old commit]: the old commit is the one before the newest migration, or OLD_COMMIT.
// DRILL_CHECKS (500, each once a minute), DRILL_SIMULATED (45), DRILL_AGENTS (5) and DRILL_CALM_SECONDS (60) shorten it.
import { ensurePackages } from './failover/debian.ts'
import { postgresProgram } from './failover/postgres-pair.ts'
import { haproxyProgram } from './rolling/haproxy.ts'
import { rollingDrill } from './rolling/rolling.ts'

const [oldCheckout] = process.argv.slice(2)
const {
  DRILL_CHECKS = '500',
  DRILL_SIMULATED = '45',
  DRILL_AGENTS = '5',
  DRILL_CALM_SECONDS = '60',
} = process.env
ensurePackages({ 'postgresql-15': postgresProgram, haproxy: haproxyProgram })
const began = Date.now()
const faults = await rollingDrill({
  checks: Number(DRILL_CHECKS),
  simulatedAgents: Number(DRILL_SIMULATED),
  agents: Number(DRILL_AGENTS),
  calmMs: Number(DRILL_CALM_SECONDS) * 1000,
  pauseMs: 150,
  oldCheckout,
  log: (line) => console.log(`${new Date().toISOString().slice(11, 19)} ${line}`),
})
for (const fault of faults.slice(0, 50)) console.error(fault)
console.log(`rolling: ${faults.length} faults in ${Math.round((Date.now() - began) / 1000)} s`)
process.exitCode = faults.length === 0 ? 0 : 1
