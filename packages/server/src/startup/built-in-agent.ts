// Runs the built-in agent as a child process, which calls this server like any other agent. It is restarted whenever it exits,
// until it is stopped.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { locationIds } from '@vedette/contracts'
import { agentSettings } from '../config/agent-settings.ts'
import { type Config, inheritedEnvironment } from '../config.ts'
import { type Log, ownLogFormat } from '../core/log.ts'
import { metrics } from '../prometheus/metrics.ts'

export interface BuiltInAgent {
  /** Null while no process is running. */
  pid(): number | null
  /** Lets runs in progress finish and report, for at most ten seconds. */
  stop(): Promise<void>
}

export interface BuiltInAgentOptions {
  config: Config
  port: number
  /** Known only to this process and its agent. */
  apiKey: string
  log: Log
}

const stopTimeoutMs = 10_000
const minBackoffMs = 1_000
const maxBackoffMs = 30_000
/** Uptime after which the restart backoff resets. */
const backoffResetMs = 60_000

export function startBuiltInAgent(options: BuiltInAgentOptions): BuiltInAgent {
  const { log } = options
  let child: ChildProcess | null = null
  let waiting: NodeJS.Timeout | undefined
  let isStopping = false
  let backoffMs = minBackoffMs

  const start = () => {
    const startedAt = performance.now()
    metrics.builtInAgentStarts.add()
    const started = spawnAgent(options)
    child = started
    started.once('error', (error) => log.error({ err: error }, 'built-in-agent.failed'))
    started.once('close', (code, signal) => {
      child = null
      if (isStopping) return
      if (performance.now() - startedAt > backoffResetMs) backoffMs = minBackoffMs
      log.error({ code, signal, nextStartInMs: backoffMs }, 'built-in-agent.died')
      waiting = setTimeout(start, backoffMs)
      backoffMs = Math.min(maxBackoffMs, backoffMs * 2)
    })
  }
  start()

  return {
    pid: () => child?.pid ?? null,
    async stop() {
      isStopping = true
      clearTimeout(waiting)
      const last = child
      if (last === null) return
      const closed = once(last, 'close')
      last.kill('SIGTERM')
      const timeout = setTimeout(() => last.kill('SIGKILL'), stopTimeoutMs)
      await closed
      clearTimeout(timeout)
    },
  }
}

function spawnAgent({ config, port, apiKey }: BuiltInAgentOptions): ChildProcess {
  const program = fileURLToPath(import.meta.resolve('@vedette/agent/main'))
  return spawn(process.execPath, [...process.execArgv, program], {
    // Its own session, which the agent gives a higher priority than user code. It exits when AGENT_PARENT_PID does, or on `stop`.
    detached: true,
    // It logs to the same stream as the server.
    stdio: ['ignore', 'ignore', config.LOG_LEVEL === 'silent' ? 'ignore' : 'inherit'],
    env: { ...inheritedEnvironment(), ...agentEnvironment(config, port), API_KEY: apiKey },
  })
}

/** The agent doesn't inherit the server's environment, which has the secrets of the database. */
export function agentEnvironment(config: Config, port: number): Record<string, string> {
  const settings = Object.entries(config).filter(([name]) => name in agentSettings && name !== 'AGENT')
  const environment: Record<string, unknown> = {
    ...Object.fromEntries(settings),
    SERVER_URL: `http://${ownAddress(config.HOST)}:${port}`,
    AGENT_DATA_DIR: join(config.DATA_DIR, 'agent'),
    AGENT_PARENT_PID: process.pid,
    AGENT_LOCATIONS: config.AGENT_LOCATIONS ?? locationIds.join(','),
    AGENT_HEALTH_OPTIONAL: 'true',
    MODEL_URL: config.MODEL_URL,
    MODEL_NAME: config.MODEL_NAME,
    MODEL_API_KEY: config.MODEL_API_KEY,
    // Read at process start; the same as of the command `vedette agent`.
    UV_THREADPOOL_SIZE: 16,
    MALLOC_ARENA_MAX: 2,
    NODE_OPTIONS: '--max-semi-space-size=32 --disable-warning=ExperimentalWarning',
    LOG_FORMAT: ownLogFormat(config.LOG_FORMAT),
    LOG_LEVEL: config.LOG_LEVEL === 'silent' ? 'ERROR' : config.LOG_LEVEL.toUpperCase(),
  }
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  )
}

/** Loopback, unless the server listens on one other address. */
function ownAddress(host: string): string {
  if (['0.0.0.0', '::', 'localhost', '127.0.0.1'].includes(host)) return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
