// Installs a browser when the first run needs one, with the program that the operator or `npm start` names. Without one, runs
// report what to install.
import { spawn } from 'node:child_process'
import type { Log } from '../core/log.ts'

export type BrowserInstaller = ReturnType<typeof browserInstaller>

export interface BrowserInstallerSettings {
  /** Path of a JavaScript program. */
  program: string
  environment: Readonly<Record<string, string>>
  log: Pick<Log, 'info' | 'error'>
  retryMs?: number
}

const maxOutputLength = 2_000

export function browserInstaller(settings: BrowserInstallerSettings) {
  const { log, retryMs = 600_000 } = settings
  let installing: Promise<void> | null = null
  let endedAt = Number.NEGATIVE_INFINITY
  const start = async () => {
    const startedAt = performance.now()
    log.info({}, 'browser.installing')
    const { exitCode, output } = await run(settings)
    endedAt = performance.now()
    const tookMs = Math.round(endedAt - startedAt)
    if (exitCode === 0) log.info({ tookMs }, 'browser.installed')
    else log.error({ exitCode, output, nextTryInMs: retryMs }, 'browser.not-installed')
  }
  return {
    /** Never rejects: the caller searches for the browser afterwards. */
    install(): Promise<void> {
      if (installing === null && performance.now() - endedAt < retryMs) return Promise.resolve()
      installing ??= start().finally(() => {
        installing = null
      })
      return installing
    },
    get isInstalling() {
      return installing !== null
    },
  }
}

/** Its own session, not ended with the agent: an interrupted package manager leaves a system to repair by hand. */
function run({
  program,
  environment,
}: BrowserInstallerSettings): Promise<{ exitCode: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program], {
      env: environment,
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let output = ''
    child.stderr.on('data', (chunk) => {
      output = `${output}${chunk}`.slice(-maxOutputLength)
    })
    child.once('error', (error) => resolve({ exitCode: null, output: error.message }))
    child.once('close', (exitCode) => resolve({ exitCode, output }))
  })
}
