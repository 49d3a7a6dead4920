// A virtual machine with Debian's newest kernel and this machine's files, read-only. It runs one program and ends.
import { execFileSync, spawn } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { ensurePackages } from './packages.ts'

/** File systems of the guest, and what they need. */
const modules = ['virtio_pci', '9pnet_virtio', '9p']
const memoryMb = 3_072

export interface MachineRun {
  /** Command line of the program, which runs as root. */
  argv: readonly string[]
  cwd: string
  /** For temporary files. */
  folder: string
  timeoutMs: number
  onLine(line: string): void
}

/** Some hosts that are virtual machines themselves have a /dev/kvm that starts only kernels made for it. */
const accelerators = {
  kvm: { args: ['-accel', 'kvm', '-cpu', 'host'], bootMs: 10_000 },
  // With a thread for each processor, QEMU 7.2 now and then crashes Node in the guest, and it isn't faster.
  tcg: { args: ['-accel', 'tcg,thread=single', '-cpu', 'max'], bootMs: 120_000 },
}

/** Resolves to the exit code of the program; null: the machine didn't boot, or its time was up. */
export async function runInMachine(given: MachineRun): Promise<number | null> {
  const { kernel, tree, busybox } = ensurePackages(given.folder)
  const files = ['-kernel', kernel, '-initrd', packInitramfs({ ...given, tree, busybox })]
  const started = existsSync('/dev/kvm') ? await start('kvm', files, given) : 'not booted'
  if (started !== 'not booted') return started
  console.log(
    'KVM does not start the machine here, so it is emulated: everything in it takes ten times as long',
  )
  const emulated = await start('tcg', files, given)
  return emulated === 'not booted' ? null : emulated
}

async function start(
  accelerator: keyof typeof accelerators,
  files: readonly string[],
  { folder, timeoutMs, onLine }: MachineRun,
): Promise<number | null | 'not booted'> {
  const { args, bootMs } = accelerators[accelerator]
  const console = join(folder, 'console.log')
  const options = [
    ...args,
    ...['-smp', '2', '-m', `${memoryMb}`, '-nodefaults', '-no-user-config', '-display', 'none', '-no-reboot'],
    ...files,
    ...['-append', 'console=ttyS1 quiet panic=-1 sysrq_always_enabled rdinit=/init'],
    ...['-virtfs', 'local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap'],
    ...['-serial', 'stdio', '-serial', `file:${console}`],
  ]
  // It ends with the drill.
  const machine = spawn('setpriv', ['--pdeathsig', 'KILL', 'qemu-system-x86_64', ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const stop = () => machine.kill('SIGKILL')
  const timers = { boot: setTimeout(stop, bootMs), whole: setTimeout(stop, timeoutMs) }
  let exitCode: number | null | 'not booted' = 'not booted'
  createInterface({ input: machine.stdout }).on('line', (text) => {
    const line = text.trimEnd()
    const ended = /^exit (\d+)$/.exec(line)
    if (ended) exitCode = Number(ended[1])
    else if (exitCode === 'not booted' && line === 'booted') {
      clearTimeout(timers.boot)
      exitCode = null
    } else if (exitCode !== 'not booted') onLine(line)
  })
  await new Promise((resolve) => machine.once('close', resolve))
  for (const timer of Object.values(timers)) clearTimeout(timer)
  if (exitCode === null) onLine(lastLines(console))
  return exitCode
}

interface Initramfs extends Pick<MachineRun, 'argv' | 'cwd' | 'folder'> {
  /** Unpacked kernel package. */
  tree: string
  busybox: string
}

/** Busybox, the modules and a script that mounts and then runs the program. */
function packInitramfs({ tree, busybox, folder, argv, cwd }: Initramfs): string {
  const root = join(folder, 'initramfs')
  rmSync(root, { recursive: true, force: true })
  for (const name of ['bin', 'modules', 'host', 'proc', 'sys', 'dev'])
    mkdirSync(join(root, name), { recursive: true })
  copyFileSync(busybox, join(root, 'bin/busybox'))
  const files = moduleFiles(join(tree, 'lib/modules'))
  const order = modulesInOrder(files)
  for (const file of order) copyFileSync(file, join(root, 'modules', basename(file)))
  writeFileSync(
    join(root, 'init'),
    initScript(
      order.map((file) => basename(file)),
      argv,
      cwd,
    ),
  )
  chmodSync(join(root, 'init'), 0o755)
  const archive = join(folder, 'initramfs.cpio')
  const list = execFileSync('find', ['.'], { cwd: root })
  writeFileSync(
    archive,
    execFileSync(busybox, ['cpio', '-o', '-H', 'newc'], {
      cwd: root,
      input: list,
      maxBuffer: 1 << 28,
      stdio: ['pipe', 'pipe', 'ignore'],
    }),
  )
  return archive
}

function moduleFiles(folder: string): Map<string, string> {
  const found = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ko'),
  )
  return new Map(found.map((path) => [basename(path, '.ko').replaceAll('-', '_'), join(folder, path)]))
}

/** Each after those that it needs, which its file names. Modules that aren't found are part of the kernel. */
function modulesInOrder(files: Map<string, string>): string[] {
  const order = new Set<string>()
  const add = (name: string) => {
    const file = files.get(name.replaceAll('-', '_'))
    if (file === undefined || order.has(file)) return
    const needed = /\0depends=([^\0]*)\0/.exec(readFileSync(file, 'latin1'))?.[1] ?? ''
    for (const other of needed.split(',').filter(Boolean)) add(other)
    order.add(file)
  }
  for (const name of modules) add(name)
  return [...order]
}

/**
 * The root is changed as at every start of Linux: in a chroot, the kernel refuses user namespaces. The last line needs time to
 * leave the serial port: a reset drops what is in its buffer. The checkout is mounted again, because it may be in a directory
 * that is empty in the machine.
 */
function initScript(files: readonly string[], argv: readonly string[], cwd: string): string {
  const quoted = argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  return `#!/bin/busybox sh
b=/bin/busybox
$b mount -t proc proc /proc
$b mount -t devtmpfs dev /dev
echo booted >/dev/ttyS0
for file in ${files.join(' ')}; do $b insmod /modules/$file; done
$b mount -t 9p -o trans=virtio,version=9p2000.L,ro,cache=loose,msize=512000 host /host || $b reboot -f
$b mount --move /dev /host/dev
$b mount --move /proc /host/proc
$b mount -t sysfs sys /host/sys
$b mkdir /checkout && $b mount --bind '/host${cwd}' /checkout
for folder in tmp run var/tmp dev/shm; do $b mkdir -p /host/$folder; $b mount -t tmpfs -o mode=1777 tmp /host/$folder; done
$b mkdir -p '/host${cwd}' && $b mount --move /checkout '/host${cwd}'
$b mount -t cgroup2 cgroup /host/sys/fs/cgroup
$b ip link set lo up
exec $b switch_root /host /bin/sh -c 'cd ${cwd} && exec </dev/null >/dev/ttyS0 2>&1 && export PATH=/usr/bin:/bin:/usr/sbin:/sbin && ${quoted.replaceAll("'", `'\\''`)}; echo "exit $?"; sleep 2; echo b >/proc/sysrq-trigger; sleep 60'
`
}

function lastLines(file: string): string {
  return existsSync(file) ? readFileSync(file, 'latin1').split('\n').slice(-30).join('\n') : ''
}
