// The ways to start a cell. Namespaced: bubblewrap, with a user of its own if the agent is root. Fallback: another user and limits
// only; its gaps are documented. open-cell.ts tries them with a real cell.

import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, openSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { systemTool } from '../core/system-tool.ts'
import type { CellLevel } from './cell.ts'
import { type LaunchSettings, type Mount, mountsOf, rootArguments } from './cell-root.ts'
import type { CellFolder, CellStage } from './cell-stage.ts'
import { canBeMounted } from './is-reachable.ts'
import { withLowPriority } from './priority.ts'
import { pidsOf } from './processes.ts'
import { installHint } from './requirement.ts'
import { mayMount, readSurroundings } from './surroundings.ts'

export interface CellLaunch {
  level: CellLevel
  layers: readonly string[]
  /** The owner of the work directory; null: the agent's user. */
  uid: number | null
  inside(folder: CellFolder): CellPaths
  start(folder: CellFolder, settings: LaunchSettings, program: FirstProgram): ChildProcess
}

/** Paths as the cell's programs see them. */
export interface CellPaths {
  node: string
  work: string
  run: string
  temporary: string
  program: string
}

interface FirstProgram {
  argv: readonly string[]
  env: Record<string, string>
}

/** Throws if a program is missing that it needs. */
export type LaunchWay = () => CellLaunch

const isRoot = process.getuid?.() === 0

function findTools<N extends string>(...names: N[]): Record<N, string> {
  const found = names.map((name) => {
    const path = systemTool(name)
    if (path === null) throw new Error(installHint(name))
    return [name, path]
  })
  return Object.fromEntries(found)
}

const namespaces = [
  ...['--unshare-user', '--unshare-all', '--disable-userns', '--uid', '1000', '--gid', '1000'],
  ...['--die-with-parent', '--new-session', '--cap-drop', 'ALL', '--hostname', 'cell'],
]

/** The descriptor of the filter. */
const filterFd = 3

export const namespacedWay = (stage: CellStage) => (): CellLaunch => {
  const { filter } = stage
  if (filter === null) throw new Error(`there is no system-call filter for ${process.arch} processors`)
  const { sh, setpriv, prlimit, bwrap } = findTools('sh', 'setpriv', 'prlimit', 'bwrap')
  const uid = isRoot ? takeUid() : null
  return {
    level: uid === null ? 'same-user' : 'strong',
    layers: [
      ...['process', 'rlimits', 'syscall-filter', ...(uid === null ? [] : ['user'])],
      ...['pid-namespace', 'network-namespace', 'root'],
    ],
    uid,
    inside: () => ({ node: '/node', work: '/work', run: '/run', temporary: '/tmp', program: '/program' }),
    start(folder, settings, { argv, env }) {
      const mounts = mountsOf(stage, folder, settings)
      const { preparation, reachable } =
        uid === null ? { preparation: [], reachable: mounts } : reach(stage, mounts)
      // The kernel counts processes per user. The agent's own user has others, so its limit is set in the user namespace.
      const processes = processOptions(settings)
      return startProcess(
        [
          ...enter(sh, settings),
          ...preparation,
          // Without --pdeathsig: bubblewrap sets it when its child no longer waits for it. If the agent is killed before, the
          // supervisor starts, finds its input closed and ends.
          ...[setpriv, ...userOptions(uid), '--'],
          ...[prlimit, ...limitOptions(settings.limits), ...(uid === null ? [] : processes), '--'],
          ...[bwrap, ...namespaces, '--seccomp', `${filterFd}`, ...rootArguments(reachable, settings), '--'],
          ...(uid === null && processes.length > 0 ? [prlimit, ...processes, '--'] : []),
          ...argv,
        ],
        env,
        filter,
      )
    },
  }
}

export const fallbackWay = (stage: CellStage) => (): CellLaunch => {
  const { sh, setpriv, prlimit } = findTools('sh', 'setpriv', 'prlimit')
  const uid = isRoot ? takeUid() : null
  return {
    level: 'fallback',
    layers: ['process', 'rlimits', ...(uid === null ? [] : ['user'])],
    uid,
    inside: ({ work, run, temporary }) => ({
      ...{ node: process.execPath, program: stage.program },
      ...{ work, run, temporary },
    }),
    start: (_folder, settings, { argv, env }) =>
      startProcess(
        [
          ...enter(sh, settings),
          ...[setpriv, '--pdeathsig', 'KILL', '--no-new-privs', ...userOptions(uid), '--'],
          ...[prlimit, ...limitOptions(settings.limits), ...processOptions(settings), '--'],
          ...argv,
        ],
        env,
      ),
  }
}

