// Programs that suites need and this machine may lack: Node versions, npm, pnpm, yarn and bun, each from npm by the name of
// its package, once per version. No install script of theirs is run. They are mounted read-only into cells.

import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorMessage } from '@vedette/safeguards/errors'
import type { Log } from '../../core/log.ts'
import { untilAborted } from '../../core/until-aborted.ts'
import { runNpm } from '../../runtimes/run-npm.ts'
import { BundleError } from './bundle-error.ts'

export interface ToolStore {
  /** The package's own folder on this machine. */
  ensure(packageName: string, version: string, signal: AbortSignal): Promise<string>
}

const versionPattern = /^\d+(\.\d+){0,2}(-[0-9A-Za-z.-]+)?$/
const installTimeoutMs = 180_000

export async function openToolStore(options: {
  folder: string
  /** For npm: the operator's settings, and no secret of the agent's. */
  npmEnvironment: Readonly<Record<string, string>>
  log: Log
}): Promise<ToolStore> {
  const { folder, npmEnvironment, log } = options
  await mkdir(folder, { recursive: true, mode: 0o755 })
  // Of an agent that was killed: the folder belongs to one agent.
  for (const name of await readdir(folder))
    if (name.startsWith('.staging-')) await rm(join(folder, name), { recursive: true, force: true })
  const underWay = new Map<string, Promise<string>>()

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
      throw new BundleError(
        `The package ${packageName} ${version} could not be installed: ${errorMessage(cause)}`,
        {
          cause,
        },
      )
    }
    log.info({ packageName, version }, 'suite.tool-installed')
    return found
  }

  return {
    async ensure(packageName, version, signal) {
      if (!versionPattern.test(version))
        throw new BundleError(
          `The version ${version} of ${packageName} isn't valid. Correct engineVersion or packageManager.`,
        )
      const key = `${packageName}@${version}`
      let running = underWay.get(key)
      if (!running) {
        // Whoever waits may be called off; the others still want it.
        running = install(packageName, version).finally(() => underWay.delete(key))
        running.catch(() => undefined)
        underWay.set(key, running)
      }
      return untilAborted(running, signal)
    },
  }
}
