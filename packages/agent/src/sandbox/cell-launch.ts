// How a cell is started on this host. Strong: namespaces for processes, network, files and users, put together with the
// tools that every Debian has (unshare, mount, setpriv, prlimit and perl or ip), as bubblewrap would. Fallback: another
// user and limits only; what it can not hold is documented. open-cell.ts tries them once with a real cell.
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import type { CellSettings } from './cell.ts'
import { buildRoot } from './cell-root.ts'
import type { CellFolder, CellStage } from './cell-stage.ts'
import { type CellTools, findTools } from './cell-tools.ts'
import { withLowPriority } from './priority.ts'
import { takeUid } from './take-uid.ts'

export interface CellLaunch {
  level: 'strong' | 'fallback'
  layers: readonly string[]
  /** Whose files the work folder holds; null: the agent's own. */
  uid: number | null
  /** Where a folder of this machine is inside. */
  inside(folder: CellFolder): { work: string; run: string; temporary: string; program: string }
  start(folder: CellFolder, settings: CellSettings): ChildProcess
}

/** The strongest first. */
export function cellLaunches(stage: CellStage): (() => CellLaunch)[] {
  const isRoot = process.getuid?.() === 0
  const tools = findTools()
  if (!tools) return [() => bare(stage, isRoot)]
  return [
    ...(isRoot ? [() => walled(stage, tools, 'as-root')] : []),
    () => walled(stage, tools, isRoot ? 'as-cell-user' : 'as-agent'),
    () => limited(stage, tools, isRoot),
    () => bare(stage, isRoot),
  ]
}

type Who = 'as-root' | 'as-cell-user' | 'as-agent'

function walled(stage: CellStage, tools: CellTools, who: Who): CellLaunch {
  const uid = who === 'as-agent' ? null : takeUid()
  const user = uid === null ? [] : ['--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups']
  return {
    level: 'strong',
    layers: [
      ...['process', 'rlimits', ...filterLayer(tools)],
      ...(uid === null ? [] : ['user']),
      'pid-namespace',
      'network-namespace',
      'root',
    ],
    uid,
    inside: () => ({ work: '/work', run: '/run', temporary: '/tmp', program: '/program' }),
    start(folder, settings) {
      const namespaces = [
        ...(who === 'as-root' ? [] : ['--user', '--map-root-user']),
        ...['--net', '--pid', '--ipc', '--uts', '--mount', '--cgroup', '--fork', '--kill-child=SIGKILL'],
      ]
      const outside = [tools.setpriv, '--pdeathsig', 'KILL', ...(who === 'as-cell-user' ? user : []), '--']
      const inside = [
        ...[tools.setpriv, '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all'],
        ...[...(who === 'as-root' ? user : []), '--pdeathsig', 'KILL', '--'],
        ...[...limitsCommand(tools, settings), ...tools.filter, '/node', ...supervisorArgs('/program')],
      ]
      const build = buildRoot(stage, tools, { ...folder, uid: who === 'as-root' ? uid : null }, settings)
      const env = supervisorEnvironment('/run', '/program')
      return startProcess(
        [...outside, tools.unshare, ...namespaces, tools.sh, '-c', build, 'cell', ...inside],
        { env },
      )
    },
  }
}

function limited(stage: CellStage, tools: CellTools, isRoot: boolean): CellLaunch {
  const uid = isRoot ? takeUid() : null
  const user = uid === null ? [] : ['--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups']
  return {
    level: 'fallback',
    layers: ['process', 'rlimits', ...filterLayer(tools), ...(isRoot ? ['user'] : [])],
    uid,
    inside: ({ work, run, temporary }) => ({ work, run, temporary, program: stage.program }),
    start: (_folder, settings) =>
      startProcess(
        [
          ...[tools.setpriv, '--pdeathsig', 'KILL', '--no-new-privs', ...user, '--'],
          ...[...limitsCommand(tools, settings), ...tools.filter, process.execPath],
          ...supervisorArgs(stage.program),
        ],
        { env: { PATH: systemPath } },
      ),
  }
}

function bare(stage: CellStage, isRoot: boolean): CellLaunch {
  const uid = isRoot ? takeUid() : null
  return {
    level: 'fallback',
    layers: ['process', ...(isRoot ? ['user'] : [])],
    uid,
    inside: ({ work, run, temporary }) => ({ work, run, temporary, program: stage.program }),
    start: () =>
      startProcess([process.execPath, ...supervisorArgs(stage.program)], {
        env: { PATH: systemPath },
        ...(uid !== null && { uid, gid: uid }),
      }),
  }
}

const filterLayer = ({ filter }: CellTools) => (filter.length > 0 ? ['syscall-filter'] : [])

export const systemPath = '/usr/local/bin:/usr/bin:/bin'

function supervisorEnvironment(run: string, program: string): Record<string, string> {
  return { PATH: systemPath, VEDETTE_EGRESS: run, NODE_OPTIONS: `--require ${program}/preload.cjs` }
}

const supervisorArgs = (program: string) => [
  '--disable-warning=ExperimentalWarning',
  join(program, 'supervisor.mjs'),
]

/** Every thread of Node reserves half a gigabyte for code and uses little of it; what is used, the watch counts. */
const reservedFor = 4

function limitsCommand({ prlimit }: CellTools, { limits }: CellSettings): string[] {
  return [
    prlimit,
    ...[
      `--data=${limits.memoryBytes * reservedFor}`,
      `--fsize=${limits.diskBytes}`,
      '--core=0',
      `--cpu=${limits.cpuSeconds}`,
    ],
    ...[`--nofile=${limits.openFiles}`, `--nproc=${limits.processes}`, '--'],
  ]
}

function startProcess(
  command: string[],
  options: { env: Record<string, string>; uid?: number; gid?: number },
): ChildProcess {
  // A group of its own: one signal ends everything that did not leave it, and the namespace the rest.
  const [program = '', ...args] = withLowPriority(command)
  return spawn(program, args, { ...options, cwd: '/', detached: true, stdio: 'pipe' })
}
