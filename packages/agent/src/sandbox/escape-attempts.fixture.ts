// Attempts of hostile code to escape from a cell, and where they are documented to succeed. The program runs inside a cell and
// reports 'got' for each attempt, or why it failed.

/** Where an attempt succeeds. `host`: depends on the settings of the host. */
export interface Gaps {
  /** Another user, limits: no namespaces. */
  otherUser?: 'open' | 'host'
  /** The agent's own user: an agent without privileges on a host without user namespaces. */
  sameUser?: 'open' | 'host'
}

interface Attempt extends Gaps {
  name: string
  /** Throws or returns something falsy if it fails. */
  code: string
}

const world: Gaps = { otherUser: 'open', sameUser: 'open' }
const agents: Gaps = { sameUser: 'open' }
const hosts: Gaps = { otherUser: 'host', sameUser: 'host' }

export const attempts: Attempt[] = [
  // The agent and what belongs to it.
  { name: "the agent's environment", code: `read('/proc/' + agent + '/environ').length`, ...agents },
  { name: "the agent's memory", code: `fs.openSync('/proc/' + agent + '/mem', 'r')`, ...agents },
  { name: "the agent's open files", code: `fs.readdirSync('/proc/' + agent + '/fd').length`, ...agents },
  {
    name: 'a secret in the environment of any process',
    code: `pids().some((pid) => has('/proc/' + pid + '/environ', 'planted-in-the-environment'))`,
    ...agents,
  },
  { name: "a secret file of the agent's", code: 'read(SECRET_FILE)', ...agents },
  { name: "the agent's data", code: 'fs.readdirSync(DATA_DIR)', ...agents },
  { name: 'the same through its root', code: `read('/proc/' + agent + '/root' + SECRET_FILE)`, ...agents },
  { name: 'the same through the first process', code: `read('/proc/1/root' + SECRET_FILE)` },
  {
    name: 'the same by a link',
    code: `fs.symlinkSync(SECRET_FILE, 'link.png'), read('link.png')`,
    ...agents,
  },
  {
    name: 'the same by a hard link',
    code: `fs.linkSync(SECRET_FILE, 'hard.png'), read('hard.png')`,
    ...agents,
  },
  { name: 'the checkout', code: `read(CHECKOUT + '/package.json')`, ...world },
  { name: "root's folder", code: `fs.readdirSync('/root')` },
  { name: 'the passwords of the machine', code: `read('/etc/shadow')` },
  { name: 'the users of the machine', code: `read('/etc/passwd').includes('daemon')`, ...world },
  { name: 'the name servers of the machine', code: `/nameserver/.test(read('/etc/resolv.conf'))`, ...hosts },
  { name: "another run's file", code: 'read(OTHER_FILE)', ...agents },
  { name: "another run's folder", code: 'fs.readdirSync(path.dirname(OTHER_FILE))', ...agents },
  { name: 'the list of runs', code: `fs.readdirSync(path.resolve(OTHER_FILE, '../../..'))`, ...agents },
  {
    name: "another run's sockets",
    code: `await connect({ path: path.resolve(OTHER_FILE, '../../run/egress') })`,
    ...hosts,
  },
  {
    name: 'more open files than its own',
    code: `run('/bin/ls', '/proc/self/fd').split('\\n').filter((fd) => Number(fd) > 3).length`,
  },

  // Processes.
  {
    name: 'the sight of other processes',
    code: `pids().some((pid) => has('/proc/' + pid + '/cmdline', 'bystander'))`,
    ...world,
  },
  { name: 'a signal to the agent', code: `process.kill(agent, 0)`, ...agents },
  {
    name: 'a signal to any process',
    code: `pids().some((pid) => has('/proc/' + pid + '/cmdline', 'bystander') && signals(Number(pid)))`,
    ...agents,
  },
  { name: 'tracing the agent', code: `trace(agent)`, sameUser: 'host' },
  { name: 'tracing the first process', code: `trace(1)` },
  {
    name: 'other namespaces through the first process',
    code: `['mnt', 'pid', 'net', 'user', 'ipc', 'uts'].some((name) => fs.readlinkSync('/proc/1/ns/' + name) !== fs.readlinkSync('/proc/self/ns/' + name))`,
  },
  { name: 'the line to the agent', code: `fs.openSync('/proc/' + process.ppid + '/fd/1', 'w')` },
  {
    name: "a debugger in the agent's process",
    code: `process.kill(agent, 0) && fs.openSync('/proc/' + agent + '/mem', 'r+')`,
    ...agents,
  },

  // Network.
  { name: "the agent's machine without the egress", code: `await connectUnhooked(PORT)`, ...world },
  { name: 'an abstract socket of the machine', code: `await connect({ path: '\\0' + ABSTRACT })`, ...world },
  { name: 'a socket file of the machine', code: `await connect({ path: SOCKET_FILE })`, ...world },
  {
    name: 'another interface than loopback',
    code: `/^\\s*(?!lo:)\\w+:/m.test(read('/proc/net/dev'))`,
    ...hosts,
  },
  {
    name: 'a socket that leads out of the machine',
    code: `perl('socket(S, 40, 1, 0) or exit 1')`,
    ...hosts,
  },
  {
    name: "the kernel's keys",
    code: `call(250, 219, 0, -3, 1)`,
    ...world,
  },
  {
    name: 'a change of the network by netlink',
    // Loopback down; the kernel's reply has an error code.
    code: `perl('socket(S, 16, 3, 0) or exit 1; send(S, pack("LSSLLCxSlLL", 32, 16, 5, 1, 0, 0, 0, 1, 0, 1), 0) or exit 1; recv(S, my $reply, 4096, 0); exit(unpack("l", substr $reply, 16, 4) != 0)')`,
  },
  { name: "the kernel's memory", code: `fs.readSync(fs.openSync('/proc/kcore', 'r'), Buffer.alloc(64))` },
  {
    name: "the addresses of the kernel's functions",
    code: `/^0*[1-9a-f]\\w* T/m.test(read('/proc/kallsyms').slice(0, 100_000))`,
    ...hosts,
  },
  { name: "the kernel's log", code: `sh('dmesg')`, ...hosts },
  { name: 'a raw socket', code: `perl('socket(S, 2, 3, 1) or exit 1')` },
  { name: 'a packet socket', code: `perl('socket(S, 17, 3, 768) or exit 1')` },
  {
    name: 'a port below 1024 of the machine',
    code: `await listenUnhooked(79)`,
    otherUser: 'host',
    sameUser: 'host',
  },

  // Writing.
  ...[
    '/written',
    '/etc/written',
    '/usr/written',
    '/node',
    '/proc/sys/kernel/core_pattern',
    '/proc/sysrq-trigger',
    '/dev/written',
    '/root/written',
    '/var/written',
  ].map((path) => ({ name: `writing to ${path}`, code: `fs.writeFileSync('${path}', '', { flag: 'a' })` })),
  {
    name: 'writing to a folder of everyone',
    code: `fs.writeFileSync(SHARED_DIR + '/' + process.pid + agent, '')`,
    ...world,
  },
  {
    name: 'a change of the programs of cells',
    code: `fs.appendFileSync(PROGRAM_DIR + '/preload.cjs', '')`,
    ...agents,
  },
  { name: 'a file beside the sockets', code: `fs.writeFileSync(RUN_DIR + '/written', '')`, ...agents },
  { name: 'a change of its own program', code: `fs.openSync('/proc/self/exe', 'r+')` },
  { name: 'a change of the first program', code: `fs.openSync('/proc/1/exe', 'r+')` },
  { name: "a change of the system's programs", code: `fs.chmodSync('/usr/bin/env', 0o777)` },

  // Privileges.
  { name: 'mounting', code: `sh('mkdir -p m; mount -t tmpfs none m')` },
  { name: 'remounting', code: `sh('mount -o remount,rw /') ` },
  { name: 'unmounting', code: `sh('umount -l /proc')` },
  { name: 'a new root', code: `sh('chroot . true')` },
  { name: 'a user namespace', code: `sh('unshare -U true')`, ...hosts },
  { name: 'a mount namespace', code: `sh('unshare -m true')` },
  { name: 'a pivoted root', code: `sh('mkdir -p p/q; pivot_root p p/q')` },
  { name: 'a device', code: `sh('mknod disk b 254 0 || mknod memory c 1 1')` },
  {
    name: 'a disk',
    code: `fs.readdirSync('/dev').some((name) => /^(vd|sd|nvme|mem|kmsg|kvm|fuse)/.test(name) && fs.openSync('/dev/' + name, 'r'))`,
    ...hosts,
  },
  // System calls that no program needs.
  { name: 'a user namespace by clone', code: `call(56, 220, 0x10000011, 0, 0, 0, 0)`, ...hosts },
  { name: 'the namespaces of a process by its descriptor', code: `call(308, 268, 3, 0)` },
  {
    name: 'the namespaces of the first process by its descriptor',
    code: `perl('my $p = syscall(434, 1, 0); syscall(' + number(308, 268) + ', $p, 0x40020000) == -1 and exit 1')`,
  },
  {
    name: 'a mount by the newer calls',
    code: `perl('my $n = "tmpfs"; syscall(430, $n, 0) == -1 and exit 1')`,
  },
  { name: 'a copy of a mount', code: `perl('my $n = "/"; syscall(428, -100, $n, 1) == -1 and exit 1')` },
  { name: 'tracing by its children', code: `call(101, 117, 0, 0, 0, 0)`, ...world },
  {
    name: 'the memory of another process',
    code: `perl('my $b = "x" x 8; my $v = pack("PQ", $b, 8); my $r = pack("QQ", 4096, 0); syscall(' + number(310, 270) + ', getppid(), $v, 1, $r, 1, 0) == -1 && $!{EPERM} and exit 1')`,
    ...hosts,
  },
  {
    name: 'descriptors of another process',
    code: `perl('my $p = syscall(434, getppid(), 0); syscall(438, $p, 0, 0) == -1 and exit 1')`,
    ...hosts,
  },
  {
    name: 'asynchronous calls past the filter',
    code: `perl('my $p = "\\0" x 120; syscall(425, 8, $p) == -1 and exit 1')`,
    ...hosts,
  },
  {
    name: 'programs in the kernel',
    code: `perl('my $a = pack("LLLLx104", 1, 4, 4, 1); syscall(' + number(321, 280) + ', 0, $a, 120) == -1 and exit 1')`,
    ...hosts,
  },
  {
    name: 'performance counters',
    code: `perl('my $a = pack("LLQx112", 1, 128, 0); syscall(' + number(298, 241) + ', $a, 0, -1, -1, 0) == -1 and exit 1')`,
    ...hosts,
  },
  { name: 'page faults of its own', code: `call(323, 282, 1)`, ...hosts },
  {
    name: 'files without a directory',
    code: `perl('my $n = "x"; syscall(' + number(319, 279) + ', $n, 0) == -1 and exit 1')`,
    ...world,
  },
  { name: 'memory that nobody can read', code: `call(447, 447, 0)`, ...hosts },
  { name: 'another personality', code: `call(135, 92, 0x0040000)`, ...world },
  { name: 'message queues', code: `call(68, 186, 0, 0o1600)`, ...world },
  { name: 'semaphores', code: `call(64, 190, 0, 1, 0o1600)`, ...world },
  { name: 'a large segment of shared memory', code: `call(29, 194, 0, 8388608, 0o1600)`, ...world },
  {
    name: 'a pair of sockets of another family',
    code: `perl('my $p = pack("ll", 0, 0); syscall(' + number(53, 199) + ', 30, 1, 0, $p) == -1 and exit 1')`,
    ...hosts,
  },
  { name: 'a life after the end of its parent', code: `call(157, 167, 1, 0, 0, 0, 0)`, ...world },
  { name: 'the clock', code: `sh('date -s @1')` },
  { name: 'capabilities', code: `/^Cap(Eff|Prm):\\s*0*[1-9a-f]/m.test(read('/proc/self/status'))` },
  {
    name: 'capabilities by a program',
    code: `/^CapBnd:\\s*0*[1-9a-f]/m.test(read('/proc/self/status'))`,
    ...world,
  },
  {
    name: 'privileges by a set-uid program',
    code: `!/^NoNewPrivs:\\s*1/m.test(read('/proc/self/status'))`,
  },
  { name: 'another user', code: `(process.setgid(SPARE_UID), process.setuid(SPARE_UID))` },
  {
    name: 'more processes than it may have',
    code: `sh('prlimit --nproc=99999 --pid $$')`,
  },
  {
    name: 'more memory than it may have',
    code: `sh('prlimit --data=unlimited:unlimited --pid $$')`,
  },
  { name: 'a better priority', code: `os.setPriority(-1)` },
]

