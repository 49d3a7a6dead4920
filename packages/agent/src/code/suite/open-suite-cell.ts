// Opens a cell with the bundle of a suite, its packages, commands and a home: for the install, or for the tests. Runs their
// commands in it.
import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { NetworkPolicy } from '@vedette/safeguards/address-policy'
import type { Cell, CellMount } from '../../sandbox/cell.ts'
import { suiteLimits } from '../../sandbox/code-limits.ts'
import { waitForEnd } from '../wait-for-end.ts'
import { machineFolders, mountsToCopy } from './cell-paths.ts'
import { copyTree } from './copy-tree.ts'
import type { Bundle } from './extract-bundle.ts'
import type { PackageManager } from './package-manager.ts'
import { type Registry, registryFiles } from './registry.ts'
import type { SuiteRun } from './suite-deps.ts'
import type { Toolbox } from './toolbox.ts'

/** The unpacked bundle, and what its packages are installed with. */
export interface SuiteContent {
  /** On this machine. */
  folder: string
  entries: Bundle
  manager: PackageManager
  toolbox: Toolbox
  registry: Registry
}

export async function openSuiteCell(
  { deps, context: { signal, lookup } }: SuiteRun,
  { folder, toolbox, registry }: SuiteContent,
  more: { network: NetworkPolicy; packages?: string; mounts?: readonly CellMount[] },
): Promise<Cell> {
  const { network, packages, mounts: others = [] } = more
  const mounts = [...toolbox.mounts, ...others]
  const cell = await deps.openCell({ mounts, limits: suiteLimits, network, lookup }, signal)
  try {
    const folders = machineFolders(cell)
    for (const path of Object.values(folders)) await mkdir(path, { mode: 0o755 })
    await copyTree(folder, folders.suite, { signal })
    if (packages) await copyTree(packages, folders.suite, { signal })
    for (const { from, to } of mountsToCopy(cell, mounts))
      await cp(from, join(cell.folder, to), { recursive: true, verbatimSymlinks: true })
    await toolbox.writeCommands(cell, folders.bin)
    for (const { name, text } of registryFiles(registry))
      await writeFile(join(folders.home, name), text, { mode: 0o644 })
    await cell.chown()
    return cell
  } catch (error) {
    await cell.end()
    await cell.remove()
    throw error
  }
}

export type CommandEnd = Awaited<ReturnType<typeof runCommand>>

/** Runs a command to its end. */
export async function runCommand(
  { log, context: { signal, clock } }: SuiteRun,
  cell: Cell,
  command: { line: string; cwd: string; env: Readonly<Record<string, string>>; limitMs: number },
) {
  const { line, cwd, env, limitMs } = command
  signal.throwIfAborted()
  log.note(`$ ${line}`)
  const begin = clock.monotonic()
  const program = cell.start({ argv: ['/bin/sh', '-c', line], env, cwd, onOutput: log.write })
  program.closeInput()
  const end = await waitForEnd(cell, program, limitMs, signal)
  signal.throwIfAborted()
  return { ...end, durationMs: clock.monotonic() - begin }
}
