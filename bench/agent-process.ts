// An agent that is started by its command, in its own directory.
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { childrenOf, endProgram } from './server-process.ts'

export interface AgentProcess {
  /** The process id of the agent, not of the command. */
  pid: number
  /** Rejects if it ends by itself. */
  died: Promise<never>
  stop(): Promise<void>
}

/** Resolves when the process exists; its server sees when it is ready. */
export async function startAgent(environment: Record<string, string>): Promise<AgentProcess> {
  const command = fileURLToPath(new URL('../packages/cli/bin/vedette.mjs', import.meta.url))
  const dataDir = mkdtempSync(join(tmpdir(), 'vedette-bench-agent-'))
  const child = spawn(process.execPath, [command, 'agent'], {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: {
      ...process.env,
      LOG_LEVEL: 'WARN',
      AGENT_DATA_DIR: dataDir,
      AGENT_HEALTH_PORT: '0',
      ...environment,
    },
  })
  let isStopping = false
  const died = new Promise<never>((_, reject) => {
    child.once('exit', (code) => isStopping || reject(new Error(`the agent ended with ${code}`)))
  })
  died.catch(() => undefined)
  return {
    pid: await Promise.race([childOf(child.pid as number), died]),
    died,
    async stop() {
      isStopping = true
      await endProgram(child)
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function childOf(pid: number): Promise<number> {
  for (;;) {
    const [child] = childrenOf(pid)
    if (child !== undefined) return child
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}
