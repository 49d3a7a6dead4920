// How a child is started on this host: as many walls around it as the host lets us build without extra packages. The
// ways are tried from the strongest to the weakest, once, with a real child; `layers` tells what is in use.
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { systemTool } from '../system-tool.ts'
import { scriptLimits } from './limits.ts'
import type { Stage } from './stage.ts'

export type SandboxLayer =
  /** Own process group, no environment, stopped by the clock. */
  | 'process'
  /** Node's permission model: no files, processes, threads or native code. */
  | 'permission'
  | 'rlimits'
  /** Another user than the agent's, without privileges. */
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

/** choice: a user that no package creates and nothing belongs to. */
const sandboxUid = 60_103

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
}

function findTools(): Tools | null {
  const found = (['sh', 'mount', 'chroot', 'unshare', 'setpriv', 'prlimit'] as const).map((name) => [
    name,
    systemTool(name),
  ])
  return found.every(([, path]) => path !== null) ? (Object.fromEntries(found) as Tools) : null
}

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
  const build = () =>
    [
      'set -e',
      ...stage.mounts.map((folder) => bind([folder, folder])),
      bind([process.execPath, 'node']),
      bind([stage.program, 'program']),
      bind(['/dev/null', 'dev/null']),
      bind(['/dev/urandom', 'dev/urandom']),
      ...(stage.modules === null ? [] : readOnly(stage.modules, 'node_modules')),
      `${mount} --rbind "$0" ${quote(join(stage.root, 'run'))}`,
      `exec ${chroot} ${quote(stage.root)} "$@"`,
    ].join('\n')
  const readOnly = (from: string, to: string) => [
    bind([from, to]),
    `${mount} -o remount,bind,ro,nosuid,nodev ${quote(join(stage.root, to))}`,
  ]
  const inside = () => [
    // Once more: a change of user has the kernel forget it.
    ...[setpriv, ...noPrivileges, ...(who === 'as-root' ? userOptions : []), '--pdeathsig', 'KILL', '--'],
    ...[
      ...limitsCommand(tools, true),
      '/node',
      ...nodeOptions('/program', walledModules(stage)),
      '/program/main.mjs',
    ],
  ]
  const namespaces = [
    ...(who === 'as-root' ? [] : ['--user', '--map-root-user']),
    ...['--net', '--pid', '--ipc', '--uts', '--mount', '--fork', '--kill-child=SIGKILL'],
  ]
  const outside = [setpriv, '--pdeathsig', 'KILL', ...(who === 'as-sandbox-user' ? userOptions : []), '--']
  return {
    layers: [
      ...(['process', 'permission', 'rlimits'] as const),
      ...(who === 'as-agent' ? [] : (['user'] as const)),
      ...(['pid-namespace', 'network-namespace', 'root'] as const),
    ],
    start: (folder) =>
      startProcess([...outside, unshare, ...namespaces, sh, '-c', build(), folder, ...inside()]),
    socketFolder: () => '/run',
    modulesFolder: () => walledModules(stage),
  }
}

function limitedOnly({ stage, nodeOptions }: Context, tools: Tools, hasOwnUser: boolean): Launch {
  const command = () => [
    ...[tools.setpriv, '--pdeathsig', 'KILL', '--no-new-privs', ...(hasOwnUser ? userOptions : []), '--'],
    ...limitsCommand(tools, hasOwnUser),
    ...[process.execPath, ...nodeOptions(stage.program, stage.modules), join(stage.program, 'main.mjs')],
  ]
  return {
    layers: ['process', 'permission', 'rlimits', ...(hasOwnUser ? (['user'] as const) : [])],
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
  const user = isRoot ? { uid: sandboxUid, gid: sandboxUid } : {}
  return {
    layers: ['process', 'permission', ...(isRoot ? (['user'] as const) : [])],
    start: () => startProcess(command(), user),
    socketFolder: (folder) => folder,
    modulesFolder: () => stage.modules,
  }
}

function startProcess([command = '', ...args]: string[], user: { uid?: number; gid?: number } = {}) {
  // A group of its own: one signal ends everything that belongs to the child.
  return spawn(command, args, { ...user, env: {}, cwd: '/', detached: true, stdio: 'pipe' })
}

const noPrivileges = ['--no-new-privs', '--inh-caps=-all', '--bounding-set=-all']
const userOptions = ['--reuid', `${sandboxUid}`, '--regid', `${sandboxUid}`, '--clear-groups']

/** Processes are counted per user: a limit makes sense only for one that nobody else runs as. */
function limitsCommand({ prlimit }: Tools, hasOwnCount: boolean): string[] {
  const { dataBytes, cpuSeconds, openFiles, threads } = scriptLimits
  return [
    prlimit,
    ...[`--data=${dataBytes}`, '--fsize=0', '--core=0', `--cpu=${cpuSeconds}`, `--nofile=${openFiles}`],
    ...(hasOwnCount ? [`--nproc=${threads}`] : []),
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
