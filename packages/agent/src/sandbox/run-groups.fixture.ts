// What the kernel's limits do, with real cells. A program for `npm run drill -- cgroup`, which runs it as root in a virtual machine with
// cgroup v2 and nothing else.
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import {
  type CellWay,
  cellSettings,
  cellWays,
  closeCell,
  newMark,
  nodeArgs,
  plainUid,
  processesWith,
  startProgram,
} from './cell.fixture.ts'
import type { CellLimits } from './cell.ts'
import { closeSandbox } from './sandbox.ts'
import { runScript } from './session.fixture.ts'

const mebi = 1024 * 1024
const group = '/sys/fs/cgroup/vedette.slice'
const patienceMs = 120_000

writeFileSync('/sys/fs/cgroup/cgroup.subtree_control', '+memory +pids +cpu')
mkdirSync(group)
writeFileSync(join(group, 'cgroup.procs'), `${process.pid}`)
const { stage, ways } = await cellWays()
const [way] = ways
if (!way) throw new Error('no cell can be opened')
let failures = 0
let proofs = 0

async function until<T>(what: string, find: () => Promise<T | false | null> | T | false | null): Promise<T> {
  for (const giveUpAt = Date.now() + patienceMs; Date.now() < giveUpAt; await sleep(100)) {
    const found = await find()
    if (found !== false && found !== null) return found
  }
  throw new Error(`waited ${patienceMs / 1_000} s for ${what}`)
}

/** `act` returns what it found, and throws if that is wrong. */
async function prove(name: string, act: () => Promise<string>): Promise<void> {
  const began = Date.now()
  proofs += 1
  const seconds = () => `${Math.round((Date.now() - began) / 1_000)} s`
  try {
    console.log(`passed: ${name}: ${await act()} (${seconds()})`)
  } catch (error) {
    failures += 1
    console.log(`FAILED: ${name}: ${error instanceof Error ? error.message : error} (${seconds()})`)
  }
}

function expectEqual(what: string, found: unknown, expected: unknown): void {
  const [left, right] = [JSON.stringify(found), JSON.stringify(expected)]
  if (left !== right) throw new Error(`${what}: ${left} instead of ${right}`)
}

/** Runs a shell command in a cell, and says how it ended and what was left of it before the cell was closed. */
async function runInCell(chosen: CellWay, command: string, limits: Partial<CellLimits>) {
  const cell = await chosen.open({ limits: { ...cellSettings.limits, ...limits } })
  const mark = newMark()
  try {
    expectEqual('limits', cell.limits, 'cgroup')
    const { end, stdout, stderr } = await startProgram(cell, ['/bin/sh', '-c', command], { MARK: mark }).ended
    await until('the processes to end', () => processesWith(mark).length === 0)
    return { reason: end.reason, output: `${stdout}${stderr}`.trim() }
  } finally {
    await closeCell(cell)
  }
}

const forkBomb = `perl -e 'while (1) { fork; select(undef, undef, undef, 0.02) }'`
const hog = (megabytes: number) => `perl -e '$x = "x" x ${megabytes * mebi}; sleep 600'`

await prove('each run has a group', async () => {
  expectEqual('missing', stage.groups.missing, null)
  return `${readFileSync(join(group, 'runs/cgroup.subtree_control'), 'utf8').trim()} of ${group}, level ${way.level}`
})

await prove('a memory bomb of several processes', async () => {
  const { reason } = await runInCell(way, `${hog(150)} & ${hog(150)} & ${hog(150)} & sleep 600`, {
    memoryBytes: 300 * mebi,
  })
  expectEqual('reason', reason, 'memory')
  return 'ended with the reason memory, every process with it'
})

await prove('files in flight between sockets', async () => {
  // Each file is deleted, closed, and held by a message that nobody receives.
  const perl = `use Socket; my @pairs;
    for (1..600) {
      socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, 0) or last; push @pairs, $a, $b;
      open(my $f, "+>", "/dev/shm/f"); unlink "/dev/shm/f"; syswrite($f, "x" x ${mebi});
      my $data = "x"; my $vector = pack("PQ", $data, 1); my $control = pack("QllLx4", 20, 1, 1, fileno $f);
      my $message = pack("x8Lx4PQPQLx4", 0, $vector, 1, $control, 20, 0);
      syscall(46, fileno $a, $message, 0) == 1 or die "sendmsg: $!"; close $f;
    } sleep 600`
  const { reason, output } = await runInCell(way, `exec perl -e '${perl}'`, {
    memoryBytes: 300 * mebi,
    temporaryBytes: 1_000 * mebi,
  })
  expectEqual('reason', `${reason}${output}`, 'memory')
  return 'are charged to the run: it ended with the reason memory'
})

await prove('a fork bomb', async () => {
  const { reason } = await runInCell(way, forkBomb, { processes: 80 })
  expectEqual('reason', reason, 'processes')
  return 'ended with the reason processes'
})

await prove('an agent that is not root, as in a unit with User= and Delegate=yes', async () => {
  const own = '/sys/fs/cgroup/plain'
  mkdirSync(own)
  // As systemd does.
  for (const name of ['', 'cgroup.procs', 'cgroup.subtree_control', 'cgroup.threads'])
    chownSync(join(own, name), plainUid, plainUid)
  const code = `
    import { cellSettings, cellWays, closeCell, startProgram } from '${new URL('./cell.fixture.ts', import.meta.url)}'
    const { stage, ways } = await cellWays()
    const cell = await ways[0].open({ limits: { ...cellSettings.limits, processes: 80 } })
    const { end } = await startProgram(cell, ['/bin/sh', '-c', ${JSON.stringify(forkBomb)}]).ended
    await closeCell(cell)
    stage.remove()
    console.log(cell.level, cell.limits, end.reason)`
  const enter = `echo 0 >${own}/cgroup.procs && exec setpriv --reuid ${plainUid} --regid ${plainUid} --clear-groups "$@"`
  const args = ['-c', enter, 'join', process.execPath, ...nodeArgs, '-e', code]
  const { stdout } = await promisify(execFile)('/bin/sh', args, { cwd: '/', env: { PATH: process.env.PATH } })
  expectEqual('outcome', stdout.trim(), 'same-user cgroup processes')
  expectEqual('groups', subfolders(join(own, 'runs')), [])
  return stdout.trim()
})

