// Hostile code in every kind of run, by the agent's own runners, at both levels: what it takes, it takes from itself. The run ends
// with a reason, a run beside it completes, and nothing is left behind. Scripts of API checks: sandbox/hostile.test.ts.
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeListeners, listen } from '../net/listeners.fixture.ts'
import { cellSettings, checkout, closeCell, newMark, processesWith } from '../sandbox/cell.fixture.ts'
import type { Cell, CellLimits, OpenCell } from '../sandbox/cell.ts'
import { fallbackWay } from '../sandbox/cell-launch.ts'
import { prepareCellStage } from '../sandbox/cell-stage.ts'
import { attempts, type Gaps, hostileProgram } from '../sandbox/escape-attempts.fixture.ts'
import { cellLevel, cellOpener, closeCells, openBy } from '../sandbox/open-cell.ts'
import { type EveryKind, type Kind, kinds, openEveryKind } from './every-kind.fixture.ts'

const mebi = 1024 * 1024
const limits: Partial<CellLimits> = {
  memoryBytes: 1_200 * mebi,
  diskBytes: 256 * mebi,
  temporaryBytes: 64 * mebi,
  processes: 256,
}

/** Each starts processes that it leaves, in a session of their own. */
const begin = (mark: string) => `
  const { spawn } = require('node:child_process')
  const fs = require('node:fs')
  const env = { PATH: '/usr/bin:/bin', MARK: '${mark}' }
  const start = (...argv) => spawn(argv[0], argv.slice(1), { env, detached: true, stdio: 'ignore' }).unref()
  start('/bin/sleep', '600')
  const forever = new Promise(() => { setInterval(() => {}, 1000) })`

const perl = (code: string) => `start('/usr/bin/perl', '-e', ${JSON.stringify(code)})`

interface Attack {
  name: string
  code: string
  reason: RegExp
  limitMs?: number
  /** Only namespaces have a memory limit that covers it. */
  isStrongOnly?: true
}

const attacks: Attack[] = [
  {
    name: 'memory of several processes',
    code: `for (let i = 0; i < 5; i++) ${perl(`$x = "x" x ${300 * mebi}; sleep 600`)}\n await forever`,
    reason: /used more memory than allowed/,
  },
  {
    name: 'sockets with full buffers',
    code: `for (let i = 0; i < 8; i++) ${perl('use Socket; for (1..2000) { socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, 0) or last; push @all, $a, $b; $a->blocking(0); 1 while syswrite $a, "x" x 65536 } sleep 600')}\n await forever`,
    reason: /used more memory than allowed/,
    isStrongOnly: true,
  },
  {
    name: 'a full disk while directories come and go',
    code: `for (let i = 0; i < 40; i++) fs.writeFileSync('f' + i, Buffer.alloc(${8 * mebi}, 1))
      ${perl('for (1..14) { my $d = "d" x 250; mkdir $d; chdir $d } while (1) { for my $f (sub { mkdir $_[0] }, sub { rmdir $_[0] }) { $f->("e" x 200 . $_) for 1..2000 } }')}
      await forever`,
    reason: /wrote more to its disk than allowed/,
  },
  {
    name: 'the time of the agent by open files',
    code: `fs.writeFileSync('f', Buffer.alloc(${200 * mebi}, 1))
      ${perl('for (1..200) { fork or do { for (1..400) { open my $f, "<", "/dev/null"; push @all, $f } sleep 600 } } sleep 600')}
      await forever`,
    // More files than the agent reads: it counts as too large, if the disk has become fuller. Other programs may have freed space.
    reason:
      /wrote more to its disk than allowed|longer than the maximum run time|didn't finish within its limit/,
    limitMs: 15_000,
  },
  {
    name: 'output without end',
    code: `for (;;) { process.stdout.write('x'.repeat(1_000_000) + '\\n'); await new Promise((done) => setImmediate(done)) }`,
    // ENOBUFS: on a busy machine the kernel may refuse such a write first, and the script fails by its own error.
    reason: /wrote more output than allowed|used more memory than allowed|write ENOBUFS/,
  },
  {
    name: 'processor time in many processes',
    code: `${perl('while (1) { fork; select(undef, undef, undef, 0.02) }')}\n for (;;);`,
    reason: /longer than the maximum run time|didn't finish within its limit/,
    limitMs: 10_000,
  },
]

