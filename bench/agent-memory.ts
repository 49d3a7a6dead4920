// The memory of an agent with many TLS runs in flight. Each has read its body except for the last byte: the target holds
// all of them until they are complete, repeatedly, until the memory no longer grows.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startAgent } from './agent-process.ts'
import { authority } from './certificates.ts'
import type { Closers } from './closers.ts'
import { type JobServer, startJobServer } from './job-server.ts'
import { apiJob } from './jobs.ts'
import { memoryOf, memoryText, peakRssMb } from './process-memory.ts'
import { freePort, startProgram } from './server-process.ts'

interface Load {
  inFlight: number
  waves: number
}

/** Its peak memory in MB. */
export async function measureAgentMemory(closers: Closers, load: Load): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-bench-memory-'))
  closers.add(() => rmSync(folder, { recursive: true, force: true }))
  const ca = join(folder, 'authority.pem')
  writeFileSync(ca, authority)
  const port = await freePort()
  const target = await startProgram('./holding-target.ts', {
    PORT: String(port),
    COMPANY: String(load.inFlight),
  })
  closers.add(() => target.stop())
  const jobs = await startJobServer()
  closers.add(() => jobs.close())
  const agent = await startAgent({ API_KEY: 'bench', SERVER_URL: jobs.url, NODE_EXTRA_CA_CERTS: ca })
  closers.add(() => agent.stop())
  await Promise.race([runWaves(jobs, `https://127.0.0.1:${port}/`, load), agent.died])
  const peak = peakRssMb(agent.pid)
  console.log(
    `memory     agent with ${load.inFlight} TLS runs of 10 kB in flight, ${load.waves} times over: peak ${peak.toFixed(0)} MB RSS, afterwards ${memoryText(memoryOf([agent.pid]))}`,
  )
  return peak
}

async function runWaves(jobs: JobServer, url: string, { inFlight, waves }: Load): Promise<void> {
  await jobs.claimed
  for (let wave = 0; wave < waves; wave++) {
    const results = await jobs.runOnce(apiJob(url, []), inFlight)
    // The first ones may have waited long enough to count as slow.
    const odd = results.find(({ outcome }) => outcome !== 'passed' && outcome !== 'degraded')
    if (odd) throw new Error(`a run did not pass: ${JSON.stringify(odd)}`)
  }
}