export const hostileProgram = `
  import fs from 'node:fs'
  import net from 'node:net'
  import os from 'node:os'
  import path from 'node:path'
  import { spawnSync } from 'node:child_process'
  const agent = Number(process.env.AGENT_PID)
  const { SECRET_FILE, DATA_DIR, CHECKOUT, OTHER_FILE, ABSTRACT, SOCKET_FILE, SHARED_DIR, PROGRAM_DIR, RUN_DIR } = process.env
  const PORT = Number(process.env.PORT), SPARE_UID = 61999
  const read = (file) => fs.readFileSync(file, 'latin1')
  const has = (file, text) => { try { return read(file).includes(text) } catch { return false } }
  const pids = () => fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name) && Number(name) !== process.pid)
  const run = (program, ...args) => {
    const { error, status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env: { PATH: '/usr/bin:/bin:/usr/sbin:/sbin' } })
    if (error) throw error
    if (status !== 0) throw new Error(stderr.trim().split('\\n')[0] || 'status ' + status)
    return stdout || 'done'
  }
  const signals = (pid) => { try { return process.kill(pid, 0) } catch { return false } }
  const sh = (line) => run('/bin/sh', '-c', line)
  const perl = (code) => run('/usr/bin/perl', '-e', code)
  const number = (x64, arm64) => process.arch === 'x64' ? x64 : arm64
  const call = (x64, arm64, ...args) => perl('syscall(' + [number(x64, arm64), ...args].join() + ') == -1 and exit 1')
  // PTRACE_ATTACH, and off again.
  const trace = (pid) => perl('my $n = ' + (process.arch === 'x64' ? 101 : 117) + '; syscall($n, 16, ' + pid + ', 0, 0) == 0 or exit 1; waitpid(' + pid + ', 0); syscall($n, 17, ' + pid + ', 0, 0)')
  const connect = (to) => new Promise((done, fail) => net.connect(to, () => done(true)).on('error', fail))
  const runUnhooked = (code) => {
    const { status, stderr } = spawnSync(process.execPath, ['-e', code], { encoding: 'utf8', env: {} })
    if (status !== 0) throw new Error(/code: '(\\w+)'/.exec(stderr)?.[1] ?? stderr)
    return true
  }
  const connectUnhooked = (port) => runUnhooked('require("net").connect(' + port + ', "127.0.0.1", () => process.exit(0))')
  const listenUnhooked = (port) => runUnhooked('require("net").createServer().listen(' + port + ', "127.0.0.1", () => process.exit(0))')
  const findings = {}
  const attempt = async (name, act) => {
    try { findings[name] = [false, 0, ''].includes(await act()) ? 'nothing' : 'got' } catch (error) { findings[name] = error.code ?? error.message }
  }
  ${attempts.map(({ name, code }) => `await attempt(${JSON.stringify(name)}, async () => (${code}))`).join('\n  ')}
  fs.writeSync(1, JSON.stringify(findings))
`