const levels: { level: 'strong' | 'fallback'; gaps: (keyof Gaps)[] }[] = [
  { level: 'strong', gaps: [] },
  { level: 'fallback', gaps: ['otherUser'] },
]

describe.each(levels)('hostile code at the level $level', ({ level, gaps }) => {
  let openCell: OpenCell
  let world: EveryKind
  let other: Cell
  let folder: string
  let facts: Record<string, string>
  let bystander: ChildProcess
  const removals: (() => unknown)[] = []

  beforeAll(async () => {
    if (level === 'strong') {
      expect((await cellLevel()).level).toBe('strong')
      openCell = cellOpener('auto')
    } else {
      const stage = await prepareCellStage()
      removals.push(() => stage.remove())
      const cells = { stage, launch: fallbackWay(stage), isolation: { level, missing: [] } }
      openCell = (settings, signal) => openBy(cells, 'fallback', settings, signal)
    }
    world = await openEveryKind({ openCell, level, limits })
    folder = mkdtempSync(join(tmpdir(), 'agent-data-'))
    chmodSync(folder, 0o755)
    mkdirSync(join(folder, 'shared'))
    chmodSync(join(folder, 'shared'), 0o777)
    mkdirSync(join(folder, 'data'), { mode: 0o700 })
    writeFileSync(join(folder, 'data/key'), 'the key of the agent', { mode: 0o600 })
    other = await openCell(cellSettings, new AbortController().signal)
    writeFileSync(join(other.folder, 'mine.txt'), 'of another run')
    await other.chown()
    bystander = spawn('/bin/sh', ['-c', 'read line', 'bystander'], {
      env: { KEY: 'planted-in-the-environment' },
      stdio: ['pipe', 'ignore', 'ignore'],
    })
    const sockets = createServer((socket) => socket.end())
    await new Promise<void>((done) =>
      sockets.listen({ path: join(folder, 'socket'), writableAll: true }, done),
    )
    removals.push(() => sockets.close())
    facts = {
      AGENT_PID: `${process.pid}`,
      SECRET_FILE: join(folder, 'data/key'),
      DATA_DIR: join(folder, 'data'),
      CHECKOUT: checkout,
      OTHER_FILE: join(other.folder, 'mine.txt'),
      ABSTRACT: 'none',
      SOCKET_FILE: join(folder, 'socket'),
      SHARED_DIR: join(folder, 'shared'),
      PROGRAM_DIR: '/program',
      RUN_DIR: '/run',
      PORT: `${await listen(createServer())}`,
    }
  }, 300_000)

  afterAll(async () => {
    bystander.stdin?.end()
    await closeCell(other)
    await world.close()
    for (const remove of removals) await remove()
    await closeListeners()
    if (level === 'strong') await closeCells()
    rmSync(folder, { recursive: true, force: true })
  })

  /** Beside a run of another check. */
  async function runBeside(kind: Kind, code: string, limitMs?: number) {
    const mark = newMark()
    const [outcome, beside] = await Promise.all([
      world.run(kind, `${begin(mark)}\n${code}`, limitMs),
      world.run('a plain script', 'console.log("beside")'),
    ])
    expect(beside).toMatchObject({ outcome: 'passed', log: [{ msg: 'beside' }] })
    await Promise.all([outcome.release(), beside.release()])
    expect(processesWith(mark)).toEqual([])
    expect(world.leftovers()).toEqual([])
    return outcome
  }

  it.each(kinds)('accesses nothing that is not documented: %s', { timeout: 240_000 }, async (kind) => {
    const outcome = await runBeside(
      kind,
      `fs.writeFileSync('hostile.mjs', ${JSON.stringify(hostileProgram)})
       const facts = ${JSON.stringify(facts)}
       const { stdout, stderr } = require('node:child_process').spawnSync(process.execPath, ['hostile.mjs'], { env: facts, encoding: 'utf8' })
       if (stdout === '') throw new Error(stderr)
       const findings = Object.entries(JSON.parse(stdout))
       console.log('findings ' + JSON.stringify([findings.length, findings.filter(([, found]) => found === 'got').map(([name]) => name)]))`,
    )
    const line = outcome.log.find(({ msg }) => msg.startsWith('findings '))?.msg ?? 'findings null'
    const [count, successes]: [number, string[]] = JSON.parse(line.slice(9)) ?? [0, []]
    expect([outcome.failure, count]).toEqual([null, attempts.length])
    const known = attempts.filter((attempt) => gaps.some((gap) => attempt[gap])).map(({ name }) => name)
    // The parent of this program is a process of the run itself.
    expect(successes.filter((name) => name !== 'the line to the agent' && !known.includes(name))).toEqual([])
  })

  describe.each(attacks.filter(({ isStrongOnly }) => level === 'strong' || !isStrongOnly))(
    'takes $name',
    (attack) => {
      it.each(kinds)('in %s', { timeout: 240_000 }, async (kind) => {
        const { failure } = await runBeside(kind, attack.code, attack.limitMs)
        expect(failure?.message).toMatch(attack.reason)
      })
    },
  )

  it('leaves only regular files to the agent', { timeout: 120_000 }, async () => {
    const mark = newMark()
    const outcome = await world.run(
      'a plain script',
      `${begin(mark)}
       fs.writeFileSync('kept.txt', 'mine')
       fs.symlinkSync('/etc/passwd', 'link.txt')
       fs.linkSync('kept.txt', 'hard.txt')
       require('node:child_process').execFileSync('mkfifo', ['pipe.txt'])
       fs.ftruncateSync(fs.openSync('sparse.bin', 'w'), ${200 * mebi})
       for (let i = 0; i < 30; i++) { fs.mkdirSync('d'.repeat(200)); process.chdir('d'.repeat(200)) }`,
    )
    expect(outcome.failure).toBeNull()
    expect(outcome.files.map(({ name }) => name)).toEqual([])
    const notes = outcome.log.map(({ msg }) => msg).join('\n')
    for (const name of ['link.txt', 'hard.txt', 'kept.txt', 'pipe.txt', 'sparse.bin'])
      expect(notes).toContain(`${name} is not kept`)
    expect(notes).toContain('its path is longer than 1000 characters')
    await outcome.release()
    expect([processesWith(mark), world.leftovers()]).toEqual([[], []])
  })

  it('leaves 200,000 files', { timeout: 240_000 }, async () => {
    const { failure, log } = await runBeside(
      'a plain script',
      `require('node:child_process').execFileSync('/usr/bin/perl', ['-e', 'for (1..200000) { open my $f, ">", "f$_" }'])`,
    )
    expect(failure).toBeNull()
    expect(log.map(({ msg }) => msg)).toContainEqual(expect.stringMatching(/\d+ more files are not kept$/))
  })

  it('cannot change compiled code that later runs use', { timeout: 240_000 }, async () => {
    const cache = await world.fillCompileCache()
    const content = () =>
      readdirSync(cache, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name)).toString('base64')])
    const before = content()
    expect(before.length).toBeGreaterThan(0)
    const outcome = await world.run(
      'a plain script',
      `const fs = require('node:fs'), path = require('node:path')
       const { folder } = JSON.parse(process.env.VEDETTE_PATHS).cache
       const errors = new Set()
       const attempt = (act) => { try { act(); errors.add('done') } catch (error) { errors.add(error.code) } }
       attempt(() => fs.writeFileSync(path.join(folder, 'x'), ''))
       for (const entry of fs.readdirSync(folder, { recursive: true, withFileTypes: true })) {
         const file = path.join(entry.parentPath, entry.name)
         attempt(() => fs.renameSync(file, file + '-2'))
         attempt(() => fs.chmodSync(file, 0o777))
         if (entry.isFile()) attempt(() => fs.appendFileSync(file, 'x'))
       }
       console.log([...errors].sort().join())`,
    )
    expect(outcome.failure).toBeNull()
    expect(outcome.log.map(({ msg }) => msg)).toEqual([level === 'strong' ? 'EACCES,EROFS' : 'EACCES,EPERM'])
    await outcome.release()
    expect(content()).toEqual(before)
  })
})
