// npm run drill -- containers: needs root and Debian.
import { containersDrill } from './containers/containers.ts'

const began = Date.now()
const faults = await containersDrill(console.log)
for (const fault of faults) console.error(`fault: ${fault}`)
console.log(`containers: ${faults.length} faults in ${Math.round((Date.now() - began) / 1000)} s`)
process.exitCode = faults.length === 0 ? 0 : 1
