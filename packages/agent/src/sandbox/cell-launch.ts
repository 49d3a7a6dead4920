// How a cell is started on this host. Strong: namespaces for processes, network, files and users, put together with the
// tools that every Debian has (unshare, mount, setpriv, prlimit and perl or ip), as bubblewrap would. Fallback: another
// user and limits only; what it can not hold is documented. `cell-ways.ts` tries them once with a real cell.
import { type ChildProcess, spawn } from 'node:child_process'
import { accessSync, constants, existsSync, lstatSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { CellSettings } from './cell.ts'
import type { CellFolder, CellStage } from './cell-stage.ts'
import { systemFolders } from './stage.ts'
import { filterCommand } from './syscall-filter.ts'

export interface CellLaunch {
  level: 'strong' | 'fallback'
  layers: readonly string[]
  /** Whose files the work folder holds; null: the agent's own. */
  uid: number | null
  /** Where a folder of this machine is inside. */
  inside(folder: CellFolder): { work: string; run: string; program: string }
  start(folder: CellFolder, settings: CellSettings): ChildProcess
}

/** choice: users that no package creates and nothing belongs to; one per cell, so that limits count each alone. */
const firstUid = 60_200
const uidCount = 1_000
/** Agents on one machine should not begin with the same. */
let nextUid = process.pid % uidCount

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

const toolNames = [
  'sh',
  'mount',
  'mkdir',
  'ln',
  'touch',
  'cp',
  'chroot',
  'unshare',
  'setpriv',
  'prlimit',
] as const

type Tools = Record<(typeof toolNames)[number], string> & {
  up: string
  /** Before a command; empty where there is none. */
  filter: readonly string[]
}

function findTools(): Tools | null {
  if (process.platform !== 'linux') return null
  const found = toolNames.map((name) => [name, findTool(name)] as const)
  const up = loopbackUp()
  if (up === null || found.some(([, path]) => path === null)) return null
  const perl = findTool('perl')
  const filter = (perl !== null && filterCommand(perl)) || []
  return { ...(Object.fromEntries(found) as Record<(typeof toolNames)[number], string>), up, filter }
}

function findTool(name: string): string | null {
  const places = ['/usr/bin', '/bin', '/usr/sbin', '/sbin'].map((folder) => join(folder, name))
  return places.find((path) => isExecutable(path)) ?? null
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** A new network namespace has its loopback down. SIOCSIFFLAGS with IFF_UP | IFF_RUNNING. */
function loopbackUp(): string | null {
  const ip = findTool('ip')
  if (ip !== null) return `${ip} link set lo up`
  const perl = findTool('perl')
  if (perl === null) return null
  return `${perl} -e 'socket(S,2,2,0) or die; my $r = pack("a16s", "lo", 0x41); ioctl(S, 0x8914, $r) or die "lo: $!"'`
}

function takeUid(): number {
  nextUid = (nextUid + 1) % uidCount
  return firstUid + nextUid
}

function walled(stage: CellStage, tools: Tools, who: Who): CellLaunch {
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
    inside: () => ({ work: '/work', run: '/run', program: '/program' }),
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

/** Mounted in a mount namespace of the cell's own, so it ends with the cell. Read-only unless it must be written to. */
function buildRoot(
  stage: CellStage,
  tools: Tools,
  { work, run, uid }: Pick<CellFolder, 'work' | 'run'> & { uid: number | null },
  settings: CellSettings,
): string {
  const { mount, mkdir, ln, touch } = tools
  const root = stage.root
  const at = (path: string) => quote(join(root, path))
  const bind = (from: string, to: string) => [`${mount} --bind ${quote(from)} ${at(to)}`]
  const readOnly = (from: string, to: string) => [
    `${mkdir} -p ${at(to)}`,
    ...bind(from, to),
    `${mount} -o remount,bind,ro,nosuid,nodev ${at(to)}`,
  ]
  const file = (from: string, to: string) => [`${touch} ${at(to)}`, ...bind(from, to)]
  const memory = (to: string, options: string) => [
    `${mkdir} -p ${at(to)}`,
    `${mount} -t tmpfs -o nosuid,nodev,${options} none ${at(to)}`,
  ]
  const system = systemFolders.flatMap((path) => {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found?.isSymbolicLink()) return [`${ln} -s ${quote(readlinkSync(path))} ${at(path)}`]
    return found ? readOnly(path, path) : []
  })
  const shared = ['/etc/fonts', '/etc/ssl', '/etc/alternatives', '/var/cache/fontconfig'].filter((path) =>
    existsSync(path),
  )
  const { temporaryBytes } = settings.limits
  return [
    'set -e',
    // When the machine runs out of memory, a cell goes first.
    'echo 1000 > /proc/self/oom_score_adj',
    '{ echo cell > /proc/sys/kernel/hostname; } 2>/dev/null || :',
    `${mount} -t tmpfs -o mode=755,size=4m,nosuid none ${quote(root)}`,
    ...system,
    `${mkdir} -p ${['etc', 'dev', 'proc', 'work', 'run'].map(at).join(' ')}`,
    `${tools.cp} -r ${quote(stage.etc)}/. ${at('etc')}`,
    ...(uid === null ? [] : [`echo runner:x:${uid}:${uid}::/tmp:/bin/sh >> ${at('etc/passwd')}`]),
    ...(existsSync('/etc/ld.so.cache') ? [`${tools.cp} /etc/ld.so.cache ${at('etc/ld.so.cache')}`] : []),
    ...shared.flatMap((path) => readOnly(path, path)),
    ...['null', 'zero', 'full', 'random', 'urandom'].flatMap((name) => file(`/dev/${name}`, `dev/${name}`)),
    `${ln} -s /proc/self/fd ${at('dev/fd')}`,
    ...memory('dev/shm', `mode=1777,size=${temporaryBytes}`),
    ...memory('tmp', `mode=1777,size=${temporaryBytes}`),
    `${mount} -t proc -o nosuid,nodev,noexec none ${at('proc')}`,
    ...file(process.execPath, 'node'),
    `${mount} -o remount,bind,ro,nosuid,nodev ${at('node')}`,
    ...readOnly(stage.program, 'program'),
    ...settings.mounts.flatMap(({ from, to }) => readOnly(from, to)),
    ...bind(work, 'work'),
    `${mount} -o remount,bind,nosuid,nodev ${at('work')}`,
    ...bind(run, 'run'),
    `${mount} -o remount,bind,ro,nosuid,nodev ${at('run')}`,
    tools.up,
    // Of the mount, not of its file system: that would name a user whom a user namespace does not know.
    `${mount} -o remount,bind,ro,nosuid,nodev ${quote(root)}`,
    // Not in its place: the shell stays as the first process, which nobody inside can trace or take over. With it
    // everything ends, and it ends with the agent.
    `${tools.chroot} ${quote(root)} "$@"`,
  ].join('\n')
}

function limited(stage: CellStage, tools: Tools, isRoot: boolean): CellLaunch {
  const uid = isRoot ? takeUid() : null
  const user = uid === null ? [] : ['--reuid', `${uid}`, '--regid', `${uid}`, '--clear-groups']
  return {
    level: 'fallback',
    layers: ['process', 'rlimits', ...filterLayer(tools), ...(isRoot ? ['user'] : [])],
    uid,
    inside: ({ work, run }) => ({ work, run, program: stage.program }),
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
    inside: ({ work, run }) => ({ work, run, program: stage.program }),
    start: () =>
      startProcess([process.execPath, ...supervisorArgs(stage.program)], {
        env: { PATH: systemPath },
        ...(uid !== null && { uid, gid: uid }),
      }),
  }
}

const filterLayer = ({ filter }: Tools) => (filter.length > 0 ? ['syscall-filter'] : [])

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

function limitsCommand({ prlimit }: Tools, { limits }: CellSettings): string[] {
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
  [command = '', ...args]: string[],
  options: { env: Record<string, string>; uid?: number; gid?: number },
): ChildProcess {
  // A group of its own: one signal ends everything that did not leave it, and the namespace the rest.
  return spawn(command, args, { ...options, cwd: '/', detached: true, stdio: 'pipe' })
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`
