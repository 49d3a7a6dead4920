// Where things are, inside a suite's cell and on this machine. What is mounted read-only stands below /opt/vedette where
// there are walls; otherwise where it is on this machine, or as a copy in the cell where its user could not go there.
import { join, relative } from 'node:path'
import type { Cell, CellMount } from '../../sandbox/cell.ts'
import { isReachable } from '../../sandbox/is-reachable.ts'

export type Mount = Omit<CellMount, 'isCopied'>

export const mountRoot = '/opt/vedette'

/** The folders of a run: the bundle unpacked, a home, its commands, what our reporter writes. */
export const workFolders = ['suite', 'home', 'bin', 'report'] as const

type WorkFolders = Record<(typeof workFolders)[number], string>

export const insideFolders = ({ work }: Pick<Cell, 'work'>): WorkFolders => foldersBelow(work)
export const machineFolders = ({ folder }: Pick<Cell, 'folder'>): WorkFolders => foldersBelow(folder)

export function placeOf(cell: Pick<Cell, 'level' | 'work'>, mount: Mount): string {
  if (cell.level === 'strong') return mount.to
  return isReachable(mount.from) ? mount.from : join(cell.work, copyOf(mount))
}

/** Those that a cell needs copies of, by their places below its folder. */
export const copiedMounts = ({ level }: Pick<Cell, 'level'>, mounts: readonly Mount[]) =>
  mounts
    .filter(({ from }) => level === 'fallback' && !isReachable(from))
    .map((mount) => ({ from: mount.from, to: copyOf(mount) }))

export const asCopied = (mount: Mount): CellMount => ({ ...mount, isCopied: true })

const copyOf = ({ to }: Mount) => join('mounted', relative(mountRoot, to))

function foldersBelow(folder: string): WorkFolders {
  return Object.fromEntries(workFolders.map((name) => [name, join(folder, name)])) as WorkFolders
}
