// npm run bench -- neighbors [rounds]: how long 5 ms of work take an agent beside a run that uses all CPU. Without control groups,
// the priority of the agent's session and the low priority of the run protect it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const variants = ['alone', 'unprotected', 'protected'] as const
type Variant = (typeof variants)[number]

const program = fileURLToPath(new URL('../packages/agent/src/sandbox/neighbors.fixture.ts', import.meta.url))

const [rounds = 3] = process.argv.slice(2).map(Number)
const medians: Record<Variant, number[]> = { alone: [], unprotected: [], protected: [] }
for (let round = 0; round < rounds; round++) {
  for (const name of variants) {
    const { medianMs, highMs } = JSON.parse(await runAsAgent(name))
    console.log(`${name.padEnd(11)} median ${medianMs} ms, 95 % within ${highMs} ms`)
    medians[name].push(medianMs)
  }
}
const best = variants.map((name) => `${name} ${Math.min(...medians[name])} ms`)
console.log(`neighbors: 5 ms of work, best median of ${rounds}: ${best.join(', ')}`)

/** As a service: it leads its session. */
async function runAsAgent(name: Variant): Promise<string> {
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', program, name], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += chunk
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`the measurement ended with code ${code}`)
  return output
}
