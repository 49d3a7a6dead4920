// For tests with trusted code: a cell without isolation, and replays in it.
import { spawn } from 'node:child_process'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Job } from '@vedette/contracts'
import { findBrowsers } from '../../runtimes/browsers.ts'
import { layOutBrowsers } from '../../runtimes/browsers-folder.ts'
import type { BrowsersFolder, InstalledRuntime } from '../../runtimes/runtime.ts'
import type { Cell, CellEnd, CellProgram, OpenCell, RunningProgram } from '../../sandbox/cell.ts'
import type { CodeOutcome } from '../code-runner.ts'

export async function testBrowsers(runtime: InstalledRuntime): Promise<BrowsersFolder> {
  return layOutBrowsers({
    playwrightCore: join(runtime.folder, 'node_modules/playwright-core'),
    into: await mkdtemp(join(tmpdir(), 'vedette-agentic-browsers-')),
    browserArgs: [],
    programs: findBrowsers({}),
  })
}

/** Ordinary processes in their own directory. */
export const openPlainCell: OpenCell = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vedette-agentic-cell-'))
  const running = new Set<RunningProgram>()
  const cell: Cell = {
    folder,
    work: folder,
    chown: async () => {},
    environment: { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: folder, TZ: 'UTC' },
    level: 'fallback',
    limits: 'polling',
    start(program) {
      const started = startProgram(program)
      running.add(started)
      return started
    },
    connectionFailures: () => [],
    async end() {
      for (const program of running) program.kill()
      await Promise.all([...running].map(({ ended }) => ended))
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  }
  return cell
}

function startProgram({ argv: [command = '', ...args], env, cwd, onOutput }: CellProgram): RunningProgram {
  const child = spawn(command, args, { env, cwd, detached: true, stdio: 'pipe' })
  child.stdout.on('data', (chunk) => onOutput?.('stdout', chunk))
  child.stderr.on('data', (chunk) => onOutput?.('stderr', chunk))
  child.stdin.on('error', () => undefined)
  const { promise: ended, resolve } = Promise.withResolvers<CellEnd>()
  child.once('close', (exitCode, signal) =>
    resolve({ exitCode, signal, reason: signal === null ? 'exited' : 'killed' }),
  )
  return {
    write: (data) => void child.stdin.write(data),
    closeInput: () => void child.stdin.end(),
    kill() {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      } catch {
        // It ended by itself.
      }
    },
    ended,
  }
}

export interface ReplayedWith {
  runtime: InstalledRuntime
  browsers: BrowsersFolder
  /** How long it looks for what is not on a page: for tests that know it will not be. */
  patienceMs?: number
}

/** The genuine test runner on a script, with its JSON report. */
export async function replayPlainly(
  { runtime, browsers, patienceMs }: ReplayedWith,
  script: string,
  job: Pick<Job, 'variables'>,
): Promise<CodeOutcome> {
  const cell = await openPlainCell({} as Parameters<OpenCell>[0], new AbortController().signal)
  const isHasty = patienceMs !== undefined
  const text = isHasty ? script.replace('actionTimeout: 10_000', `actionTimeout: ${patienceMs}`) : script
  await writeFile(join(cell.folder, 'script.spec.ts'), text)
  const report = join(cell.folder, 'report.json')
  const config = {
    reporter: [['json', { outputFile: report }]],
    retries: 0,
    ...(isHasty && { expect: { timeout: patienceMs } }),
  }
  await writeFile(join(cell.folder, 'playwright.config.cjs'), `module.exports = ${JSON.stringify(config)}`)
  await writeFile(join(cell.folder, 'package.json'), '{}')
  await symlink(join(runtime.folder, 'node_modules'), join(cell.folder, 'node_modules'))
  let output = ''
  const program = cell.start({
    argv: [join(runtime.folder, runtime.node), 'node_modules/@playwright/test/cli.js', 'test'],
    env: { ...cell.environment, ...job.variables, PLAYWRIGHT_BROWSERS_PATH: browsers.folder },
    cwd: cell.folder,
    onOutput: (_stream, chunk) => {
      output += chunk
    },
  })
  const { exitCode } = await program.ended
  const failure =
    exitCode === 0 ? null : ({ kind: 'script', message: 'the script failed', phase: 'judge' } as const)
  return {
    outcome: failure ? 'failed' : 'passed',
    failure,
    responseTimeMs: 1,
    metrics: {},
    sslDaysRemaining: null,
    detail: {},
    log: [{ time: 0, msg: output, level: 'INFO' }],
    files: [{ type: 'report', name: 'report.json', path: report, contentType: 'application/json' }],
    foundSecrets: [],
    release: () => cell.remove(),
  }
}
