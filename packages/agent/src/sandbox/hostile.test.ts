// Scripts that mean harm, in the sandbox as this host builds it.
import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { afterAll, describe, expect, it } from 'vitest'
import { closeListeners, listen } from '../net/listeners.fixture.ts'
import { runAsPlainAgent } from './cell.fixture.ts'
import { scriptLimits } from './limits.ts'
import { parseFromChild } from './messages.ts'
import { closeSandbox } from './sandbox.ts'
import { runScript } from './session.fixture.ts'

afterAll(async () => {
  await closeSandbox()
  await closeListeners()
})

describe('a hostile script is stopped', () => {
  it.each([
    ['an endless loop', 'for (;;);', ['SCRIPT_TIMEOUT']],
    ['a promise that never settles', 'await new Promise(() => {})', ['SCRIPT_TIMEOUT']],
    [
      'a loop of microtasks',
      'const again = () => Promise.resolve().then(again); await again()',
      // Every promise waits for the next one: on a fast machine their number is over the memory before the time is up.
      ['SCRIPT_TIMEOUT', 'SCRIPT_MEMORY'],
    ],
    ['a bomb of Buffers', 'const all = []; for (;;) all.push(Buffer.alloc(20e6, 1))', ['SCRIPT_MEMORY']],
    ['a bomb in the heap', 'const all = []; for (;;) all.push(new Array(1e5).fill(1.5))', ['SCRIPT_MEMORY']],
    ['a text that doubles', 'let text = "x"; for (;;) text += text', ['SCRIPT_ERROR', 'SCRIPT_MEMORY']],
    ['a flood of lines', 'for (;;) console.log("x".repeat(1000))', ['SCRIPT_OUTPUT']],
    [
      'one endless line',
      'const x = "x".repeat(60000); console.log(x); for (;;) process.stderr.write(x)',
      ['SCRIPT_OUTPUT'],
    ],
    ['leaving', 'process.exit(0)', ['SCRIPT_ENDED']],
    ['an abort', 'process.abort()', ['SCRIPT_ENDED']],
  ])('%s', { timeout: 90_000 }, async (_name, script, codes) => {
    // A bomb has as long as it takes, so that only its memory can end it.
    const timeoutMs = codes.includes('SCRIPT_TIMEOUT') ? 1_000 : 60_000
    const { outcome } = await runScript(script, { limits: { timeoutMs } })
    expect(outcome.ok ? 'ok' : outcome.code).toBeOneOf(codes)
  })

  it('in its ten seconds by default', () => expect(scriptLimits.timeoutMs).toBe(10_000))
})

