// Code that takes all it can get: memory, disk, processes, time. It is stopped, and nobody else suffers.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { getPriority } from 'node:os'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type CellWay,
  cellWays,
  closeCell,
  newMark,
  processesWith,
  runNode,
  startNode,
  startProgram,
} from './cell.fixture.ts'
import type { CellLimits } from './cell.ts'
import type { CellStage } from './cell-stage.ts'
import { codeLimits } from './code-limits.ts'

const mebi = 1024 * 1024
const small: CellLimits = {
  ...codeLimits,
  memoryBytes: 1_000 * mebi,
  diskBytes: 64 * mebi,
  temporaryBytes: 16 * mebi,
  processes: 100,
}

let stage: CellStage
let ways: CellWay[]
let strongest: CellWay

beforeAll(async () => {
  const opened = await cellWays()
  stage = opened.stage
  ways = opened.ways
  strongest = ways[0]!
})

afterAll(() => stage.remove())

async function reasonOf(program: string, limits: Partial<CellLimits> = {}) {
  const cell = await strongest.open({ limits: { ...small, ...limits } })
  try {
    return await runNode(cell, program)
  } finally {
    await closeCell(cell)
  }
}

/** A process that fills so much memory, and stays. */
const hog = (megabytes: number) => `perl -e '$x = "x" x ${megabytes * mebi}; sleep 60'`

describe('priority', () => {
  it('is lower than the agent’s with every launch, also in a session that the code opens', async () => {
    const lowered = Math.min(19, getPriority() + 10)
    for (const way of ways) {
      const cell = await way.open({ limits: small })
      try {
        const program = `
          import { spawnSync } from 'node:child_process'
          import { getPriority } from 'node:os'
          const code = "console.log(require('node:os').getPriority())"
          const { stdout } = spawnSync('setsid', ['--wait', process.execPath, '-e', code], { encoding: 'utf8' })
          console.log(getPriority(), stdout.trim())`
        expect((await runNode(cell, program)).stdout.trim(), way.name).toBe(`${lowered} ${lowered}`)
      } finally {
        await closeCell(cell)
      }
    }
  })

  it.each([
    ['is raised', true],
    ['stays as it is where another process leads it', false],
  ])('of the session of the agent %s', (_, isLeader) => {
    const module = JSON.stringify(new URL('priority.ts', import.meta.url).href)
    const program = `const { raiseOwnSession } = await import(${module})
      const wasRaised = raiseOwnSession()
      console.log(wasRaised, existsSync(file) ? readFileSync(file, 'utf8').trim() : 'nice 0')`
    const imports = `import { existsSync, readFileSync } from 'node:fs'; const file = '/proc/self/autogroup';`
    const node = [process.execPath, '--input-type=module', '-e', imports + program]
    // setsid doesn't fork here, so Node leads; behind a shell that waits, the shell does.
    const command = isLeader ? node : ['sh', '-c', '"$@"; exit', 'sh', ...node]
    const { stdout } = spawnSync('setsid', ['--wait', ...command], { encoding: 'utf8' })
    const mayRaise = isLeader && process.getuid?.() === 0 && existsSync('/proc/self/autogroup')
    expect(stdout.trim()).toMatch(mayRaise ? /^true .* nice -20$/ : /^false .*nice 0$/)
  })
})

describe('memory', () => {
  it('of one process: 10 GB of Buffers', async () => {
    const { end, stderr } = await reasonOf(
      'const all = []; for (let i = 0; i < 100; i++) { all.push(Buffer.alloc(100e6, 1)) } console.log("all of it")',
    )
    // The limit of one process refuses it, or the watch over all of them comes first.
    expect(
      end.reason === 'memory' || /Failed to allocate|allocation failed|out of memory/i.test(stderr),
    ).toBe(true)
  })

  it.each([
    ['of many processes together', `for (let i = 0; i < 4; i++) spawn('/bin/sh', ['-c', hog])`],
    [
      'of processes that a thread started',
      `new Worker("const { spawn } = require('child_process'); for (let i = 0; i < 4; i++) spawn('/bin/sh', ['-c', require('worker_threads').workerData])", { eval: true, workerData: hog })`,
    ],
    [
      'of processes that left their parents',
      `for (let i = 0; i < 4; i++) spawn('/bin/sh', ['-c', '(setsid ' + hog + ' &) &'], { detached: true, stdio: 'ignore' }).unref()`,
    ],
  ])('%s', { tags: ['story'] }, async (_name, act) => {
    const { end, stderr } = await reasonOf(
      `
      import { spawn } from 'node:child_process'
      import { Worker } from 'node:worker_threads'
      const hog = ${JSON.stringify(hog(300))}
      ${act}
      setTimeout(() => {}, 60_000)`,
      { diskBytes: 512 * mebi },
    )
    expect([end.reason, stderr]).toEqual(['memory', ''])
  })
})

