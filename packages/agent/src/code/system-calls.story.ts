// What programs of users call in the kernel, traced in a real cell: nothing that its filter doesn't know. Run it after an update of
// Node, Chromium or a package manager.
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { npmEnvironment } from '../config.ts'
import { findBrowsers } from '../runtimes/browsers.ts'
import { cellSettings, closeCell, nodeIn, startProgram } from '../sandbox/cell.fixture.ts'
import type { Cell, CellMount } from '../sandbox/cell.ts'
import { cellOpener, closeCells } from '../sandbox/open-cell.ts'
import { allowedCalls, limitedCalls } from '../sandbox/syscall-table.ts'
import { browserArgs } from './browser-args.ts'
import { openToolStore } from './suite/tool-store.ts'

const kept = fileURLToPath(new URL('../../../../node_modules/.vedette-suite-test', import.meta.url))
const log = { debug() {}, info() {}, warn() {}, error() {} }
const { signal } = new AbortController()

/** Refused on purpose; the programs do without. */
const knownRefusals = [
  // Node probes it, and uses its thread pool.
  'io_uring_setup',
  // Firefox probes them: its own sandbox, quotas of the disk, memory of its node.
  ...['seccomp', 'quotactl', 'set_mempolicy'],
  // Chromium called it in one of many runs, on a busy machine, and showed the page.
  'semget',
]

let traces: string
beforeAll(() => {
  traces = mkdtempSync(join(tmpdir(), 'vedette-calls-'))
})
afterAll(async () => {
  await closeCells()
  rmSync(traces, { recursive: true })
})

/** The supervisor of the only cell: what it starts is traced from the first call. */
function supervisorPid(): number {
  const table = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).trim().split('\n')
  const rows = table.map((row) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(row)?.slice(1) ?? [])
  const below = (parent: string): string[][] =>
    rows.filter(([, of]) => of === parent).flatMap((row) => [row, ...below(row[0] ?? '')])
  const found = below(`${process.pid}`).find(([, , args]) => args?.startsWith('/node '))
  return Number(found?.[0])
}

