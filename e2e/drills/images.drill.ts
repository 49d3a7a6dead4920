// npm run drill -- images: needs root and Debian.
import { imagesDrill } from './images/images.ts'

const began = Date.now()
const faults = await imagesDrill(console.log)
for (const fault of faults) console.error(`fault: ${fault}`)
console.log(`images: ${faults.length} faults in ${Math.round((Date.now() - began) / 1000)} s`)
process.exitCode = faults.length === 0 ? 0 : 1