describe('what a script returns', () => {
  it.each([
    ['10 MB in the body', `request.body = 'x'.repeat(1e7)`, /request is larger than 256 kB/],
    ['10 MB in a variable', `process.env.BIG = 'x'.repeat(1e7)`, /process.env is larger than 256 kB/],
    [
      '10,000 headers',
      `request.headers = Object.fromEntries([...Array(1e4)].map((_, i) => ['h' + i, '']))`,
      /can't be read/,
    ],
    ['no request at all', 'request = null', /request is no longer an object/],
    ['a method of its own', `request.method = 'CONNECT'`, /request.method must not be CONNECT/],
    [
      'a getter that throws',
      `Object.defineProperty(request, 'url', { get() { throw new Error('got you') } })`,
      /got you/,
    ],
    ['a poisoned JSON', `Object.prototype.toJSON = () => ({ type: 'nonsense' })`, /can't be read/],
  ])('is refused: %s', async (_name, script, message) => {
    const { outcome } = await runScript(script)
    expect(outcome.ok ? 'ok' : outcome.message).toMatch(message)
  })

  it('pollutes no prototype of the agent', async () => {
    const { outcome } = await runScript(`
      request.headers = JSON.parse('{"__proto__":"polluted","constructor":"c","a":"1"}')
      process.env.__proto__ = 'polluted'
      Object.prototype.polluted = 'yes'`)
    expect(outcome).toMatchObject({
      ok: true,
      request: {
        headers: [
          ['__proto__', 'polluted'],
          ['constructor', 'c'],
          ['a', '1'],
        ],
      },
    })
    expect(outcome.ok && Object.getPrototypeOf(outcome.variables)).toBe(Object.prototype)
    expect(({} as { polluted?: string }).polluted).toBeUndefined()
  })

  it.each([
    'nonsense',
    '[]',
    'null',
    '{"type":"done","id":1}',
    '{"type":"done","id":1,"request":{"method":"GET","url":1,"body":"","headers":[],"queryParameters":[]},"body":null,"variables":[]}',
    '{"type":"done","id":1,"request":{"method":"GET","url":"","body":"","headers":[["a"]],"queryParameters":[]},"body":null,"variables":[]}',
    '{"type":"done","id":"1","request":{"method":"GET","url":"","body":"","headers":[],"queryParameters":[]},"body":null,"variables":[]}',
    '{"type":"log","level":"__proto__","msg":"x"}',
    '{"type":"log","level":"INFO","msg":{}}',
    `${'['.repeat(100_000)}`,
  ])('is not a valid message: %.60s', (line) => expect(parseFromChild(line)).toBeNull())
})

describe('a hostile script has no access', () => {
  it.each([
    ['child_process', `require('child_process')`],
    ['worker threads', `require('worker_threads')`],
    ['files', `await import('node:fs')`],
    ['files by a function made of text', `await new Function('return import("node:fs")')()`],
    ['modules', `require('module')`],
    ['built-in modules past require', `process.getBuiltinModule('fs')`],
    ['bindings', `process.binding('spawn_sync')`],
    ['native code', `process.dlopen({ exports: {} }, '/usr/lib/x.node')`],
    ['signals', `process.kill(process.ppid, 'SIGKILL')`],
    ['debuggers', `process._debugProcess(process.ppid)`],
    ['another program', `process.execve('/bin/sh', ['sh'], {})`],
    [
      'reports on disk',
      `if (process.report.writeReport('/tmp/report.json')) throw new Error(process.report.writeReport())`,
    ],
    [
      'a socket file',
      `await new Promise((done, fail) => require('net').connect('/var/run/docker.sock', done).on('error', fail))`,
    ],
  ])('not %s', async (_name, script) => {
    const { outcome } = await runScript(script)
    expect(outcome).toMatchObject({ ok: false, code: 'SCRIPT_ERROR' })
  })
})

describe('the network rules apply to scripts', () => {
  const connect = (port: number, host: string) =>
    `await new Promise((done, fail) => require('net').connect({ port: ${port}, host: '${host}' }, done).on('error', fail))`

  it.each([
    ['default', '169.254.169.254'],
    ['public', '127.0.0.1'],
    ['public', 'localhost'],
    ['public', '10.0.0.1'],
    ['public', '::ffff:127.0.0.1'],
  ] as const)('%s: %s', async (mode, host) => {
    let reached = 0
    const port = await listen(
      createServer(() => {
        reached += 1
      }),
    )
    const { outcome } = await runScript(connect(port, host), { network: networkPolicy({ mode }) })
    expect(outcome).toMatchObject({ ok: false, message: expect.stringContaining("doesn't connect to it") })
    expect(reached).toBe(0)
  })

  it('also for lookups', async () => {
    const script = `await require('dns').promises.lookup('localhost')`
    const { outcome } = await runScript(script, { network: networkPolicy({ mode: 'public' }) })
    expect(outcome).toMatchObject({
      ok: false,
      message: expect.stringContaining('resolves to a loopback address'),
    })
  })

  it('with limits on connections and bytes', async () => {
    const port = await listen(createServer((socket) => socket.pipe(socket)))
    const many = `for (let i = 0; i < 5; i++) ${connect(port, '127.0.0.1')}`
    expect(await runScript(many, { limits: { maxConnections: 4 } })).toMatchObject({
      outcome: {
        ok: false,
        message: expect.stringContaining('more than 4 connections and lookups were made'),
      },
    })
    const much = `const socket = require('net').connect(${port}, '127.0.0.1'); socket.resume()
      socket.write(Buffer.alloc(1e6)); await new Promise((done, fail) => socket.on('error', () => {}).on('close', done))`
    expect(await runScript(much, { limits: { maxTransferredBytes: 500_000 } })).toMatchObject({
      outcome: { ok: true },
    })
  })
})

describe('an agent without privileges', () => {
  it.runIf(process.getuid?.() === 0)('runs scripts as its own user', async () => {
    const code = `
      import { closeSandbox } from '${new URL('./sandbox.ts', import.meta.url)}'
      import { cellLevel } from '${new URL('./open-cell.ts', import.meta.url)}'
      import { runScript } from '${new URL('./session.fixture.ts', import.meta.url)}'
      const { level } = await cellLevel()
      const { outcome } = await runScript('process.env.A = REGION')
      console.log(JSON.stringify({ level, variables: outcome.variables }))
      await closeSandbox()`
    expect(JSON.parse(await runAsPlainAgent(code))).toEqual({
      level: 'same-user',
      variables: { A: 'eu-west-1' },
    })
  })
})

describe('an agent that is killed', () => {
  it.runIf(process.platform === 'linux')(
    'takes its scripts with it, and the next one tidies up',
    async () => {
      const code = `
      import { runScript } from '${new URL('./session.fixture.ts', import.meta.url)}'
      runScript('console.log("looping"); for (;;);', { onLog: () => console.log('looping') })`
      const next = `
      import { cellLevel, closeCells } from '${new URL('./open-cell.ts', import.meta.url)}'
      await cellLevel()
      await closeCells()`
      const temporary = mkdtempSync(join(tmpdir(), 'killed-'))
      const agent = spawn(process.execPath, ['--input-type=module', '-e', code], {
        stdio: ['ignore', 'pipe', 'ignore'],
        env: { TMPDIR: temporary },
      })
      await new Promise((resolve) => agent.stdout.once('data', resolve))
      const children = descendants(agent.pid!)
      expect(children.length).toBeGreaterThan(0)
      agent.kill('SIGKILL')
      await expect.poll(() => children.filter(isRunning)).toEqual([])
      await new Promise((resolve) =>
        (agent.exitCode ?? agent.signalCode) === null ? agent.once('close', resolve) : resolve(null),
      )
      expect(readdirSync(temporary)).toHaveLength(1)
      execFileSync(process.execPath, ['--input-type=module', '-e', next], {
        env: { TMPDIR: temporary },
        stdio: 'ignore',
      })
      expect(readdirSync(temporary)).toEqual([])
      rmSync(temporary, { recursive: true })
    },
  )

  const descendants = (pid: number): number[] => {
    const output = execFileSync('ps', ['-o', 'pid=', '--ppid', `${pid}`], { encoding: 'utf8' })
      .trim()
      .split('\n')
    const own = output.filter((line) => line.trim() !== '').map(Number)
    return own.flatMap((child) => [child, ...descendantsOrNone(child)])
  }
  const descendantsOrNone = (pid: number) => {
    try {
      return descendants(pid)
    } catch {
      return []
    }
  }
  const isRunning = (pid: number) => {
    try {
      return !/State:\s+Z/.test(
        execFileSync('cat', [`/proc/${pid}/status`], { encoding: 'utf8', stdio: 'pipe' }),
      )
    } catch {
      return false
    }
  }
})
