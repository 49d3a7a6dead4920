// The agent as a process: settings, signals, health. main.ts and main-uptime.ts define what it can run.

import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { availableParallelism, hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import type { CheckType } from '@vedette/contracts'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { errorCode, errorMessage } from '@vedette/safeguards/errors'
import { logFormat } from '@vedette/safeguards/log-line'
import { trimMemory } from '@vedette/safeguards/trim-memory'
import type { CodeExecutor, CodeSettings } from '../code/open-code.ts'
import { type Config, readConfig } from '../config.ts'
import { type Journal, openJournal } from '../connection/journal.ts'
import { createReports } from '../connection/report.ts'
import { createServerClient } from '../connection/server-client.ts'
import { createServerClock } from '../core/clock.ts'
import { createLog, type Log } from '../core/log.ts'
import { isAlive } from '../core/system.ts'
import { bodyBudget } from '../net/body-budget.ts'
import { pingMode } from '../net/ping.ts'
import { osLookup } from '../net/resolve.ts'
import { type Diagnose, limitDiagnoses } from '../run/diagnosis.ts'
import { createJobRunner, type JobDeps } from '../run/job.ts'
import { isCodeType } from '../run/run-limits.ts'
import { type Agent, type DrainPatience, startAgent } from './agent.ts'
import { renderAgentMetrics } from './agent-metrics.ts'
import { serveHealth } from './health.ts'

export interface AgentProgram {
  checkTypes: readonly CheckType[]
  runCheck: JobDeps['runCheck']
  /** Absent: the agent doesn't run user code. */
  openCode?(settings: CodeSettings): Promise<CodeExecutor>
  diagnose: Diagnose
  /** Called after draining, before the process ends. */
  close?(): Promise<void>
}

/** Ends the process when it is done. */
export async function runAgentProcess(program: AgentProgram): Promise<void> {
  // The young generation is small: threads that share its collection take 7 % of an agent's CPU time.
  setFlagsFromString('--no-parallel-scavenge')
  // The reader of the log may be gone.
  process.stderr.on('error', () => undefined)
  try {
    const config = readConfig()
    const format = logFormat(config.LOG_FORMAT, process.stderr.isTTY === true)
    const log = createLog(config.LOG_LEVEL, undefined, format)
    await run(config, program, log)
  } catch (error) {
    process.stderr.write(`\nThe Vedette agent did not start. ${errorMessage(error)}\n`)
    process.exit(1)
  }
}

async function run(config: Config, program: AgentProgram, log: Log): Promise<void> {
  const { version }: { version: string } = JSON.parse(
    readFileSync(new URL('../../package.json', import.meta.url), 'utf8'),
  )
  const identity = { agentId: randomUUID(), version, agentName: config.AGENT_NAME ?? hostname() }
  const clock = createServerClock()
  const client = createServerClient(
    { servers: config.SERVER_URL, apiKey: config.API_KEY, version, proxies: config },
    clock,
    log,
  )
  const sendsReports = config.EXTERNAL_OBSERVABILITY === 'on'
  const reports = createReports(identity, sendsReports ? client : null, clock, log)
  // A bug in one run must not end five hundred others.
  process.on('unhandledRejection', (error) => reports.reportBug('bug.unhandled-rejection', error))
  process.on('uncaughtException', (error) => reports.reportBug('bug.uncaught-exception', error))

  const network = networkPolicy({
    mode: config.AGENT_NETWORK === 'public' ? 'public' : 'default',
    allow: config.AGENT_ALLOW_NETWORKS,
    deny: config.AGENT_DENY_NETWORKS,
  })
  const context = {
    clock,
    network,
    userAgent: `Vedette/${version}`,
    ...(config.USE_OS_DNS_RESOLVER === 'true' && { lookup: osLookup }),
  }
  const onError = (message: string) => void reports.send(message)
  const bodies = bodyBudget(config.BODY_MEMORY_MB * 1_000_000)
  const journal = await lockJournal(config.AGENT_DATA_DIR, log)
  const capacity = {
    network: config.NETWORK_CONCURRENCY,
    code: config.JOB_CONCURRENCY ?? availableParallelism(),
  }
  const code = await program.openCode?.({
    capacity: capacity.code,
    config,
    client,
    log,
    onError,
    agentId: identity.agentId,
    context,
  })
  let ping = await pingMode()
  const eachMinute = async () => {
    // Changes of the operator's settings take effect without a restart.
    ping = await pingMode()
    // It takes milliseconds, which runs would measure: not while many are in flight.
    if (agent !== null && agent.status().inFlight < 10) await trimMemory()
  }
  setInterval(eachMinute, 60_000).unref()
  const facts = () => ({
    ...code?.facts(),
    pingMode: ping.mode,
    checkTypes: program.checkTypes,
    network: config.AGENT_NETWORK,
  })
  const runNetwork = createJobRunner({
    ...context,
    runCheck: program.runCheck,
    bodies,
    onError,
    sandbox: config.AGENT_SANDBOX,
    limits: config.AGENT_LIMITS,
    diagnoseFailure: limitDiagnoses({ diagnose: program.diagnose, network, clock }),
  })
  let agent: Agent | null = null
  const healthPort = await startHealth(config, log, {
    isReady: () => agent?.status().state === 'running',
    report: () => ({
      status: agent?.status().journalTrouble == null ? 'ok' : "not claiming: results can't be journaled",
      ...identity,
      ...agent?.status(),
      clockOffsetMs: clock.offsetMs,
      clockRoundTripMs: clock.roundTripMs,
      isServerReachable: client.isReachable,
      lastServerContact: client.lastContactAt === null ? null : new Date(client.lastContactAt).toISOString(),
      capacity,
      bodyMemoryBytes: bodies.usedBytes,
      memory: process.memoryUsage(),
      pingHint: ping.hint,
      ...facts(),
    }),
    metrics: () => {
      const { user, system } = process.cpuUsage()
      const { state, journalTrouble, undelivered = 0, inFlight = 0 } = agent?.status() ?? {}
      return renderAgentMetrics({
        vedette_agent_info: { [`{version="${version}"}`]: 1 },
        vedette_agent_ready: Number(state === 'running'),
        vedette_agent_server_up: Number(client.isReachable),
        vedette_agent_journal_up: Number(journalTrouble == null),
        vedette_agent_results_undelivered: undelivered,
        vedette_agent_clock_offset_seconds: clock.offsetMs === null ? null : clock.offsetMs / 1000,
        vedette_agent_max_runs: { '{kind="network"}': capacity.network, '{kind="code"}': capacity.code },
        vedette_agent_runs_in_progress: inFlight,
        vedette_agent_body_memory_bytes: bodies.usedBytes,
        process_cpu_seconds_total: (user + system) / 1e6,
        process_resident_memory_bytes: process.memoryUsage.rss(),
        process_start_time_seconds: Math.round(performance.timeOrigin) / 1000,
      })
    },
  })
  agent = startAgent({
    identity,
    locations: config.AGENT_LOCATIONS,
    checkTypes: program.checkTypes,
    capacity,
    client,
    clock,
    journal,
    log,
    reports,
    ...(code && { onUpcoming: (runs) => code.expectRuns(runs) }),
    async runJob(job, signal, waits) {
      if (code && isCodeType(job.checkType)) return code.runJob(job, signal, waits)
      if (job.setup.length + job.teardown.length > 0) await code?.providePackages(job, signal, waits)
      return runNetwork(job, signal, waits)
    },
    facts,
  })
  const close = async () => {
    await code?.close()
    await program.close?.()
  }
  handleSignals(agent, close, config.AGENT_PARENT_PID, log)
  await client.started
  const origins = config.SERVER_URL.map((url) => new URL(url).origin)
  log.info({ ...identity, servers: origins, healthPort }, 'agent.ready')
}

/** Together less than `lockPatienceMs`, for which the next agent waits for the directory. */
const parentGone: DrainPatience = { runsMs: 5_000, cancelMs: 5_000, deliveryMs: 2_000 }

function handleSignals(agent: Agent, close: () => Promise<void>, parent: number | undefined, log: Log): void {
  let isStopping = false
  const stop = async (reason: string, patience?: DrainPatience) => {
    if (isStopping) return
    isStopping = true
    log.info({ reason, inFlight: agent.status().inFlight }, 'agent.draining')
    await agent.drain(patience)
    await close()
    log.info({}, 'agent.stopped')
    process.exit(0)
  }
  const onSignal = (signal: string) => {
    // A signal to the process group reaches the built-in agent twice: from the sender and from its server.
    if (isStopping && parent !== undefined) return
    if (isStopping) process.exit(1)
    stop(signal)
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGHUP', onSignal)
  // A terminal sends Ctrl-C to all of its processes: the built-in agent waits for the signal of its server.
  process.on('SIGINT', (signal) => parent === undefined && onSignal(signal))
  if (parent !== undefined) setInterval(() => !isAlive(parent) && stop('parent gone', parentGone), 1_000)
}

const lockPatienceMs = 15_000
const lockRetryMs = 200

/** An agent that drains because its server was killed uses the directory for some more seconds. */
async function lockJournal(folder: string, log: Log): Promise<Journal> {
  const giveUpAt = performance.now() + lockPatienceMs
  for (let tries = 0; performance.now() < giveUpAt; tries++) {
    const journal = await openJournal(folder).catch((cause: Error) => {
      throw new Error(`AGENT_DATA_DIR (${folder}) can't be used: ${cause.message}`, { cause })
    })
    if (journal) return journal
    if (tries === 0) log.warn({ folder }, 'journal.waiting-for-another-agent')
    await sleep(lockRetryMs)
  }
  throw new Error(`Another agent uses ${folder}. Set AGENT_DATA_DIR to another directory.`)
}

const defaultHealthPort = 8081

/** Several agents can run on one machine: without a setting, an agent uses a free port if the default one is in use. */
async function startHealth(config: Config, log: Log, health: Parameters<typeof serveHealth>[1]) {
  const port = config.AGENT_HEALTH_PORT ?? defaultHealthPort
  try {
    return await serveHealth(port, health)
  } catch (cause) {
    if (config.AGENT_HEALTH_OPTIONAL === 'true') {
      log.warn({ port }, 'health.port-taken')
      return null
    }
    if (config.AGENT_HEALTH_PORT === undefined && errorCode(cause) === 'EADDRINUSE') {
      const free = await serveHealth(0, health)
      log.info({ taken: port }, `The health endpoints are on port ${free}, because port ${port} is in use.`)
      return free
    }
    const message = `The health port ${port} can't be used (${errorMessage(cause)}): set AGENT_HEALTH_PORT.`
    throw new Error(message, { cause })
  }
}
