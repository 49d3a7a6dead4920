// The file system of a cell: one table of mounts, as arguments of bubblewrap.
import { existsSync, lstatSync, readlinkSync } from 'node:fs'
import type { CellLimits, CellMount } from './cell.ts'
import { type CellFolder, type CellStage, sharedEtc } from './cell-stage.ts'
import type { RunGroup } from './run-groups.ts'

export interface Mount {
  from: string
  to: string
  /** Read-only otherwise. */
  isWritable?: boolean
  isDevice?: boolean
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

const systemFolders = ['/usr', '/bin', '/sbin', '/lib', '/lib32', '/lib64'].map((path) => ({
  path,
  found: lstatSync(path, { throwIfNoEntry: false }),
}))
/** Links into /usr stay links. */
const systemLinks = systemFolders.filter(({ found }) => found?.isSymbolicLink()).map(({ path }) => path)
const devices = ['null', 'zero', 'full', 'random', 'urandom'].map((name) => `/dev/${name}`)
const fontCache = ['/var/cache/fontconfig'].filter((path) => existsSync(path))

const same = (path: string): Mount => ({ from: path, to: path })

/** Later mounts may be inside earlier ones. */
export const mountsOf = (
  stage: Pick<CellStage, 'etc' | 'program'>,
  { work, run }: Pick<CellFolder, 'work' | 'run'>,
  { mounts, isReadOnly = false }: LaunchSettings,
): Mount[] => [
  ...systemFolders.flatMap(({ path, found }) => (found?.isDirectory() ? [same(path)] : [])),
  { from: stage.etc, to: '/etc' },
  ...[...sharedEtc, ...fontCache].map(same),
  ...devices.map((path) => ({ ...same(path), isDevice: true })),
  { from: process.execPath, to: '/node' },
  { from: stage.program, to: '/program' },
  ...mounts.map(({ from, to }) => ({ from, to })),
  ...(isReadOnly ? [] : [{ from: work, to: '/work', isWritable: true }]),
  { from: run, to: '/run' },
]

/** In memory. */
export const temporaryFolders = ['/tmp', '/dev/shm']

export function rootArguments(
  mounts: readonly Mount[],
  { limits, isReadOnly = false }: LaunchSettings,
): string[] {
  const size = `${limits.temporaryBytes}`
  return [
    ...mounts.flatMap((mount) => [optionOf(mount), mount.from, mount.to]),
    ...systemLinks.flatMap((path) => ['--symlink', readlinkSync(path), path]),
    ...['--symlink', '/proc/self/fd', '/dev/fd'],
    ...(isReadOnly
      ? []
      : temporaryFolders.flatMap((at) => ['--perms', '1777', '--size', size, '--tmpfs', at])),
    ...(isReadOnly ? [] : ['--proc', '/proc']),
    ...['--remount-ro', '/'],
  ]
}

function optionOf({ isDevice, isWritable }: Mount): string {
  if (isDevice) return '--dev-bind'
  return isWritable ? '--bind' : '--ro-bind'
}
