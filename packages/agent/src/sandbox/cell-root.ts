// The file system of a cell: one table of mounts, as arguments of bubblewrap.
import { existsSync, lstatSync, readlinkSync } from 'node:fs'
import type { CellLimits, CellMount } from './cell.ts'
import { type CellFolder, type CellStage, sharedEtc } from './cell-stage.ts'
import type { RunGroup } from './run-groups.ts'

interface Mount {
  from: string
  to: string
  /** Read-only otherwise. */
  isWritable?: boolean
  isDevice?: boolean
}

export interface CellRoot {
  mounts: readonly Mount[]
  /** Links of the system into its directories. */
  links: readonly { to: string; at: string }[]
  /** Writable directories in memory, and their size. */
  temporary: readonly { at: string; bytes: number }[]
  /** Has /proc. */
  hasProcesses: boolean
}

export interface LaunchSettings {
  mounts: readonly CellMount[]
  limits: Pick<
    CellLimits,
    'memoryBytes' | 'diskBytes' | 'temporaryBytes' | 'processes' | 'openFiles' | 'cpuSeconds'
  >
  group?: RunGroup | null
  /** Without a work directory, temporary files and /proc. */
  isReadOnly?: boolean
}

/** Links into /usr stay links. */
const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64']
const devices = ['null', 'zero', 'full', 'random', 'urandom'].map((name) => `/dev/${name}`)
const fontCache = ['/var/cache/fontconfig'].filter((path) => existsSync(path))

const same = (path: string): Mount => ({ from: path, to: path })

/** Later mounts may be inside earlier ones. */
export function cellRoot(
  stage: Pick<CellStage, 'etc' | 'program'>,
  { work, run }: Pick<CellFolder, 'work' | 'run'>,
  { mounts, limits, isReadOnly = false }: LaunchSettings,
): CellRoot {
  const system = systemFolders.map((path) => ({ path, found: lstatSync(path, { throwIfNoEntry: false }) }))
  return {
    mounts: [
      ...system.flatMap(({ path, found }) => (found?.isDirectory() ? [same(path)] : [])),
      { from: stage.etc, to: '/etc' },
      ...[...sharedEtc, ...fontCache].map(same),
      ...devices.map((path) => ({ ...same(path), isDevice: true })),
      { from: process.execPath, to: '/node' },
      { from: stage.program, to: '/program' },
      ...mounts.map(({ from, to }) => ({ from, to })),
      ...(isReadOnly ? [] : [{ from: work, to: '/work', isWritable: true }]),
      { from: run, to: '/run' },
    ],
    links: [
      ...system.flatMap(({ path, found }) =>
        found?.isSymbolicLink() ? [{ to: readlinkSync(path), at: path }] : [],
      ),
      { to: '/proc/self/fd', at: '/dev/fd' },
    ],
    temporary: isReadOnly ? [] : temporaryFolders.map((at) => ({ at, bytes: limits.temporaryBytes })),
    hasProcesses: !isReadOnly,
  }
}

export const temporaryFolders = ['/tmp', '/dev/shm']

export function rootArguments({ mounts, links, temporary, hasProcesses }: CellRoot): string[] {
  return [
    ...mounts.flatMap((mount) => [optionOf(mount), mount.from, mount.to]),
    ...links.flatMap(({ to, at }) => ['--symlink', to, at]),
    ...temporary.flatMap(({ at, bytes }) => ['--perms', '1777', '--size', `${bytes}`, '--tmpfs', at]),
    ...(hasProcesses ? ['--proc', '/proc'] : []),
    ...['--remount-ro', '/'],
  ]
}

function optionOf({ isDevice, isWritable }: Mount): string {
  if (isDevice) return '--dev-bind'
  return isWritable ? '--bind' : '--ro-bind'
}
