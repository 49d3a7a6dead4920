// npm run drill -- upgrade [checkout of the release]
import { upgradeDrill } from './upgrade/upgrade.ts'

const [oldCheckout] = process.argv.slice(2)
const began = Date.now()
const faults = await upgradeDrill({ oldCheckout, log: console.log })
console.log(`upgrade: ${faults.length} faults in ${Math.round((Date.now() - began) / 1000)} s`)
process.exitCode = faults.length === 0 ? 0 : 1
