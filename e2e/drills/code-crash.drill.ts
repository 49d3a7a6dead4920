// npm run drill -- code-crash [rounds]
import { codeCrashDrill } from './code-crash.ts'

const [rounds = 5] = process.argv.slice(2).map(Number)
const began = Date.now()
const { faults, killedProcesses, results } = await codeCrashDrill({ rounds, log: console.log })
for (const fault of faults) console.error(fault)
console.log(
  `${rounds} × an agent killed in the middle of a suite in ${Math.round((Date.now() - began) / 1000)} s: ` +
    `${killedProcesses} processes gone with it; ${results} results; ${faults.length} faults`,
)
process.exitCode = faults.length === 0 ? 0 : 1
