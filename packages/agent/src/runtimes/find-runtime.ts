// Finds installed runtimes. Reads the disk each time, so that a running agent finds a new runtime at once.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runtimeIds } from '@vedette/contracts/runtime-ids'
import { installationKey, isRuntime } from './manifest.ts'
import type { InstalledRuntime } from './runtime.ts'

/** Written last, before the directory is renamed. */
export const stampFile = 'vedette-runtime.json'

export type RuntimeStamp = Omit<InstalledRuntime, 'folder'>

/** Null: not installed, or installed from another lock file than this agent's. */
export function findRuntime(name: string, runtimesDir: string): InstalledRuntime | null {
  if (!isRuntime(name)) return null
  const folder = join(runtimesDir, name, installationKey(name))
  const stamp = readStamp(folder)
  return stamp && { ...stamp, folder }
}

export function listInstalled(runtimesDir: string): InstalledRuntime[] {
  return runtimeIds.flatMap((name) => findRuntime(name, runtimesDir) ?? [])
}

/** Installed by other versions of the agent, unused by this one. */
export function listOutdated(runtimesDir: string): string[] {
  return runtimeIds.flatMap((name) => {
    const home = join(runtimesDir, name)
    const others = globSync(`*/${stampFile}`, { cwd: home, exclude: [`${installationKey(name)}/**`] })
    return others.map((stamp) => join(home, dirname(stamp)))
  })
}

function readStamp(folder: string): RuntimeStamp | null {
  try {
    return JSON.parse(readFileSync(join(folder, stampFile), 'utf8'))
  } catch {
    return null
  }
}
