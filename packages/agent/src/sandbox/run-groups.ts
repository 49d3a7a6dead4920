// Control groups (cgroup v2): the kernel limits memory, processes and CPU of each run. They need a group that is delegated to the agent:
// that of a systemd unit with Delegate=yes, or that of a container whose cgroup file system is writable.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { basename, dirname, join, relative } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { errorCode, errorMessage } from '@vedette/safeguards/errors'
import { readText } from '../core/system.ts'
import type { CellLimits } from './cell.ts'
import { statOf } from './processes.ts'

export interface RunGroup {
  /** A process that writes 0 into this file joins the group. */
  readonly processes: string
  /** The limit that the kernel enforced; null: none. */
  exceeded(): 'memory' | 'processes' | null
  /** Kills every process in it, and waits for their end. */
  remove(): Promise<void>
}

export interface RunGroups {
  /** Why runs have no group; null: they have. */
  missing: string | null
  open(limits: Pick<CellLimits, 'memoryBytes' | 'processes'>): RunGroup | null
}

const controllers = ['memory', 'pids', 'cpu']
/** Of all runs together, against 100 of the agent (and of its server, if it is built in). */
const weightOfRuns = 10
const periodUs = 100_000
const removalMs = 10_000

let opened = 0

/** Moves the agent, and all other processes of its group, to a child group: a group with processes can't have limited children. */
export async function openRunGroups(): Promise<RunGroups> {
  const own = groupFolder(readText('/proc/self/cgroup'), readText('/proc/self/mountinfo'))
  if (own === null) return noGroups('its host has no cgroup v2 that contains it')
  // An agent that replaces another one, started by the same server, is in its group.
  const parent = dirname(own)
  const folder = basename(own) === 'agent' && existsSync(join(parent, 'runs')) ? parent : own
  const missing = obstacleIn(folder)
  if (missing !== null) return noGroups(missing)
  const runs = join(folder, 'runs')
  try {
    for (const child of [runs, join(folder, 'agent')]) mkdirSync(child, { recursive: true })
    await enableControllers(folder, join(folder, 'agent'))
    enable(runs)
    writeFileSync(join(runs, 'cpu.weight'), `${weightOfRuns}`)
  } catch (error) {
    return noGroups(`${folder} can't be divided (${errorMessage(error)})`)
  }
  await removeLeftovers(runs)
  return {
    missing: null,
    open: (limits) => openGroup(join(runs, `${nameOf(process.pid)}-${++opened}`), limits),
  }
}

const noGroups = (missing: string): RunGroups => ({ missing, open: () => null })

function openGroup(folder: string, { memoryBytes, processes }: Parameters<RunGroups['open']>[0]): RunGroup {
  mkdirSync(folder)
  const limits = {
    'memory.max': memoryBytes,
    'memory.oom.group': 1,
    'pids.max': processes,
    'cpu.max': `${availableParallelism() * periodUs} ${periodUs}`,
    // Absent where the kernel has no swap.
    ...(existsSync(join(folder, 'memory.swap.max')) && { 'memory.swap.max': 0 }),
  }
  try {
    for (const [file, limit] of Object.entries(limits)) writeFileSync(join(folder, file), `${limit}`)
  } catch (error) {
    rmdirSync(folder)
    throw error
  }
  return {
    processes: join(folder, 'cgroup.procs'),
    exceeded() {
      if (count(folder, 'memory.events', 'oom_kill') > 0) return 'memory'
      return count(folder, 'pids.events', 'max') > 0 ? 'processes' : null
    },
    remove: () => removeGroup(folder),
  }
}

function count(folder: string, file: string, name: string): number {
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(readText(join(folder, file)))?.[1] ?? 0)
}

/** The directory of the group of a process, from its /proc files; null: it sees none. */
export function groupFolder(cgroup: string, mountinfo: string): string | null {
  const path = /^0::(\/.*)$/m.exec(cgroup)?.[1]
  const [, root, mountPoint] = /^\S+ \S+ \S+ (\S+) (\S+) .* - cgroup2 /m.exec(mountinfo) ?? []
  if (path === undefined || root === undefined || mountPoint === undefined) return null
  const below = relative(root, path)
  return path.startsWith('/..') || below.startsWith('..') ? null : join(mountPoint, below)
}

function obstacleIn(folder: string): string | null {
  const available = readText(join(folder, 'cgroup.controllers')).trim().split(' ')
  const absent = controllers.filter((name) => !available.includes(name))
  if (absent.length > 0) return `${folder} has no controllers ${absent.join(', ')}`
  if (!existsSync(join(folder, 'cgroup.events')))
    return 'the agent is in the root control group of the machine'
  if (!existsSync(join(folder, 'cgroup.kill'))) return 'cgroup.kill needs Linux 5.14'
  // The kernel lists processes of other containers as 0.
  if (/^0$/m.test(readText(join(folder, 'cgroup.procs'))))
    return `${folder} has processes outside of this container`
  return isDelegated(folder) ? null : `the unit ${basename(folder)} hasn't set Delegate=yes`
}

/** Root may write every group: systemd must have handed over this one. */
function isDelegated(folder: string): boolean {
  const unit = basename(folder)
  if (!/\.(?:service|scope)$/.test(unit)) return true
  const manager = /\/user@\d+\.service\//.test(folder) ? ['--user'] : []
  const args = [...manager, 'show', '--property=Delegate', '--value', unit]
  return spawnSync('systemctl', args, { encoding: 'utf8', timeout: 5_000 }).stdout?.trim() === 'yes'
}

const maxMoves = 50

/** Processes may start while others are moved. */
async function enableControllers(folder: string, leaf: string): Promise<void> {
  for (let moves = 1; ; moves++) {
    for (const pid of readText(join(folder, 'cgroup.procs')).split('\n').filter(Boolean)) {
      try {
        writeFileSync(join(leaf, 'cgroup.procs'), pid)
      } catch (error) {
        // It has ended already.
        if (errorCode(error) !== 'ESRCH') throw error
      }
    }
    try {
      enable(folder)
      return
    } catch (error) {
      if (errorCode(error) !== 'EBUSY' || moves === maxMoves) throw error
      await sleep(10)
    }
  }
}

function enable(folder: string): void {
  writeFileSync(join(folder, 'cgroup.subtree_control'), controllers.map((name) => `+${name}`).join(' '))
}

/** Process ids are reused; with the start time they aren't. */
const nameOf = (pid: number | string) => `${pid}-${statOf(pid)[19] ?? ''}`

/** Of killed agents. */
async function removeLeftovers(runs: string): Promise<void> {
  const groups = readdirSync(runs, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  const left = groups.filter(({ name }) => !name.startsWith(`${nameOf(name.split('-', 1)[0] ?? '')}-`))
  await Promise.all(left.map(({ name }) => removeGroup(join(runs, name))))
}

/** Killed processes take some milliseconds to end. A group that can't be removed is left to the next agent. */
async function removeGroup(folder: string): Promise<void> {
  for (const until = Date.now() + removalMs; existsSync(folder) && Date.now() < until; await sleep(5)) {
    try {
      writeFileSync(join(folder, 'cgroup.kill'), '1')
      rmdirSync(folder)
      return
    } catch {
      // Tried again.
    }
  }
}
