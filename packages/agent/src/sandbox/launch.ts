// The ways to start a child on this host, with as much isolation as possible without extra packages. They are tried from the
// strongest to the weakest, once, with a real child.

import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { shellQuote } from '../core/shell-quote.ts'
import { syscallFilter, systemTools } from './cell-tools.ts'
import { scriptLimits } from './limits.ts'
import { withLowPriority } from './priority.ts'
import type { Stage } from './stage.ts'
import { takeUid } from './take-uid.ts'

export type SandboxLayer =
  /** Own process group, empty environment, time limit. */
  | 'process'
  /** Node's permission model: no files, processes, threads or native code. */
  | 'permission'
  | 'rlimits'
  | 'syscall-filter'
  /** A user of its own without privileges. */
  | 'user'
  /** Process and IPC namespaces: no other process is visible. */
  | 'pid-namespace'
  /** No network but the agent's sockets, so its network rules apply to hostile scripts too. */
  | 'network-namespace'
  /** A file system with the system's programs and nothing of the agent. */
  | 'root'

export interface Launch {
  layers: readonly SandboxLayer[]
  start(runFolder: string): ChildProcess
  /** The path of the run directory's sockets as the child sees it. */
  socketFolder(runFolder: string): string
  /** The path of the runtime's packages as the child sees it; null: none is installed yet. */
  modulesFolder(): string | null
}

/** The strongest first. */
export function launchesFor(stage: Stage, nodeOptions = confinedNode): Launch[] {
  const context = { stage, nodeOptions }
  const isRoot = process.getuid?.() === 0
  const tools = findTools()
  if (!tools) return [unprivileged(context, isRoot)]
  const inNamespaces = [
    ...(isRoot ? [namespaced(context, tools, 'as-root')] : []),
    namespaced(context, tools, isRoot ? 'as-sandbox-user' : 'as-agent'),
  ]
  const limited = [...(isRoot ? [rlimitOnly(context, tools, true)] : []), rlimitOnly(context, tools, false)]
  return [...inNamespaces, ...limited, unprivileged(context, isRoot)]
}

interface Context {
  stage: Stage
  nodeOptions: typeof confinedNode
}

type Tools = NonNullable<ReturnType<typeof findTools>>

function findTools() {
  const tools = systemTools(['sh', 'mount', 'chroot', 'unshare', 'setpriv', 'prlimit'])
  return tools && { ...tools, filter: syscallFilter() }
}

const filterLayer = ({ filter }: Tools) => (filter.length > 0 ? (['syscall-filter'] as const) : [])

/**
 * Builds a root directory in the child's own mount namespace, then drops all privileges. It has no /proc. The mounts end with
 * the child. `setup`: the user that builds it.
 */
function namespaced(
  { stage, nodeOptions }: Context,
  tools: Tools,
  setup: 'as-root' | 'as-sandbox-user' | 'as-agent',
): Launch {
  const { sh, mount, chroot, unshare, setpriv } = tools
  const bind = ([from, to]: [string, string]) =>
    `${mount} --rbind ${shellQuote(from)} ${shellQuote(join(stage.root, to))}`
  const protect = (to: string) =>
    `${mount} -o remount,bind,ro,nosuid,nodev ${shellQuote(join(stage.root, to))}`
  const build = () =>
    [
      'set -e',
      // A mount that can be made read-only: all children of an agent without root share the directory.
      `${mount} --bind ${shellQuote(stage.root)} ${shellQuote(stage.root)}`,
      ...stage.mounts.map((folder) => bind([folder, folder])),
      bind([process.execPath, 'node']),
      bind([stage.program, 'program']),
      protect('program'),
      bind(['/dev/null', 'dev/null']),
      bind(['/dev/urandom', 'dev/urandom']),
      ...(stage.modules === null ? [] : [bind([stage.modules, 'node_modules']), protect('node_modules')]),
      `${mount} --rbind "$0" ${shellQuote(join(stage.root, 'run'))}`,
      protect('run'),
      protect(''),
      `exec ${chroot} ${shellQuote(stage.root)} "$@"`,
    ].join('\n')
  const inside = (user: readonly string[]) => [
    // Set again: a change of the user resets the parent-death signal.
    ...[setpriv, ...noPrivileges, ...(setup === 'as-root' ? user : []), '--pdeathsig', 'KILL', '--'],
    ...limitsCommand(tools, setup === 'as-agent' ? scriptLimits.threadsOfAgent : scriptLimits.threads),
    ...tools.filter,
    '/node',
    ...nodeOptions('/program', mountedModules(stage)),
    '/program/main.mjs',
  ]
  const namespaces = [
    ...(setup === 'as-root' ? [] : ['--user', '--map-root-user']),
    ...['--net', '--pid', '--ipc', '--uts', '--mount', '--fork', '--kill-child=SIGKILL'],
  ]
  const outside = (user: readonly string[]) => [
    ...[setpriv, '--pdeathsig', 'KILL', ...(setup === 'as-sandbox-user' ? user : []), '--'],
  ]
  return {
    layers: [
      ...(['process', 'permission', 'rlimits'] as const),
      ...filterLayer(tools),
      ...(setup === 'as-agent' ? [] : (['user'] as const)),
      ...(['pid-namespace', 'network-namespace', 'root'] as const),
    ],
    start(folder) {
      const user = userOptions(takeUid())
      const starting = [...outside(user), unshare, ...namespaces, sh, '-c', build(), folder]
      return startProcess([...starting, ...inside(user)])
    },
    socketFolder: () => '/run',
    modulesFolder: () => mountedModules(stage),
  }
}

