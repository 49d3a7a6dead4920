// CPU time of an HTTP and of an HTTPS check with a new connection each: our agent and Debian's blackbox exporter, both
// probing the same server in turns. Ours is the agent process with everything that a job needs: claim, request with its
// phases, assertions, result, journal, report. Theirs includes its HTTP API.
// npm run bench -- probe [rounds] [seconds]
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ReportedResult } from '@vedette/contracts'
import { type AgentProcess, startAgent } from './agent-process.ts'
import { type Exporter, startExporter } from './blackbox-exporter.ts'
import { authority } from './certificates.ts'
import { Closers } from './closers.ts'
import { type JobServer, startJobServer } from './job-server.ts'
import { apiJob } from './jobs.ts'
import { median } from './load.ts'
import { cpuSeconds, freePort, startProgram } from './server-process.ts'

const [rounds = 5, seconds = 6] = process.argv.slice(2).map(Number)
const inFlight = 100
/** Afterwards the threads that compile are idle, as in an agent that has run for minutes. */
const warmUpRuns = 5_000
const goals = { plain: 0.4, tls: 1 }
type Kind = keyof typeof goals
const kinds: Kind[] = ['plain', 'tls']

const assertions = [
  { source: 'STATUS_CODE', property: '', comparison: 'EQUALS', target: '200', regex: null },
  { source: 'JSON_BODY', property: '$.status', comparison: 'EQUALS', target: 'ok', regex: null },
]

const ports = { plain: await freePort(), tls: await freePort() }
const urls = { plain: `http://127.0.0.1:${ports.plain}/`, tls: `https://127.0.0.1:${ports.tls}/` }
const closers = new Closers()
try {
  process.exitCode = (await compare()) ? 0 : 1
} finally {
  await closers.close()
}

async function compare(): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-bench-probe-'))
  closers.add(() => rmSync(folder, { recursive: true, force: true }))
  const ca = join(folder, 'authority.pem')
  writeFileSync(ca, authority)
  const target = await startProgram('./probe-target.ts', {
    PLAIN_PORT: String(ports.plain),
    TLS_PORT: String(ports.tls),
  })
  closers.add(() => target.stop())
  const exporter = await startExporter(folder, ca).catch((error: Error) => {
    console.log(`NO COMPARISON: ${error.message}`)
    return null
  })
  closers.add(() => exporter?.stop())
  const jobs = await startJobServer()
  closers.add(() => jobs.close())
  const agent = await startAgent({ API_KEY: 'bench', SERVER_URL: jobs.url, NODE_EXTRA_CA_CERTS: ca })
  closers.add(() => agent.stop())
  await Promise.race([jobs.claimed, agent.died])
  if (exporter)
    console.log(`against prometheus-blackbox-exporter ${exporter.version}, Node ${process.version}`)
  return Promise.race([measure(jobs, agent, exporter), agent.died])
}

/** Whether all goals were met; without the exporter there is no comparison. */
async function measure(jobs: JobServer, agent: AgentProcess, exporter: Exporter | null): Promise<boolean> {
  const ours = async (kind: Kind, ms: number) => {
    const results = await jobs.run(apiJob(urls[kind], assertions), { inFlight, ms })
    checkResults(results, kind)
    return results.length
  }
  const theirs = async (kind: Kind, ms: number) => exporter?.run(urls[kind], { inFlight, ms }) ?? 0
  const spent: Record<Kind, { ours: number[]; theirs: number[] }> = {
    plain: { ours: [], theirs: [] },
    tls: { ours: [], theirs: [] },
  }
  for (const kind of kinds) {
    // Warm-up: code compiled, connections open, pages in memory. By count, since V8 compiles by the number of calls.
    for (let count = 0; count < warmUpRuns; ) count += await ours(kind, 1_000)
    if (exporter) await theirs(kind, 1_000)
  }
  for (let round = 1; round <= rounds; round++) {
    for (const kind of kinds) {
      spent[kind].ours.push(await microsEach(agent.pid, () => ours(kind, seconds * 1000)))
      if (exporter)
        spent[kind].theirs.push(await microsEach(exporter.pid, () => theirs(kind, seconds * 1000)))
      const [a, b] = [spent[kind].ours.at(-1), spent[kind].theirs.at(-1)]
      console.log(
        `round ${round}, ${kind}: ours ${a?.toFixed(0)} µs${b ? `, exporter ${b.toFixed(0)} µs` : ''}`,
      )
    }
  }
  let isMet = exporter !== null
  for (const kind of kinds) {
    const [a, b] = [median(spent[kind].ours), median(spent[kind].theirs)]
    if (!exporter) {
      console.log(`${kind.padEnd(5)} ${a.toFixed(0)} µs of CPU per check; no ratio without the exporter`)
      continue
    }
    isMet &&= a / b <= goals[kind]
    console.log(
      `${kind.padEnd(5)} ${a.toFixed(0)} µs of CPU per check, exporter ${b.toFixed(0)} µs: ${(a / b).toFixed(2)}× ` +
        `(goal: at most ${goals[kind]}× — ${a / b <= goals[kind] ? 'met' : 'MISSED'})`,
    )
  }
  return isMet
}

async function microsEach(pid: number, work: () => Promise<number>): Promise<number> {
  const before = cpuSeconds([pid])
  const count = await work()
  return ((cpuSeconds([pid]) - before) / count) * 1e6
}

/** Failed runs would be too cheap. */
function checkResults(results: ReportedResult[], kind: Kind): void {
  const odd = results.find(
    ({ outcome, metrics, sslDaysRemaining }) =>
      outcome !== 'passed' || metrics.includes(null) || (kind === 'tls') !== (sslDaysRemaining !== null),
  )
  if (odd) throw new Error(`a run did not pass: ${JSON.stringify(odd)}`)
}