describe('memory that belongs to no process', () => {
  it('is limited: files that are on the way from socket to socket', async () => {
    // Each file is deleted, closed, and held by a message that nobody receives.
    const perl = `use Socket; use IO::Handle; my $bytes = 0; my @pairs;
      for (1..64) {
        socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, 0) or last; push @pairs, $a, $b;
        open(my $f, "+>", "/dev/shm/f"); unlink "/dev/shm/f"; my $got = syswrite($f, "x" x ${mebi}) // 0; last if $got < ${mebi};
        $bytes += $got;
        my $data = "x"; my $vector = pack("PQ", $data, 1);
        my $control = pack("QllLx4", 20, 1, 1, fileno $f);
        my $message = pack("x8Lx4PQPQLx4", 0, $vector, 1, $control, 20, 0);
        syscall(${process.arch === 'x64' ? 46 : 211}, fileno $a, $message, 0) == 1 or die "sendmsg: $!";
        close $f;
      }
      print $bytes / ${mebi}`
    const { stdout, stderr } = await reasonOf(`
      import { spawnSync } from 'node:child_process'
      const { stdout, stderr } = spawnSync('/usr/bin/perl', ['-e', ${JSON.stringify(perl)}], { encoding: 'utf8' })
      console.log(stdout, stderr)`)
    // The size of /dev/shm, whoever holds its files.
    expect([stdout.trim(), stderr]).toEqual(['16', ''])
  })

  it('is limited: buffers of sockets', async () => {
    const perl = `use Socket; my @pairs; for (1..2000) { socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, 0) or last; push @pairs, $a, $b } sleep 60`
    const { end } = await reasonOf(
      `
      import { spawn } from 'node:child_process'
      for (let i = 0; i < 4; i++) spawn('/usr/bin/perl', ['-e', ${JSON.stringify(perl)}])
      setTimeout(() => {}, 60_000)`,
    )
    expect(end.reason).toBe('memory')
  })

  it('is limited: detached segments of shared memory', async () => {
    const shmget = process.arch === 'x64' ? 29 : 194
    const perl = `for (1..5000) { last if syscall(${shmget}, 0, $ARGV[0] + 0, 0600 | 01000) == -1; $n++ } print $n + 0`
    const { stdout } = await reasonOf(`
      import { execFileSync } from 'node:child_process'
      const segments = (bytes) => Number(execFileSync('/usr/bin/perl', ['-e', ${JSON.stringify(perl)}, String(bytes)]))
      console.log(JSON.stringify([segments(${8 * mebi}), segments(8192), segments(4096)]))`)
    expect(JSON.parse(stdout)).toEqual([0, 0, 4_096])
  })

  it.each(['/tmp', '/dev/shm'])('is limited: files without content in %s', async (folder) => {
    const { end } = await reasonOf(`
      import fs from 'node:fs'
      for (let n = 0; n < 400_000; n++) fs.mkdirSync('${folder}/' + n)
      setTimeout(() => {}, 60_000)`)
    expect(end.reason).toBe('disk')
  })
})

describe.concurrent('disk', () => {
  const fill = (act: string) => `
    import fs from 'node:fs'
    const piece = Buffer.alloc(${8 * mebi}, 1)
    ${act}
    setTimeout(() => {}, 60_000)`

  it('of many files', { tags: ['story'] }, async () => {
    const act = 'for (let i = 0; i < 16; i++) fs.writeFileSync("f" + i, piece)'
    expect((await reasonOf(fill(act))).end.reason).toBe('disk')
  })

  it.each([
    [
      'while files come and go',
      'for (let i = 0; i < 16; i++) fs.writeFileSync("f" + i, piece); setInterval(() => { for (let i = 0; i < 50; i++) { fs.mkdirSync("d" + i); fs.rmdirSync("d" + i) } }, 1)',
    ],
    [
      'of files that were deleted and are still open',
      'for (let i = 0; i < 16; i++) { const file = fs.openSync("f", "w"); fs.unlinkSync("f"); fs.writeSync(file, piece); fs.fsyncSync(file) }',
    ],
  ])('%s', { tags: ['story'] }, async (_name, act) => {
    expect((await reasonOf(fill(act))).end.reason).toBe('disk')
  })

  it('of one file, of the temporary directories', async () => {
    const program = `
      import fs from 'node:fs'
      const fill = (path) => { const f = fs.openSync(path, 'w'); try { for (let i = 0; i < 100; i++) fs.writeSync(f, Buffer.alloc(1e6, 1)); return 'full' } catch (error) { return error.code } finally { fs.closeSync(f) } }
      process.on('SIGXFSZ', () => {})
      console.log(['/work/f', '/tmp/f', '/dev/shm/f'].map(fill).join())`
    expect((await reasonOf(program)).stdout.trim()).toBe('EFBIG,ENOSPC,ENOSPC')
  })
})

describe('processes', () => {
  it('of a fork bomb are limited and end with the cell', async () => {
    const mark = newMark()
    const cell = await strongest.open({ limits: small })
    const other = await strongest.open()
    try {
      const bomb = startProgram(
        cell,
        ['/bin/sh', '-c', `perl -e 'while (1) { fork; select(undef, undef, undef, 0.02) }'`],
        {
          MARK: mark,
        },
      )
      await expect.poll(() => processesWith(mark).length).toBeGreaterThan(40)
      expect((await runNode(other, 'console.log("still here")')).stdout).toBe('still here\n')
      expect(processesWith(mark).length).toBeLessThanOrEqual(small.processes)
      await cell.end()
      expect((await bomb.ended).end.reason).toBe('killed')
      expect(processesWith(mark)).toEqual([])
    } finally {
      await closeCell(cell)
      await closeCell(other)
    }
  })
})

describe('time', () => {
  it('of an endless loop is limited, and ends with the cell', async () => {
    const cell = await strongest.open({ limits: { ...small, cpuSeconds: 1 } })
    try {
      const looping = await startNode(cell, 'for (;;);')
      const { end } = await looping.ended
      expect(end).toMatchObject({ reason: 'exited', signal: expect.stringMatching(/^SIG(XCPU|KILL)$/) })
      const again = await startNode(cell, 'process.on("SIGTERM", () => {}); console.log("begun"); for (;;);')
      await expect.poll(again.stdout).toBe('begun\n')
      again.kill()
      expect((await again.ended).end.signal).toBe('SIGKILL')
    } finally {
      await closeCell(cell)
    }
  })
})
