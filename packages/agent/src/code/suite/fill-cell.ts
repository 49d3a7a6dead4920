import { cp, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cell } from '../../sandbox/cell.ts'
import { copiedMounts, type Mount, machineFolders } from './cell-paths.ts'
import { copyTree, type TreeLimits } from './copy-tree.ts'
import { type Registry, registryFiles } from './registry.ts'
import type { Toolbox } from './toolbox.ts'

/** Fills the directories of a new cell: the bundle with its packages, commands and a home. */
export async function fillCell(
  cell: Cell,
  content: {
    bundle: string
    packages?: string
    toolbox: Toolbox
    registry: Registry
    mounts: readonly Mount[]
  },
  options: { limits: TreeLimits; signal: AbortSignal },
): Promise<void> {
  const folders = machineFolders(cell)
  for (const path of Object.values(folders)) await mkdir(path, { mode: 0o755 })
  await copyTree(content.bundle, folders.suite, options)
  if (content.packages) await copyTree(content.packages, folders.suite, options)
  for (const { from, to } of copiedMounts(cell, content.mounts))
    await cp(from, join(cell.folder, to), { recursive: true, verbatimSymlinks: true })
  await content.toolbox.writeCommands(cell, folders.bin)
  for (const { name, text } of registryFiles(content.registry))
    await writeFile(join(folders.home, name), text, { mode: 0o644 })
  await cell.chown()
}
