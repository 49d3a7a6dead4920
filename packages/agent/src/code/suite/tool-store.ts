// Programs for suites: versions of Node, npm, pnpm, yarn and bun, each installed from npm once per version, without install
// scripts. They are mounted read-only into cells.

import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorMessage } from '@vedette/safeguards/errors'
import type { Log } from '../../core/log.ts'
import { untilAborted } from '../../core/until-aborted.ts'
import { runNpm } from '../../runtimes/run-npm.ts'
import { SuiteError } from './suite-error.ts'

export type ToolStore = Awaited<ReturnType<typeof openToolStore>>

const versionPattern = /^\d+(\.\d+){0,2}(-[0-9A-Za-z.-]+)?$/
const installTimeoutMs = 180_000

export async function openToolStore(options: {
  folder: string
  /** The operator's settings for npm, without the agent's secrets. */
  npmEnvironment: Readonly<Record<string, string>>
  log: Log
}) {
  const { folder, npmEnvironment, log } = options
  await mkdir(folder, { recursive: true, mode: 0o755 })
  // What a killed agent left: the directory belongs to one agent.
  for (const name of await readdir(folder))
    if (name.startsWith('.staging-')) await rm(join(folder, name), { recursive: true, force: true })
  const installing = new Map<string, Promise<string>>()

  const install = async (packageName: string, version: string): Promise<string> => {
    const target = join(folder, `${packageName.replace('/', '+')}@${version}`)
    const found = join(target, 'node_modules', packageName)
    if (await stat(found).catch(() => null)) return found
    const staging = await mkdtemp(join(folder, '.staging-'))
    try {
      await writeFile(join(staging, 'package.json'), '{"private":true}\n')
      const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock', '--no-bin-links']
      await runNpm({
        folder: staging,
        args: ['install', ...flags, `${packageName}@${version}`],
        environment: npmEnvironment,
        timeoutMs: installTimeoutMs,
      })
      await rename(staging, target)
    } catch (cause) {
      await rm(staging, { recursive: true, force: true })
      const message = `The package ${packageName} ${version} couldn't be installed: ${errorMessage(cause)}`
      throw new SuiteError(message, { cause })
    }
    log.info({ packageName, version }, 'suite.tool-installed')
    return found
  }

  return {
    /** Returns the directory of the package on this machine. */
    async ensure(packageName: string, version: string, signal: AbortSignal): Promise<string> {
      if (!versionPattern.test(version))
        throw new SuiteError(
          `The version ${version} of ${packageName} isn't valid. Correct engineVersion or packageManager.`,
        )
      const key = `${packageName}@${version}`
      let running = installing.get(key)
      if (!running) {
        // Not aborted by the signal: other runs may wait for it too.
        running = install(packageName, version).finally(() => installing.delete(key))
        running.catch(() => undefined)
        installing.set(key, running)
      }
      return untilAborted(running, signal)
    },
  }
}
