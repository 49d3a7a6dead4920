// Where things are, inside a suite's cell and on this machine. What is mounted read-only stands below /opt/vedette where
// there are walls, and where it is on this machine otherwise.
import { join } from 'node:path'
import type { Cell } from '../../sandbox/cell.ts'

export interface Mount {
  from: string
  to: string
}

export const mountRoot = '/opt/vedette'

/** The folders of a run: the bundle unpacked, a home, its commands, what our reporter writes. */
export const workFolders = ['suite', 'home', 'bin', 'report'] as const

type WorkFolders = Record<(typeof workFolders)[number], string>

export const insideFolders = ({ work }: Pick<Cell, 'work'>): WorkFolders => foldersBelow(work)
export const machineFolders = ({ folder }: Pick<Cell, 'folder'>): WorkFolders => foldersBelow(folder)

export const placeOf = ({ level }: Pick<Cell, 'level'>, mount: Mount): string =>
  level === 'strong' ? mount.to : mount.from

function foldersBelow(folder: string): WorkFolders {
  return Object.fromEntries(workFolders.map((name) => [name, join(folder, name)])) as WorkFolders
}