/** Runs the command in a cell under strace: its output, and all its calls by number. */
async function trace(name: string, mounts: CellMount[], prepare: (cell: Cell) => string[]) {
  const cell = await cellOpener('require')({ ...cellSettings, mounts }, signal)
  try {
    const argv = prepare(cell)
    await cell.chown()
    const file = join(traces, name)
    const tracer = spawn('strace', ['-f', '-n', '-o', file, '-p', `${supervisorPid()}`], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    await new Promise((settle) => tracer.stderr.once('data', settle))
    const ran = await startProgram(cell, argv).ended
    const gone = new Promise((settle) => tracer.once('close', settle))
    tracer.kill('SIGINT')
    await gone
    const lines = readFileSync(file, 'latin1').split('\n')
    const found = lines.flatMap((line) => [/^\d+\s+\[\s*(\d+)\] (?:<\.\.\. )?(\w+)/.exec(line) ?? []])
    const calls = new Map(found.map(([, number, name = '']): [number, string] => [Number(number), name]))
    calls.delete(Number.NaN)
    return { ...ran, calls }
  } finally {
    await closeCell(cell)
  }
}

function expectKnown(calls: ReadonlyMap<number, string>) {
  const arch = process.arch === 'arm64' ? 'arm64' : 'x64'
  const known = new Set([...allowedCalls(arch), ...limitedCalls(arch).values()])
  expect(calls.size).toBeGreaterThan(20)
  const unknown = [...calls].flatMap(([number, name]) => (known.has(number) ? [] : [name]))
  expect(unknown.filter((name) => !knownRefusals.includes(name))).toEqual([])
}

/** A package with a dependency beside it: no registry is needed. */
function writeSuite({ folder }: Cell): void {
  for (const path of ['app', 'dependency']) mkdirSync(join(folder, path))
  const dependencies = { dependency: 'file:../dependency' }
  writeFileSync(
    join(folder, 'app/package.json'),
    JSON.stringify({ name: 'app', version: '1.0.0', dependencies }),
  )
  writeFileSync(join(folder, 'dependency/package.json'), '{"name":"dependency","version":"1.0.0"}')
}

const nodeProgram = `
  const { Worker } = require('node:worker_threads')
  const { execFileSync } = require('node:child_process')
  const fs = require('node:fs')
  fs.mkdtempSync('/tmp/x'); fs.cpSync('/program', '/tmp/copy', { recursive: true }); fs.watch('/tmp').close()
  fs.rmSync('/tmp/copy', { recursive: true }); fs.writeFileSync('/dev/shm/x', 'x')
  require('node:crypto').pbkdf2Sync('a', 'b', 1000, 32, 'sha256')
  require('node:zlib').gzipSync(Buffer.alloc(1e6))
  new Worker('1', { eval: true }).on('exit', async () => {
    const server = require('node:http').createServer((request, response) => response.end('hi')).listen(0, '127.0.0.1', async () => {
      const text = await (await fetch('http://127.0.0.1:' + server.address().port)).text()
      console.log(text, execFileSync('/bin/sh', ['-c', 'git init -q /tmp/repository && ls /tmp/repository/.git | wc -l; perl -e "fork and wait; print 1"'], { encoding: 'utf8' }))
      process.exit()
    })
  })`

describe('in a cell', { timeout: 180_000 }, () => {
  it('Node, with threads, files, servers and other programs', async () => {
    const { stdout, stderr, calls } = await trace('node', [], (cell) => [nodeIn(cell), '-e', nodeProgram])
    expect([stdout.split('\n')[0]?.slice(0, 2), stderr]).toEqual(['hi', ''])
    expectKnown(calls)
  })

  it('Chromium', async () => {
    const page =
      'data:text/html,<canvas id=c></canvas><script>document.title=c.getContext("webgl")===null;new Worker("data:,1")</script>'
    const browser = findBrowsers({}).headlessShell ?? ''
    const flags = ['--headless', '--user-data-dir=/tmp/profile', '--screenshot=/tmp/page.png', '--dump-dom']
    const { stdout, calls } = await trace('chromium', [], () => [
      browser,
      ...browserArgs('strong'),
      ...flags,
      page,
    ])
    expect(stdout).toContain('<canvas')
    expectKnown(calls)
  })

  it('Firefox', async () => {
    const { stdout, calls } = await trace('firefox', [], () => [
      ...[
        '/bin/sh',
        '-c',
        'timeout 30 firefox-esr --headless --screenshot /work/page.png about:blank; ls -la /work/page.png',
      ],
    ])
    expect(stdout).toContain('/work/page.png')
    expectKnown(calls)
  })

  it.each([
    ['npm', '11', 'bin/npm-cli.js', ['install', '--offline', '--no-audit']],
    ['pnpm', '10.15.0', 'bin/pnpm.cjs', ['install', '--offline']],
    ['yarn', '1.22.22', 'bin/yarn.js', ['install', '--offline']],
  ])('%s', async (name, version, program, args) => {
    const store = await openToolStore({ folder: kept, npmEnvironment: npmEnvironment(), log })
    const from = await store.ensure(name, version, signal)
    const { end, stdout, stderr, calls } = await trace(
      name,
      [{ from: dirname(from), to: '/tools' }],
      (cell) => {
        writeSuite(cell)
        const node = `${nodeIn(cell)} /tools/${name}/${program} ${args.join(' ')}`
        return ['/bin/sh', '-c', `cd /work/app && ${node} && ls node_modules/dependency/package.json`]
      },
    )
    expect(end.exitCode, stdout + stderr).toBe(0)
    expectKnown(calls)
  })
})

it('no call is listed twice', () => {
  for (const arch of ['x64', 'arm64'] as const) {
    const calls = allowedCalls(arch)
    expect(new Set(calls).size).toBe(calls.length)
  }
})
