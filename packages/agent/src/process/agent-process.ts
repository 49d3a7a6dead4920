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
import type { CodeExecutor, CodeSettings } from '../code/open-code.ts'
import { type Config, readConfig } from '../config.ts'
import { type Journal, openJournal } from '../connection/journal.ts'
import { createReports } from '../connection/report.ts'
import { createServerClient } from '../connection/server-client.ts'
import { createServerClock } from '../core/clock.ts'
import { createLog, type Log } from '../core/log.ts'
import { bodyBudget } from '../net/body-budget.ts'
import { type PingMode, pingMode } from '../net/ping.ts'
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
  diagnose?: Diagnose
  /** Further facts for health, such as the isolation of scripts. */
  facts?(): Record<string, unknown>
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
  const version = ownVersion()
  const identity = { agentId: randomUUID(), version, agentName: config.AGENT_NAME ?? hostname() }
  const clock = createServerClock()
  const client = createServerClient(
    { servers: config.SERVER_URL, apiKey: config.API_KEY, version, proxies: proxiesOf(config) },
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
  const lookup = config.USE_OS_DNS_RESOLVER === 'true' ? { lookup: osLookup } : {}
  const userAgent = `Vedette/${version}`
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
    context: { clock, network, userAgent, ...lookup },
  })
  const ping = await watchPingMode()
  const facts = () => ({
    ...program.facts?.(),
    ...code?.facts(),
    pingMode: ping.current.mode,
    checkTypes: program.checkTypes,
    network: config.AGENT_NETWORK,
  })
  const runNetwork = createJobRunner({
    runCheck: program.runCheck,
    clock,
    network,
    userAgent,
    ...lookup,
    bodies,
    onError,
    sandbox: config.AGENT_SANDBOX,
    limits: config.AGENT_LIMITS,
    ...(program.diagnose && {
      diagnoseFailure: limitDiagnoses({ diagnose: program.diagnose, network, clock }),
    }),
  })
  let agent: Agent | null = null
  const health = await startHealth(config, log, {
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
      pingHint: ping.current.hint,
      ...facts(),
    }),
    metrics: () => {
      const { user, system } = process.cpuUsage()
      const status = agent?.status()
      return renderAgentMetrics({
        version,
        isReady: status?.state === 'running',
        isServerReachable: client.isReachable,
        isJournalWritable: status?.journalTrouble == null,
        undelivered: status?.undelivered ?? 0,
        clockOffsetMs: clock.offsetMs,
        slots: capacity,
        running: status?.inFlight ?? 0,
        bodyMemoryBytes: bodies.usedBytes,
        residentBytes: process.memoryUsage.rss(),
        cpuSeconds: (user + system) / 1e6,
        startedAtSeconds: performance.timeOrigin / 1000,
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
  handleSignals(agent, { close: () => closeAll(program, code) }, config, log)
  await client.started
  log.info(
    {
      ...identity,
      servers: config.SERVER_URL.map((url) => new URL(url).origin),
      healthPort: health?.port ?? null,
    },
    'agent.ready',
  )
}

/** Together less than `lockPatienceMs`, for which the next agent waits for the directory. */
const parentGone: DrainPatience = { runsMs: 5_000, cancelMs: 5_000, deliveryMs: 2_000 }

async function closeAll(program: AgentProgram, code: CodeExecutor | undefined): Promise<void> {
  await code?.close()
  await program.close?.()
}

function handleSignals(agent: Agent, program: { close(): Promise<void> }, config: Config, log: Log): void {
  const parent = config.AGENT_PARENT_PID
  let isStopping = false
  const stop = async (reason: string, patience?: DrainPatience) => {
    if (isStopping) return
    isStopping = true
    log.info({ reason, inFlight: agent.status().inFlight }, 'agent.draining')
    await agent.drain(patience)
    await program.close()
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

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errorCode(error) === 'EPERM'
  }
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
      const server = await serveHealth(0, health)
      log.info(
        { taken: port },
        `The health endpoints are on port ${server.port}, because port ${port} is in use.`,
      )
      return server
    }
    const message = `The health port ${port} can't be used (${errorMessage(cause)}): set AGENT_HEALTH_PORT.`
    throw new Error(message, { cause })
  }
}

const pingModeEveryMs = 60_000

/** Changes of the operator's settings take effect without a restart. */
async function watchPingMode(): Promise<{ current: PingMode }> {
  const watched = { current: await pingMode() }
  const update = async () => {
    watched.current = await pingMode()
  }
  setInterval(update, pingModeEveryMs).unref()
  return watched
}

function proxiesOf({ HTTPS_PROXY, HTTP_PROXY, NO_PROXY }: Config) {
  return {
    ...(HTTPS_PROXY !== undefined && { HTTPS_PROXY }),
    ...(HTTP_PROXY !== undefined && { HTTP_PROXY }),
    ...(NO_PROXY !== undefined && { NO_PROXY }),
  }
}

function ownVersion(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version
}
