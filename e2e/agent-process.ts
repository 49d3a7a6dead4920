// An agent as operators run it: the published command, a key, and its own directory.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { until } from './until.ts'

export const agentCommand = [
  process.execPath,
  fileURLToPath(new URL('../packages/cli/bin/vedette.mjs', import.meta.url)),
  'agent',
]

export class AgentProcess {
  readonly dataDir = mkdtempSync(join(tmpdir(), 'vedette-agent-'))
  readonly #child: ChildProcess
  #log = ''

  private constructor(environment: Record<string, string>) {
    const [command, ...words] = agentCommand
    this.#child = spawn(command as string, words, {
      stdio: ['ignore', 'pipe', 'pipe'],
      // Its own process group, so that kill also ends the program behind the command.
      detached: true,
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        AGENT_HEALTH_PORT: '0',
        AGENT_DATA_DIR: this.dataDir,
        LOG_LEVEL: 'DEBUG',
        ...environment,
      },
    })
    for (const stream of [this.#child.stdout, this.#child.stderr]) {
      stream?.on('data', (chunk) => {
        this.#log += chunk
      })
    }
  }

  /** Resolves when its health endpoint responds. */
  static async start(environment: Record<string, string>): Promise<AgentProcess> {
    const agent = new AgentProcess(environment)
    await until('the agent to be ready', () => agent.#healthPort() ?? agent.#isGone(), 60_000)
    if (agent.#isGone()) throw new Error(`the agent did not start:\n${agent.log()}`)
    return agent
  }

  log = () => this.#log

  /** The status of a health endpoint; null if the connection fails. */
  async health(path: string): Promise<number | null> {
    const response = await this.#ask(path)
    await response?.body?.cancel()
    return response?.status ?? null
  }

  async report(): Promise<Record<string, unknown>> {
    return (await (await this.#ask('/health'))?.json()) as Record<string, unknown>
  }

  /** Resolves to its exit code after it has drained. */
  async terminate(): Promise<number | null> {
    const closed = once(this.#child, 'close')
    this.#child.kill('SIGTERM')
    return (await closed)[0]
  }

  async kill(): Promise<void> {
    if (this.#isGone()) return
    const closed = once(this.#child, 'close')
    process.kill(-(this.#child.pid as number), 'SIGKILL')
    await closed
  }

  async remove(): Promise<void> {
    await this.kill()
    rmSync(this.dataDir, { recursive: true, force: true })
  }

  #isGone = () => this.#child.exitCode !== null || this.#child.signalCode !== null

  #healthPort = () => this.#log.match(/"healthPort":(\d+)/)?.[1] ?? null

  #ask(path: string): Promise<Response | null> {
    return fetch(`http://127.0.0.1:${this.#healthPort()}${path}`).catch(() => null)
  }
}
