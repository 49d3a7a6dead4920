// The file system of a cell, as a script for the shell that becomes the cell's first process.
import { existsSync, lstatSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { shellQuote } from '../core/shell-quote.ts'
import type { CellSettings } from './cell.ts'
import type { CellFolder, CellStage } from './cell-stage.ts'
import type { CellTools } from './cell-tools.ts'
import { systemFolders } from './stage.ts'

/**
 * Of the cell's IPC namespace. Detached SysV segments belong to no process, so the memory watch doesn't count them: 16 MiB in
 * total, and few queues and semaphores. Before Linux 6.1 only root outside any user namespace may set them.
 */
const ipcLimits = [
  ['shmall', 4_096],
  ['shmmni', 64],
  ['msgmni', 64],
  ['sem', '250 8000 32 32'],
] as const

/** In /tmp and in /dev/shm: an inode takes about 1 kB of kernel memory, even for an empty file. */
const temporaryFiles = 65_536

/** Mounted in the cell's own mount namespace, so it ends with the cell. Read-only unless it must be writable. */
export function buildRoot(
  stage: CellStage,
  tools: CellTools,
  { work, run, uid }: Pick<CellFolder, 'work' | 'run'> & { uid: number | null },
  settings: CellSettings,
): string {
  const { mount, mkdir, ln, touch } = tools
  const root = stage.root
  const at = (path: string) => shellQuote(join(root, path))
  const bind = (from: string, to: string) => [`${mount} --bind ${shellQuote(from)} ${at(to)}`]
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
    if (found?.isSymbolicLink()) return [`${ln} -s ${shellQuote(readlinkSync(path))} ${at(path)}`]
    return found ? readOnly(path, path) : []
  })
  const shared = ['/etc/fonts', '/etc/ssl', '/etc/alternatives', '/var/cache/fontconfig'].filter((path) =>
    existsSync(path),
  )
  const { temporaryBytes } = settings.limits
  return [
    'set -e',
    // When the machine runs out of memory, the kernel kills a cell first.
    'echo 1000 > /proc/self/oom_score_adj',
    '{ echo cell > /proc/sys/kernel/hostname; } 2>/dev/null || :',
    `${mount} -t tmpfs -o mode=755,size=4m,nosuid none ${shellQuote(root)}`,
    ...system,
    `${mkdir} -p ${['etc', 'dev', 'proc', 'work', 'run'].map(at).join(' ')}`,
    `${tools.cp} -r ${shellQuote(stage.etc)}/. ${at('etc')}`,
    ...(uid === null ? [] : [`echo runner:x:${uid}:${uid}::/tmp:/bin/sh >> ${at('etc/passwd')}`]),
    ...(existsSync('/etc/ld.so.cache') ? [`${tools.cp} /etc/ld.so.cache ${at('etc/ld.so.cache')}`] : []),
    ...shared.flatMap((path) => readOnly(path, path)),
    ...['null', 'zero', 'full', 'random', 'urandom'].flatMap((name) => file(`/dev/${name}`, `dev/${name}`)),
    `${ln} -s /proc/self/fd ${at('dev/fd')}`,
    ...['dev/shm', 'tmp'].flatMap((path) =>
      memory(path, `mode=1777,size=${temporaryBytes},nr_inodes=${temporaryFiles}`),
    ),
    `${mount} -t proc -o nosuid,nodev,noexec none ${at('proc')}`,
    ...ipcLimits.map(
      ([name, value]) => `{ echo ${value} > ${at(`proc/sys/kernel/${name}`)}; } 2>/dev/null || :`,
    ),
    ...file(process.execPath, 'node'),
    `${mount} -o remount,bind,ro,nosuid,nodev ${at('node')}`,
    ...readOnly(stage.program, 'program'),
    ...settings.mounts.flatMap(({ from, to }) => readOnly(from, to)),
    ...bind(work, 'work'),
    `${mount} -o remount,bind,nosuid,nodev ${at('work')}`,
    ...bind(run, 'run'),
    `${mount} -o remount,bind,ro,nosuid,nodev ${at('run')}`,
    tools.up,
    // Remounts the mount, not its file system, whose owner isn't mapped in the user namespace.
    `${mount} -o remount,bind,ro,nosuid,nodev ${shellQuote(root)}`,
    // Without exec: the shell stays PID 1, which programs in the cell can't trace. Everything ends with it, and it ends
    // with the agent.
    `${tools.chroot} ${shellQuote(root)} "$@"`,
  ].join('\n')
}
