// What the capacity bench measures: a server with its store, an agent and targets; and their counters.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { type AgentProcess, startAgent } from './agent-process.ts'
import { createAgentKey } from './api-calls.ts'
import { startTargets, type Targets } from './capacity-targets.ts'
import { authority } from './certificates.ts'
import type { Closers } from './closers.ts'
import { type CountingProxy, startCountingProxy } from './counting-proxy.ts'
import { type ProcessCpu, sumOf } from './process-cpu.ts'
import { memoryOf } from './process-memory.ts'
import { walBytes } from './row-bytes.ts'
import { connectTo, cpuSeconds, postgresOf, startVedette, type Vedette } from './server-process.ts'

/** A server compiles its code for two minutes after its start. */
const settleSeconds = 120
const idleSeconds = 20
const secretKey = 'a secret key of this bench only'

export interface Stage {
  vedette: Vedette
  store: pg.Client
  agent: AgentProcess
  link: CountingProxy
  targets: Targets
}

/** Of a moment, to subtract from that of another one. */
export interface Counters {
  at: number
  agent: number
  server: number
  store: number
  wal: number
  link: number
  target: number
}

type Part = 'agent' | 'server' | 'store'

/** CPU without load, as a share of a core. */
export type Idle = Record<Part, number>

export async function openStage(closers: Closers): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), 'vedette-bench-capacity-'))
  closers.add(() => rmSync(folder, { recursive: true, force: true }))
  const ca = join(folder, 'authority.pem')
  writeFileSync(ca, authority)
  const targets = await startTargets(closers)
  const vedette = await startVedette({ SECRET_KEY: secretKey, DETAIL_SAMPLE_PERCENT: '100' })
  closers.add(() => vedette.stop())
  const store = await connectTo(vedette)
  closers.add(() => store.end())
  const link = await startCountingProxy(Number(new URL(vedette.url).port))
  closers.add(() => link.close())
  const agent = await startAgent({
    API_KEY: createAgentKey(vedette, secretKey),
    SERVER_URL: `http://127.0.0.1:${link.port}`,
    AGENT_LOCATIONS: 'eu-west-1',
    JOB_CONCURRENCY: '2',
    NODE_EXTRA_CA_CERTS: ca,
  })
  closers.add(() => agent.stop())
  return { vedette, store, agent, link, targets }
}

/** `tree`: the processes of an agent that runs code. */
export async function readCounters(stage: Stage, tree: ProcessCpu | null = null): Promise<Counters> {
  const { vedette, store, agent, link, targets } = stage
  return {
    at: performance.now() / 1000,
    agent: tree === null ? cpuSeconds([agent.pid]) : sumOf(tree.read()) / 1000,
    server: cpuSeconds([vedette.pid]),
    store: cpuSeconds(postgresOf(vedette)),
    wal: await walBytes(store),
    link: link.bytes(),
    target: targets.bytes(),
  }
}

export async function measureIdle(stage: Stage): Promise<Idle> {
  await stage.store.query('delete from checks')
  await sleep(settleSeconds * 1000)
  const before = await readCounters(stage)
  await sleep(idleSeconds * 1000)
  const after = await readCounters(stage)
  const share = (part: Part) => (after[part] - before[part]) / (after.at - before.at)
  return { agent: share('agent'), server: share('server'), store: share('store') }
}

/** Microseconds of each of `count` equal operations, without what is used without load. */
export function cpuMicros(
  before: Counters,
  after: Counters,
  count: number,
  idle: Idle,
): Record<Part, number> {
  const elapsed = after.at - before.at
  const micros = (part: Part) =>
    Math.max(0, ((after[part] - before[part] - idle[part] * elapsed) / count) * 1e6)
  return { agent: micros('agent'), server: micros('server'), store: micros('store') }
}

export function memoryOfParts({ vedette, agent }: Stage): Record<Part, number> {
  const mb = (pids: number[]) => memoryOf(pids).pssMb
  return { agent: mb([agent.pid]), server: mb([vedette.pid]), store: mb(postgresOf(vedette)) }
}
