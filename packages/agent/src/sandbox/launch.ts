// How a child is started on this host: as many walls around it as the host lets us build without extra packages. The
// ways are tried from the strongest to the weakest, once, with a real child; `layers` tells what is in use.

import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { systemTool } from '../core/system-tool.ts'
import { scriptLimits } from './limits.ts'
import { withLowPriority } from './priority.ts'
import type { Stage } from './stage.ts'
import { filterCommand } from './syscall-filter.ts'
import { takeUid } from './take-uid.ts'

export type SandboxLayer =
  /** Own process group, no environment, stopped by the clock. */
  | 'process'
  /** Node's permission model: no files, processes, threads or native code. */
  | 'permission'
  | 'rlimits'
  | 'syscall-filter'
  /** A user of the child's own, without privileges. */
  | 'user'
  /** Process and IPC namespaces: no other process is there. */
  | 'pid-namespace'
  /** No network but the agent's sockets, so its network rules hold for hostile scripts too. */
  | 'network-namespace'
  /** A file system with the system's programs and nothing of the agent's. */
  | 'root'

export interface Launch {
  layers: readonly SandboxLayer[]
  start(runFolder: string): ChildProcess
  /** Where the child finds the sockets of its run folder. */
  socketFolder(runFolder: string): string
  /** Where it finds the packages of the runtime; null: there are none yet. */
  modulesFolder(): string | null
}

/** The strongest first. */
export function launchesFor(stage: Stage, nodeOptions = confinedNode): Launch[] {
  const context = { stage, nodeOptions }
  const isRoot = process.getuid?.() === 0
  const tools = findTools()
  if (!tools) return [bare(context, isRoot)]
  const namespaced = [
    ...(isRoot ? [inNamespaces(context, tools, 'as-root')] : []),
    inNamespaces(context, tools, isRoot ? 'as-sandbox-user' : 'as-agent'),
  ]
  const limited = [...(isRoot ? [limitedOnly(context, tools, true)] : []), limitedOnly(context, tools, false)]
  return [...namespaced, ...limited, bare(context, isRoot)]
}

interface Context {
  stage: Stage
  nodeOptions: typeof confinedNode
}

interface Tools {
  sh: string
  mount: string
  chroot: string
  unshare: string
  setpriv: string
  prlimit: string
  /** Before a command; empty without perl, or on a machine that it is not written for. */
  filter: readonly string[]
}

function findTools(): Tools | null {
  const found = (['sh', 'mount', 'chroot', 'unshare', 'setpriv', 'prlimit'] as const).map((name) => [
    name,
    systemTool(name),
  ])
  if (found.some(([, path]) => path === null)) return null
  const perl = systemTool('perl')
  return { ...Object.fromEntries(found), filter: (perl !== null && filterCommand(perl)) || [] } as Tools
}

const filterLayer = ({ filter }: Tools) => (filter.length > 0 ? (['syscall-filter'] as const) : [])

/**
 * A root is put together inside a mount namespace of the child's own, then privileges are dropped for good. There is no
 * /proc in it. The mounts end with the child.
 */
