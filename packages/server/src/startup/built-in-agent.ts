// The agent that comes with a server: a child process running the agent program, which talks to this server like any
// other agent does. In: settings and a key. It is started again whenever it dies, until it is stopped.
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
  /** Of the running process; null between two of them. */
  pid(): number | null
  /** Runs in progress are finished and reported, for as long as the patience lasts. */
  stop(): Promise<void>
}

export interface BuiltInAgentOptions {
  config: Config
  /** Where this server listens. */
  port: number
  /** Known to this process and its agent only. */
  apiKey: string
  log: Log
}

const patienceMs = 10_000
const shortestWaitMs = 1_000
const longestWaitMs = 30_000
/** Who lived that long did not die of its start. */
const provenMs = 60_000

export function startBuiltInAgent(options: BuiltInAgentOptions): BuiltInAgent {
  const { log } = options
  let child: ChildProcess | null = null
  let waiting: NodeJS.Timeout | undefined
  let isStopping = false
  let waitMs = shortestWaitMs

  const start = () => {
    const startedAt = performance.now()
    metrics.builtInAgentStarts.add()
    const started = spawnAgent(options)
    child = started
    started.once('error', (error) => log.error({ err: error }, 'built-in-agent.failed'))
    started.once('close', (code, signal) => {
      child = null
      if (isStopping) return
      if (performance.now() - startedAt > provenMs) waitMs = shortestWaitMs
      log.error({ code, signal, nextStartInMs: waitMs }, 'built-in-agent.died')
      waiting = setTimeout(start, waitMs)
      waitMs = Math.min(longestWaitMs, waitMs * 2)
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
      const giveUp = setTimeout(() => last.kill('SIGKILL'), patienceMs)
      await closed
      clearTimeout(giveUp)
    },
  }
}

function spawnAgent({ config, port, apiKey }: BuiltInAgentOptions): ChildProcess {
  const program = fileURLToPath(import.meta.resolve('@vedette/agent/main'))
  return spawn(process.execPath, [program], {
    // A session of its own, which the agent raises above those of user code. It ends by AGENT_PARENT_PID, or by a signal of `stop`.
    detached: true,
    // Its log lines are lines of our log.
    stdio: ['ignore', 'ignore', config.LOG_LEVEL === 'silent' ? 'ignore' : 'inherit'],
    env: { ...inheritedEnvironment(), ...agentEnvironment(config, port), API_KEY: apiKey },
  })
}

/** The agent doesn't inherit the server's environment, which has the secrets of the store. */
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
    // Read when a process starts: with 500 TLS runs at once they save 150 MB and cost no time (measured).
    UV_THREADPOOL_SIZE: 16,
    MALLOC_ARENA_MAX: 2,
    NODE_OPTIONS: '--max-semi-space-size=4 --disable-warning=ExperimentalWarning',
    LOG_FORMAT: ownLogFormat(config.LOG_FORMAT),
    LOG_LEVEL: config.LOG_LEVEL === 'silent' ? 'ERROR' : config.LOG_LEVEL.toUpperCase(),
  }
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    ),
  )
}

/** Loopback, unless the server listens on one address only. */
function ownAddress(host: string): string {
  if (['0.0.0.0', '::', 'localhost', '127.0.0.1'].includes(host)) return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}