/** Joins the group of the run. When the machine runs out of memory, the kernel kills a cell first. */
function enter(sh: string, { group }: LaunchSettings): string[] {
  const script =
    '{ echo 1000 >/proc/self/oom_score_adj; } 2>/dev/null; [ -z "$0" ] || echo 0 >"$0" || exit; exec "$@"'
  return [sh, '-c', script, group?.processes ?? '']
}

/** A group limits them too, and says so. */
const processOptions = ({ group, limits }: LaunchSettings) => (group ? [] : [`--nproc=${limits.processes}`])

/**
 * The cell's user can't traverse directories like /root. As root, their contents are mounted at paths that it can reach, in a mount
 * namespace of this cell. No process of root stays.
 */
function reach(stage: CellStage, mounts: Mount[]): { preparation: string[]; reachable: Mount[] } {
  const hidden = mounts.filter(({ from }) => !canBeMounted(from))
  if (hidden.length === 0) return { preparation: [], reachable: mounts }
  const { unshare, sh } = findTools('unshare', 'sh', 'mount')
  const points = new Map(hidden.map((mount, index) => [mount, stage.mountPoint(mount.from, index)]))
  const pairs = hidden.flatMap((mount) => [mount.from, join(stage.mountPoints, points.get(mount) ?? '')])
  // With such a TMPDIR, the mount points are hidden too.
  const isHidden = !canBeMounted(stage.mountPoints)
  const folder = isHidden ? spareFolder : stage.mountPoints
  const script = 'while [ "$1" != -- ]; do mount --rbind "$1" "$2" || exit; shift 2; done; shift; exec "$@"'
  return {
    preparation: [
      ...[unshare, '--mount', ...(canMount ? [] : ownNamespace()), '--'],
      ...[sh, '-c', script, 'reach', ...pairs],
      ...[...(isHidden ? [stage.mountPoints, folder] : []), '--'],
    ],
    reachable: mounts.map((mount) => {
      const point = points.get(mount)
      return point === undefined ? mount : { ...mount, from: join(folder, point) }
    }),
  }
}

const canMount = mayMount(readSurroundings())

/**
 * Root of a container may mount only in a user namespace of its own. All users are mapped to themselves: its privileges apply only to
 * files of mapped users.
 */
function ownNamespace(): string[] {
  findTools('newuidmap')
  return [`--map-users=0,0,${endOfUids}`, `--map-groups=0,0,${endOfUids}`]
}

/** Every Linux has it, for temporary mounts. */
const spareFolder = '/mnt'

/** Podman gives added capabilities to the user of a container, and bubblewrap refuses users that have any. */
const userOptions = (uid: number | null) =>
  uid === null
    ? ['--inh-caps=-all', '--ambient-caps=-all']
    : ['--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups']

export const systemPath = '/usr/local/bin:/usr/bin:/bin'

/** Each thread of Node reserves half a gigabyte for code and uses little of it. The watch counts what is used. */
const reservedFactor = 4

function limitOptions(limits: LaunchSettings['limits']): string[] {
  return [
    `--data=${limits.memoryBytes * reservedFactor}`,
    `--fsize=${limits.diskBytes}`,
    '--core=0',
    `--cpu=${limits.cpuSeconds}`,
    `--nofile=${limits.openFiles}`,
  ]
}

function startProcess(command: string[], env: Record<string, string>, filter?: string): ChildProcess {
  const [program = '', ...args] = withLowPriority(command)
  const fd = filter === undefined ? null : openSync(filter, 'r')
  try {
    // A process group of its own: one signal ends everything in it; the namespace ends what left the group.
    return spawn(program, args, {
      ...{ env, cwd: '/', detached: true },
      stdio: ['pipe', 'pipe', 'pipe', ...(fd === null ? [] : [fd])],
    })
  } finally {
    if (fd !== null) closeSync(fd)
  }
}

// User ids for cells, from a range that no package uses. Each cell has its own, so that limits apply to it alone and its
// processes can be found by their user.
const firstUid = 60_200
const uidCount = 1_000
const endOfUids = firstUid + uidCount
/** Agents on one machine start at different ids. */
let nextUid = Math.floor(Math.random() * uidCount)

export function takeUid(): number {
  // A cell of another agent may use the same id, and would be killed with ours.
  const inUse = new Set(
    pidsOf('/proc').map((pid) => statSync(`/proc/${pid}`, { throwIfNoEntry: false })?.uid),
  )
  // If all are in use, one is shared.
  for (let tries = 0; tries < uidCount; tries++) {
    nextUid = (nextUid + 1) % uidCount
    if (!inUse.has(firstUid + nextUid)) break
  }
  return firstUid + nextUid
}
