// Installs a runtime from its lock file with npm, atomically: into a temporary directory, which is renamed at the end. A lock
// serializes installations of all processes that share the directory.

import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runtimeIds } from '@vedette/contracts/runtime-ids'
import { errorMessage } from '@vedette/safeguards/errors'
import { type FolderLock, lockFolder } from '../core/folder-lock.ts'
import type { Log } from '../core/log.ts'
import { findRuntime, type RuntimeStamp, stampFile } from './find-runtime.ts'
import {
  helpers,
  installationKey,
  isRuntime,
  manifestFolder,
  type RuntimeName,
  readPackage,
} from './manifest.ts'
import { runNpm } from './run-npm.ts'
import type { InstalledRuntime } from './runtime.ts'

export interface InstallSettings {
  runtimesDir: string
  /** npm's settings, proxies and certificates. */
  npmEnvironment: Readonly<Record<string, string>>
  log: Pick<Log, 'info'>
  signal?: AbortSignal
}

/** Resolves at once if it is installed. Rejects with an error that says what to do. */
export async function ensureRuntime(name: string, settings: InstallSettings): Promise<InstalledRuntime> {
  if (!isRuntime(name)) throw new Error(`There is no runtime ${name}: there are ${runtimeIds.join(', ')}.`)
  const { runtimesDir, signal } = settings
  const present = findRuntime(name, runtimesDir)
  if (present) return present
  const home = join(runtimesDir, name)
  // Readable for others: user code runs as another user.
  mkdirSync(home, { recursive: true, mode: 0o755 })
  const lock = await waitForLock(home, settings)
  try {
    return findRuntime(name, runtimesDir) ?? (await install(name, home, settings))
  } catch (cause) {
    if (signal?.aborted) throw signal.reason
    throw new Error(
      `The runtime ${name} can't be installed: ${errorMessage(cause)}. It comes from the npm registry: check ` +
        `npm's settings (registry, proxy) and the free disk space, then run "vedette runtime install ${name}".`,
      { cause },
    )
  } finally {
    await lock.release()
  }
}

const lockRetryMs = 500

async function waitForLock(home: string, { log, signal }: InstallSettings): Promise<FolderLock> {
  for (let tries = 0; ; tries++) {
    const lock = await lockFolder(home)
    if (lock) return lock
    if (tries === 0) log.info({ folder: home }, 'runtime.waiting-for-another-installation')
    await sleep(lockRetryMs, undefined, signal && { signal })
  }
}

const unfinished = '.installing-'

async function install(name: RuntimeName, home: string, { npmEnvironment, log, signal }: InstallSettings) {
  const startedAt = performance.now()
  log.info({ runtime: name, folder: home }, 'runtime.installing')
  sweep(home)
  const staging = join(home, `${unfinished}${process.pid}`)
  mkdirSync(staging, { mode: 0o755 })
  try {
    for (const file of ['package.json', 'package-lock.json']) {
      cpSync(join(manifestFolder(name), file), join(staging, file))
    }
    await runNpm({ folder: staging, args: npmArguments, environment: npmEnvironment, signal })
    // Node's headers are for building packages, which never happens here: 65 MB.
    rmSync(join(staging, 'node_modules', platformNode, 'include'), { recursive: true, force: true })
    cpSync(helpers.folder, join(staging, 'node_modules', helpers.name), { recursive: true })
    const stamp: RuntimeStamp = {
      name,
      node: join('node_modules', platformNode, 'bin/node'),
      // The platform packages of some versions write v24.13.1.
      nodeVersion: versionOf(staging, platformNode).replace(/^v/, ''),
      playwrightVersion: versionOf(staging, 'playwright'),
    }
    writeFileSync(join(staging, stampFile), `${JSON.stringify(stamp)}\n`)
    const folder = join(home, installationKey(name))
    rmSync(folder, { recursive: true, force: true })
    renameSync(staging, folder)
    log.info({ runtime: name, tookMs: Math.round(performance.now() - startedAt) }, 'runtime.installed')
    return { ...stamp, folder }
  } catch (error) {
    rmSync(staging, { recursive: true, force: true, maxRetries: 3 })
    throw error
  }
}

// No scripts: these packages run only in the sandbox. The `include` flags override a user's npmrc.
const npmArguments = [
  ...['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline', '--loglevel=error'],
  ...['prod', 'optional', 'peer'].map((kind) => `--include=${kind}`),
]

/** Removes what a killed installation left. If its npm still writes, the next installation removes it. */
function sweep(home: string): void {
  for (const entry of readdirSync(home).filter((entry) => entry.startsWith(unfinished))) {
    try {
      rmSync(join(home, entry), { recursive: true, force: true, maxRetries: 3 })
    } catch {}
  }
}

const platformNode = `node-${process.platform}-${process.arch}`

function versionOf(folder: string, name: string): string {
  try {
    return readPackage(join(folder, 'node_modules', name)).version
  } catch (cause) {
    const hint = name === platformNode ? ' (runtimes are for Linux on x64 and arm64)' : ''
    throw new Error(`npm did not install ${name}${hint}`, { cause })
  }
}
