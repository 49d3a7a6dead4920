// Paths of a suite, in its cell and on this machine. Read-only mounts are below /opt/vedette in a namespaced cell. At the fallback
// level they have their original path, or are copied into the cell if its user can't read them.
import { join, relative } from 'node:path'
import type { Cell, CellMount } from '../../sandbox/cell.ts'
import { isReachable } from '../../sandbox/is-reachable.ts'

const mountRoot = '/opt/vedette'

export const insideFolders = ({ work }: Pick<Cell, 'work'>) => foldersBelow(work)
export const machineFolders = ({ folder }: Pick<Cell, 'folder'>) => foldersBelow(folder)

export const copiedMount = (from: string, name: string): CellMount => ({
  from,
  to: `${mountRoot}/${name}`,
  isCopied: true,
})

export function mountPath(cell: Pick<Cell, 'level' | 'work'>, mount: CellMount): string {
  if (cell.level !== 'fallback') return mount.to
  return isReachable(mount.from) ? mount.from : join(cell.work, copyOf(mount))
}

/** Mounts that must be copied into the cell, by their paths in its directory. */
export const mountsToCopy = ({ level }: Pick<Cell, 'level'>, mounts: readonly CellMount[]) =>
  mounts
    .filter(({ from, isCopied }) => level === 'fallback' && isCopied && !isReachable(from))
    .map((mount) => ({ from: mount.from, to: copyOf(mount) }))

const copyOf = ({ to }: CellMount) => join('mounted', relative(mountRoot, to))

/** The directories of a run: the unpacked bundle, a home, its commands, and the files of our reporter. */
function foldersBelow(folder: string) {
  return {
    suite: join(folder, 'suite'),
    home: join(folder, 'home'),
    bin: join(folder, 'bin'),
    report: join(folder, 'report'),
  }
}