function rlimitOnly({ stage, nodeOptions }: Context, tools: Tools, hasOwnUser: boolean): Launch {
  const command = () => [
    ...[tools.setpriv, '--pdeathsig', 'KILL', '--no-new-privs'],
    ...(hasOwnUser ? userOptions(takeUid()) : []),
    '--',
    ...limitsCommand(tools, hasOwnUser ? scriptLimits.threads : null),
    ...tools.filter,
    ...[process.execPath, ...nodeOptions(stage.program, stage.modules), join(stage.program, 'main.mjs')],
  ]
  return {
    layers: [
      ...(['process', 'permission', 'rlimits'] as const),
      ...filterLayer(tools),
      ...(hasOwnUser ? (['user'] as const) : []),
    ],
    start: () => startProcess(command()),
    socketFolder: (folder) => folder,
    modulesFolder: () => stage.modules,
  }
}

function unprivileged({ stage, nodeOptions }: Context, isRoot: boolean): Launch {
  const command = () => [
    process.execPath,
    ...nodeOptions(stage.program, stage.modules),
    join(stage.program, 'main.mjs'),
  ]
  const user = () => {
    const uid = takeUid()
    return isRoot ? { uid, gid: uid } : {}
  }
  return {
    layers: ['process', 'permission', ...(isRoot ? (['user'] as const) : [])],
    start: () => startProcess(command(), user()),
    socketFolder: (folder) => folder,
    modulesFolder: () => stage.modules,
  }
}

function startProcess(command: string[], user: { uid?: number; gid?: number } = {}) {
  // A process group of its own: one signal ends the child and its descendants.
  const [program = '', ...args] = withLowPriority(command)
  return spawn(program, args, { ...user, env: {}, cwd: '/', detached: true, stdio: 'pipe' })
}

const noPrivileges = ['--no-new-privs', '--inh-caps=-all', '--bounding-set=-all']
const userOptions = (uid: number) => ['--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups']

/** The kernel counts threads per user; null: the user also runs other programs. */
function limitsCommand({ prlimit }: Tools, threads: number | null): string[] {
  const { dataBytes, cpuSeconds, openFiles } = scriptLimits
  return [
    prlimit,
    ...[`--data=${dataBytes}`, '--fsize=0', '--core=0', `--cpu=${cpuSeconds}`, `--nofile=${openFiles}`],
    ...(threads === null ? [] : [`--nproc=${threads}`]),
    '--',
  ]
}

const mountedModules = ({ modules }: Stage) => (modules === null ? null : '/node_modules')

function confinedNode(program: string, modules: string | null): string[] {
  return [
    '--permission',
    `--allow-fs-read=${program}/*`,
    ...(modules === null ? [] : [`--allow-fs-read=${modules}/*`]),
    // Later versions of Node also restrict the agent's sockets by default.
    ...(process.allowedNodeEnvironmentFlags.has('--allow-net') ? ['--allow-net'] : []),
    `--max-old-space-size=${scriptLimits.heapMb}`,
    // For import() in scripts.
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
  ]
}
