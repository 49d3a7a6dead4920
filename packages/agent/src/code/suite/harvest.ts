// Copies what an install added to its cell, after the cell has ended.
import { lstat, writeFile } from 'node:fs/promises'
import { posix } from 'node:path'
import { type CopiedTree, copyTree, type TreeLimits } from './copy-tree.ts'
import { lockFileNames } from './package-manager.ts'

export interface Harvest extends CopiedTree {
  /** Files outside packages. They may be built from sources, so they must not be reused for other sources. */
  others: string[]
}

/** Call it before the install: later changes are those of the install. */
export async function markNow(markFile: string): Promise<number> {
  await writeFile(markFile, '')
  return (await lstat(markFile)).ctimeMs
}

export async function harvestInstall(
  folder: string,
  into: string,
  options: {
    bundle: ReadonlyMap<string, string>
    mark: number
    limits: TreeLimits
    signal: AbortSignal
  },
): Promise<Harvest> {
  const { bundle, mark, limits, signal } = options
  const others: string[] = []
  const copied = await copyTree(folder, into, {
    limits,
    signal,
    takes(path, stats) {
      if (stats.isDirectory()) return !bundle.has(path)
      // A change of the content updates ctime, which no program can set.
      if (bundle.has(path) && stats.ctimeMs <= mark) return false
      if (!isOfPackages(path) && others.length < 20) others.push(path)
      return true
    },
  })
  return { ...copied, others }
}

const packageFolders = ['node_modules', '.yarn', '.pnpm-store']
const packageFiles: readonly string[] = [
  ...lockFileNames,
  // Yarn rewrites it; its content is part of the key.
  'package.json',
  '.pnp.cjs',
  '.pnp.loader.mjs',
  '.pnp.data.json',
]

function isOfPackages(path: string): boolean {
  return (
    path.split('/').some((part) => packageFolders.includes(part)) ||
    packageFiles.includes(posix.basename(path))
  )
}
