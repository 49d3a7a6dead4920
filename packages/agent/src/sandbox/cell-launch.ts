// The ways to start a cell. Strong: namespaces for processes, network, files and users, built with the tools of every Debian
// (unshare, mount, setpriv, prlimit and perl or ip). Fallback: another user and limits only; its gaps are documented.
// open-cell.ts tries them once with a real cell.
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
  /** The owner of the work directory; null: the agent's user. */
  uid: number | null
  /** The paths of the cell's directories as its programs see them. */
  inside(folder: CellFolder): { work: string; run: string; temporary: string; program: string }
  start(folder: CellFolder, settings: CellSettings): ChildProcess
}

/** The strongest first. */
export function cellLaunches(stage: CellStage): (() => CellLaunch)[] {
  const isRoot = process.getuid?.() === 0
  const tools = findTools()
  if (!tools) return [() => unprivileged(stage, isRoot)]
  return [
    ...(isRoot ? [() => namespaced(stage, tools, 'as-root')] : []),
    () => namespaced(stage, tools, isRoot ? 'as-cell-user' : 'as-agent'),
    () => rlimitOnly(stage, tools, isRoot),
    () => unprivileged(stage, isRoot),
  ]
}

type Setup = 'as-root' | 'as-cell-user' | 'as-agent'

/** `setup`: the user that builds the cell. */
function namespaced(stage: CellStage, tools: CellTools, setup: Setup): CellLaunch {
  const uid = setup === 'as-agent' ? null : takeUid()
  const user = uid === null ? [] : ['--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups']
  return {
    level: 'strong',
    layers: [
      'process',
      'rlimits',
      ...filterLayer(tools),
      ...(uid === null ? [] : ['user']),
      'pid-namespace',
      'network-namespace',
      'root',
    ],
    uid,
    inside: () => ({ work: '/work', run: '/run', temporary: '/tmp', program: '/program' }),
    start(folder, settings) {
      const namespaces = [
        ...(setup === 'as-root' ? [] : ['--user', '--map-root-user']),
        ...['--net', '--pid', '--ipc', '--uts', '--mount', '--cgroup', '--fork', '--kill-child=SIGKILL'],
      ]
      const outside = [tools.setpriv, '--pdeathsig', 'KILL', ...(setup === 'as-cell-user' ? user : []), '--']
      const inside = [
        ...[tools.setpriv, '--no-new-privs', '--inh-caps=-all', '--bounding-set=-all'],
        ...(setup === 'as-root' ? user : []),
        ...['--pdeathsig', 'KILL', '--'],
        ...limitsCommand(tools, settings),
        ...tools.filter,
        ...['/node', ...supervisorArgs('/program')],
      ]
      const build = buildRoot(stage, tools, { ...folder, uid: setup === 'as-root' ? uid : null }, settings)
      const env = supervisorEnvironment('/run', '/program')
      return startProcess(
        [...outside, tools.unshare, ...namespaces, tools.sh, '-c', build, 'cell', ...inside],
        { env },
      )
    },
  }
}

function rlimitOnly(stage: CellStage, tools: CellTools, isRoot: boolean): CellLaunch {
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
          ...limitsCommand(tools, settings),
          ...tools.filter,
          ...[process.execPath, ...supervisorArgs(stage.program)],
        ],
        { env: { PATH: systemPath } },
      ),
  }
}

function unprivileged(stage: CellStage, isRoot: boolean): CellLaunch {
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

/** Each thread of Node reserves half a gigabyte for code and uses little of it. The watch counts what is used. */
const reservedFactor = 4

function limitsCommand({ prlimit }: CellTools, { limits }: CellSettings): string[] {
  return [
    prlimit,
    `--data=${limits.memoryBytes * reservedFactor}`,
    `--fsize=${limits.diskBytes}`,
    '--core=0',
    `--cpu=${limits.cpuSeconds}`,
    `--nofile=${limits.openFiles}`,
    `--nproc=${limits.processes}`,
    '--',
  ]
}

function startProcess(
  command: string[],
  options: { env: Record<string, string>; uid?: number; gid?: number },
): ChildProcess {
  // A process group of its own: one signal ends everything in it; the namespace ends what left the group.
  const [program = '', ...args] = withLowPriority(command)
  return spawn(program, args, { ...options, cwd: '/', detached: true, stdio: 'pipe' })
}