await prove('a script of an API check with a memory bomb', async () => {
  const { outcome } = await runScript('const all = []; for (;;) all.push(Buffer.alloc(20e6, 1))')
  const message = outcome.ok ? 'it passed' : outcome.message
  expectEqual('outcome', message, 'it used more than 512 MB of memory')
  return message
})

const percent = (share: number) => `${Math.round(share * 100)} %`

await prove('a neighbor of 16 spinning processes', async () => {
  const spin = `perl -e 'for (1..16) { next if fork; 1 while 1 } sleep 600'`
  const alone = shareOfCore()
  const cell = await way.open()
  const inGroup = startProgram(cell, ['/bin/sh', '-c', spin])
  await until('the processes to spin', () => cpuSeconds(join(group, 'runs')) > 2)
  const beside = shareOfCore()
  await closeCell(cell)
  await inGroup.ended
  const plain = spawn('/bin/sh', ['-c', spin], { detached: true, stdio: 'ignore' })
  const before = cpuSeconds(join(group, 'agent'))
  await until('the processes to spin', () => cpuSeconds(join(group, 'agent')) > before + 2)
  const unprotected = shareOfCore()
  process.kill(-(plain.pid ?? 0), 'SIGKILL')
  const figures = `${percent(beside)} of a core, ${percent(alone)} alone, ${percent(unprotected)} without weights`
  if (beside < 0.75 * alone) throw new Error(figures)
  return figures
})

/** How much CPU time this process gets when it needs all of a core. */
function shareOfCore(): number {
  const began = { at: performance.now(), cpu: process.cpuUsage() }
  while (performance.now() - began.at < 4_000);
  const { user, system } = process.cpuUsage(began.cpu)
  return (user + system) / 1_000 / (performance.now() - began.at)
}

function subfolders(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? [entry.name] : [],
  )
}

function cpuSeconds(folder: string): number {
  return Number(/^usage_usec (\d+)/.exec(readFileSync(join(folder, 'cpu.stat'), 'utf8'))?.[1] ?? 0) / 1e6
}

await prove('kill -9 of an agent, and the next one', async () => {
  const fixture = new URL('./cell.fixture.ts', import.meta.url)
  const mark = newMark()
  const code = `
    import { cellWays, startProgram } from '${fixture}'
    const { ways } = await cellWays()
    const cell = await ways[0].open()
    startProgram(cell, ['/bin/sh', '-c', 'setsid sleep 600 & sleep 600'], { MARK: '${mark}' })`
  const agent = spawn(process.execPath, [...nodeArgs, '-e', code], { stdio: 'inherit' })
  await until('the run', () => {
    expectEqual('exit code and signal of the agent', [agent.exitCode, agent.signalCode], [null, null])
    return processesWith(mark).length >= 2
  })
  agent.kill('SIGKILL')
  await once(agent, 'close')
  const groups = () => subfolders(join(group, 'runs')).filter((name) => name.startsWith(`${agent.pid}-`))
  const folders = () => readdirSync(tmpdir()).filter((name) => name.includes(`-${agent.pid}-`))
  const mounts = () => readFileSync('/proc/mounts', 'utf8').includes(`-${agent.pid}-`)
  const left = `${groups().length} group and ${folders().length} directory after the kill`
  const health = await healthOfAgent()
  expectEqual('left', [processesWith(mark), groups(), folders(), mounts()], [[], [], [], false])
  expectEqual('health', [health.level, health.limits], [way.level, 'cgroup'])
  return `${left}, nothing after the next start; its health has limits ${health.limits}`
})

/** Of the real agent, which can't reach its server. */
async function healthOfAgent(): Promise<{ level?: string; limits?: string }> {
  const program = fileURLToPath(new URL('../main.ts', import.meta.url))
  const port = 18_081
  const agent = spawn(process.execPath, [program], {
    stdio: ['ignore', 'inherit', 'pipe'],
    env: {
      ...{
        PATH: process.env.PATH,
        API_KEY: 'pl_drill',
        SERVER_URL: 'http://127.0.0.1:9',
        AGENT_RUNTIMES: 'none',
      },
      ...{ AGENT_DATA_DIR: join(tmpdir(), 'agent'), AGENT_HEALTH_PORT: `${port}`, AGENT_LIMITS: 'require' },
    },
  })
  try {
    return await until('the health of the agent', async () => {
      const response = await fetch(`http://127.0.0.1:${port}/health`).catch(() => null)
      const report: unknown = await response?.json()
      return typeof report === 'object' && report !== null && Reflect.get(report, 'codeSandbox')
    })
  } finally {
    agent.kill('SIGKILL')
  }
}

await prove('the end of an agent', async () => {
  stage.remove()
  await closeSandbox()
  await until('the groups to be removed', () => subfolders(join(group, 'runs')).length === 0)
  return 'no group is left'
})
console.log(`${proofs - failures} passed, ${failures} failed`)
process.exit(failures === 0 ? 0 : 1)