function inNamespaces(
  { stage, nodeOptions }: Context,
  tools: Tools,
  who: 'as-root' | 'as-sandbox-user' | 'as-agent',
): Launch {
  const { sh, mount, chroot, unshare, setpriv } = tools
  const bind = ([from, to]: [string, string]) =>
    `${mount} --rbind ${quote(from)} ${quote(join(stage.root, to))}`
  const protect = (to: string) => `${mount} -o remount,bind,ro,nosuid,nodev ${quote(join(stage.root, to))}`
  const build = () =>
    [
      'set -e',
      // A mount of its own, to be made read-only: all children of a plain user's agent would share it to write to.
      `${mount} --bind ${quote(stage.root)} ${quote(stage.root)}`,
      ...stage.mounts.map((folder) => bind([folder, folder])),
      bind([process.execPath, 'node']),
      bind([stage.program, 'program']),
      protect('program'),
      bind(['/dev/null', 'dev/null']),
      bind(['/dev/urandom', 'dev/urandom']),
      ...(stage.modules === null ? [] : [bind([stage.modules, 'node_modules']), protect('node_modules')]),
      `${mount} --rbind "$0" ${quote(join(stage.root, 'run'))}`,
      protect('run'),
      protect(''),
      `exec ${chroot} ${quote(stage.root)} "$@"`,
    ].join('\n')
  const inside = (user: readonly string[]) => [
    // Once more: a change of user has the kernel forget it.
    ...[setpriv, ...noPrivileges, ...(who === 'as-root' ? user : []), '--pdeathsig', 'KILL', '--'],
    ...[
      ...limitsCommand(tools, who === 'as-agent' ? scriptLimits.threadsOfAgent : scriptLimits.threads),
      ...tools.filter,
      '/node',
      ...nodeOptions('/program', walledModules(stage)),
      '/program/main.mjs',
    ],
  ]
  const namespaces = [
    ...(who === 'as-root' ? [] : ['--user', '--map-root-user']),
    ...['--net', '--pid', '--ipc', '--uts', '--mount', '--fork', '--kill-child=SIGKILL'],
  ]
  const outside = (user: readonly string[]) => [
    ...[setpriv, '--pdeathsig', 'KILL', ...(who === 'as-sandbox-user' ? user : []), '--'],
  ]
  return {
    layers: [
      ...(['process', 'permission', 'rlimits'] as const),
      ...filterLayer(tools),
      ...(who === 'as-agent' ? [] : (['user'] as const)),
      ...(['pid-namespace', 'network-namespace', 'root'] as const),
    ],
    start(folder) {
      const user = userOptions(takeUid())
      const starting = [...outside(user), unshare, ...namespaces, sh, '-c', build(), folder]
      return startProcess([...starting, ...inside(user)])
    },
    socketFolder: () => '/run',
    modulesFolder: () => walledModules(stage),
  }
}

function limitedOnly({ stage, nodeOptions }: Context, tools: Tools, hasOwnUser: boolean): Launch {
  const command = () => [
    ...[tools.setpriv, '--pdeathsig', 'KILL', '--no-new-privs'],
    ...[...(hasOwnUser ? userOptions(takeUid()) : []), '--'],
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

function bare({ stage, nodeOptions }: Context, isRoot: boolean): Launch {
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
  // A group of its own: one signal ends everything that belongs to the child.
  const [program = '', ...args] = withLowPriority(command)
  return spawn(program, args, { ...user, env: {}, cwd: '/', detached: true, stdio: 'pipe' })
}

const noPrivileges = ['--no-new-privs', '--inh-caps=-all', '--bounding-set=-all']
const userOptions = (uid: number) => ['--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups']

/** Threads are counted per user: null where the child's user runs other programs too. */
function limitsCommand({ prlimit }: Tools, threads: number | null): string[] {
  const { dataBytes, cpuSeconds, openFiles } = scriptLimits
  return [
    prlimit,
    ...[`--data=${dataBytes}`, '--fsize=0', '--core=0', `--cpu=${cpuSeconds}`, `--nofile=${openFiles}`],
    ...(threads === null ? [] : [`--nproc=${threads}`]),
    '--',
  ]
}

const walledModules = ({ modules }: Stage) => (modules === null ? null : '/node_modules')

function confinedNode(program: string, modules: string | null): string[] {
  return [
    '--permission',
    `--allow-fs-read=${program}/*`,
    ...(modules === null ? [] : [`--allow-fs-read=${modules}/*`]),
    // Later versions refuse the agent's sockets too unless told.
    ...(process.allowedNodeEnvironmentFlags.has('--allow-net') ? ['--allow-net'] : []),
    `--max-old-space-size=${scriptLimits.heapMb}`,
    // For import() in scripts.
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
  ]
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
