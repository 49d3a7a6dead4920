// Paths of a suite, in its cell and on this machine. Read-only mounts are below /opt/vedette in a namespaced cell. At the fallback
// level they have their original path, or are copied into the cell if its user can't read them.
import { join, relative } from 'node:path'
import type { Cell, CellMount } from '../../sandbox/cell.ts'
import { isReachable } from '../../sandbox/is-reachable.ts'

export type Mount = Omit<CellMount, 'isCopied'>

export const mountRoot = '/opt/vedette'

export const insideFolders = ({ work }: Pick<Cell, 'work'>) => foldersBelow(work)
export const machineFolders = ({ folder }: Pick<Cell, 'folder'>) => foldersBelow(folder)

export function mountPath(cell: Pick<Cell, 'level' | 'work'>, mount: Mount): string {
  if (cell.level !== 'fallback') return mount.to
  return isReachable(mount.from) ? mount.from : join(cell.work, copyOf(mount))
}

/** Mounts that must be copied into the cell, by their paths in its directory. */
export const copiedMounts = ({ level }: Pick<Cell, 'level'>, mounts: readonly Mount[]) =>
  mounts
    .filter(({ from }) => level === 'fallback' && !isReachable(from))
    .map((mount) => ({ from: mount.from, to: copyOf(mount) }))

export const asCopied = (mount: Mount): CellMount => ({ ...mount, isCopied: true })

const copyOf = ({ to }: Mount) => join('mounted', relative(mountRoot, to))

/** The directories of a run: the unpacked bundle, a home, its commands, and the files of our reporter. */
function foldersBelow(folder: string) {
  return {
    suite: join(folder, 'suite'),
    home: join(folder, 'home'),
    bin: join(folder, 'bin'),
    report: join(folder, 'report'),
  }
}
