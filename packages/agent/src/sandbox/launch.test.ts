// Each way of starting a child that this host offers, against a program that is hostile from its first line. Without
// Node's permission model, to test the isolation by itself; then with it.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeListeners, listen } from '../net/listeners.fixture.ts'
import { runAsPlainAgent, skipWithoutIsolation } from './cell.fixture.ts'
import { type Launch, launchesFor } from './launch.ts'
import { scriptLimits } from './limits.ts'
import { prepareStage, type Stage } from './stage.ts'

interface Findings {
  [attempt: string]: string | number
}

let stage: Stage
let secretFile: string
let port: number

beforeAll(async () => {
  stage = await prepareStage()
  secretFile = join(mkdtempSync(join(tmpdir(), 'vedette-agent-')), 'key')
  writeFileSync(secretFile, 'the key of the agent', { mode: 0o600 })
  chmodSync(join(secretFile, '..'), 0o777)
  port = await listen(createServer((socket) => socket.end('hello')))
})

afterAll(async () => {
  stage.remove()
  rmSync(join(secretFile, '..'), { recursive: true })
  await closeListeners()
})

/** Reports the result of each attempt: 'got', or why it failed. */
const hostileProgram = () => `
  import fs from 'node:fs'
  import net from 'node:net'
  import { spawnSync } from 'node:child_process'
  import { Worker } from 'node:worker_threads'
  const agent = ${process.pid}
  const findings = {}
  const attempt = async (name, act) => {
    try { await act(); findings[name] = 'got' } catch (error) { findings[name] = error.code ?? error.message }
  }
  const got = (value) => { if (!value) throw new Error('nothing') }
  await attempt('environment', () => got(fs.readFileSync('/proc/' + agent + '/environ').length))
  await attempt('memory', () => fs.openSync('/proc/' + agent + '/mem', 'r+'))
  await attempt('file', () => fs.readFileSync(${JSON.stringify(secretFile)}))
  await attempt('file through the agent', () => fs.readFileSync('/proc/' + agent + '/root' + ${JSON.stringify(secretFile)}))
  await attempt('write', () => fs.writeFileSync(${JSON.stringify(`${secretFile}-copy`)}, 'x'))
  await attempt('signal', () => process.kill(agent, 0))
  await attempt('own environment', () => got(Object.keys(process.env).some((name) => !['PWD', 'OLDPWD', 'SHLVL', '_'].includes(name))))
  await attempt('privileges', () => got(spawnSync('/bin/mount', ['-t', 'tmpfs', 'none', '/run']).status === 0))
  await attempt('network', () => new Promise((done, fail) => net.connect(${port}, '127.0.0.1', done).on('error', fail)))
  await attempt('spawn', () => { const { error, status } = spawnSync('/bin/sh', ['-c', 'exit 0']); if (error) throw error; got(status === 0) })
  await attempt('thread', () => new Worker('', { eval: true }))
  await attempt('native code', () => process.dlopen({ exports: {} }, '/usr/lib/none.node'))
  await attempt('memory without end', () => { const all = []; for (let i = 0; i < 40; i++) all.push(Buffer.alloc(100e6, 1)) })
  fs.writeSync(1, JSON.stringify(findings))
`

/** Null: this host doesn't support the launch. */
async function runAttempts(launch: Launch, program: string): Promise<Findings | null> {
  writeFileSync(join(stage.program, 'main.mjs'), program)
  const folder = stage.makeRunFolder()
  const child = launch.start(folder)
  let output = ''
  child.stdout?.on('data', (chunk) => {
    output += chunk
  })
  child.stderr?.resume()
  await new Promise((resolve) => child.on('close', resolve))
  stage.removeRunFolder(folder)
  return output === '' ? null : JSON.parse(output)
}

async function runOnAll(
  ways: Launch[],
  skip: (note: string) => void,
  program = hostileProgram(),
): Promise<Findings[]> {
  const all: Findings[] = []
  for (const launch of ways) {
    const findings = await runAttempts(launch, program)
    if (findings) all.push(findings)
  }
  if (all.length === 0) skipWithoutIsolation(skip, 'not open on this host')
  return all
}

const launches = (confined: boolean) =>
  confined ? launchesFor(stage) : launchesFor(stage, () => ['--max-old-space-size=256'])

describe('without the permission model', () => {
  it('namespaces and an own root hide the agent, its files and its network', async ({ skip }) => {
    const isolated = launches(false).filter(({ layers }) => layers.includes('root'))
    for (const findings of await runOnAll(isolated, skip)) {
      for (const name of ['environment', 'memory', 'file', 'file through the agent'])
        expect(findings[name], name).toBe('ENOENT')
      expect(findings.signal).toBe('ESRCH')
      expect(findings.network).toMatch(/ENETUNREACH|ECONNREFUSED/)
      expect(findings.privileges).not.toBe('got')
      expect(findings.write).not.toBe('got')
      expect(findings['own environment']).toBe('nothing')
      expect(findings['memory without end']).not.toBe('got')
    }
  })

  it('a process namespace ends all of its processes, and their number is limited', async ({ skip }) => {
    const marker = 40_000 + (process.pid % 10_000)
    const program = `
      import { spawn, spawnSync } from 'node:child_process'
      import fs from 'node:fs'
      for (let i = 0; i < 5; i++) spawn('/bin/sleep', ['${marker}'], { detached: true, stdio: 'ignore' }).unref()
      const limit = spawnSync('/bin/sh', ['-c', 'ulimit -u 2>/dev/null || ulimit -p'], { encoding: 'utf8' }).stdout
      fs.writeSync(1, JSON.stringify({ limit: Number(limit) }))`
    const isolated = launches(false).filter(({ layers }) => layers.includes('pid-namespace'))
    for (const findings of await runOnAll(isolated, skip, program))
      expect(findings.limit).toBe(scriptLimits.threads)
    const processes = () => execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    await expect.poll(processes, { timeout: 5_000 }).not.toContain(`sleep ${marker}`)
  })

  it("children can't change what they share, even if the agent is an ordinary user", async ({ skip }) => {
    const program = `
      import fs from 'node:fs'
      const findings = {}
      const attempt = (name, act) => { try { act(); findings[name] = 'got' } catch (error) { findings[name] = error.code } }
      attempt('unlink', () => fs.unlinkSync('/program/views.mjs'))
      attempt('rename', () => fs.renameSync('/program/console.mjs', '/program/views.mjs'))
      attempt('link', () => fs.symlinkSync('/dev/null', '/program/x'))
      attempt('folder of sockets', () => fs.mkdirSync('/run/x'))
      attempt('root', () => fs.mkdirSync('/x'))
      fs.writeSync(1, JSON.stringify(findings))`
    const refused = ['unlink', 'rename', 'link', 'folder of sockets', 'root'].map((name) => [name, 'EROFS'])
    const namespaced = launches(false).filter(({ layers }) => layers.includes('root'))
    for (const findings of await runOnAll(namespaced, skip, program))
      expect(Object.entries(findings)).toEqual(refused)
    const url = (file: string) => JSON.stringify(new URL(file, import.meta.url))
    const output = await runAsPlainAgent(`
      import { writeFileSync } from 'node:fs'
      import { launchesFor } from ${url('./launch.ts')}
      import { prepareStage } from ${url('./stage.ts')}
      const stage = await prepareStage()
      writeFileSync(stage.program + '/main.mjs', ${JSON.stringify(program)})
      const launch = launchesFor(stage, () => []).find(({ layers }) => layers.includes('root'))
      const child = launch.start(stage.makeRunFolder())
      child.stdout.pipe(process.stdout)
      await new Promise((settle) => child.on('close', settle))
      stage.remove()`)
    expect(Object.entries(JSON.parse(output))).toEqual(refused)
  })

  it('each child has its own user and a syscall filter', async ({ skip }) => {
    const keyctl = process.arch === 'x64' ? 250 : 219
    const program = `
      import fs from 'node:fs'
      import { spawnSync } from 'node:child_process'
      const perl = 'print syscall(${keyctl}, 0, 0, 0) == -1 ? 0 + $! : "got"'
      const { stdout } = spawnSync('/usr/bin/perl', ['-e', perl], { encoding: 'utf8' })
      fs.writeSync(1, JSON.stringify({ uid: process.getuid(), keyctl: stdout }))`
    const own = launches(false).filter(
      ({ layers }) => layers.includes('user') && layers.includes('syscall-filter'),
    )
    const [first] = own
    const all = await runOnAll(first ? [first, first, first] : [], skip, program)
    expect(new Set(all.map(({ uid }) => uid)).size).toBe(3)
    const eperm = '1'
    expect(all.map(({ keyctl: errno }) => errno)).toEqual([eperm, eperm, eperm])
  })

  it('another user can neither read nor signal the agent', { tags: ['story'] }, async ({ skip }) => {
    const others = launches(false).filter(
      ({ layers }) => layers.includes('user') && layers.includes('rlimits'),
    )
    for (const findings of await runOnAll(others, skip)) {
      for (const name of ['environment', 'memory', 'file', 'file through the agent'])
        expect(findings[name], name).toMatch(/^(EACCES|EPERM|ENOENT)$/)
      expect(findings.privileges).not.toBe('got')
      expect(findings.signal).toMatch(/EPERM|ESRCH/)
      expect(findings['own environment']).toBe('nothing')
      expect(findings['memory without end']).not.toBe('got')
    }
  })
})

describe('with the permission model', () => {
  it('even the weakest launch allows no files, processes, threads or native code', {
    tags: ['story'],
  }, async ({ skip }) => {
    const weakest = launches(true).filter(
      ({ layers }) => !layers.includes('root') && layers.includes('rlimits'),
    )
    for (const findings of await runOnAll(weakest, skip)) {
      for (const name of ['environment', 'memory', 'file', 'write', 'spawn', 'thread'])
        expect(findings[name], name).toBe('ERR_ACCESS_DENIED')
      expect(findings['native code']).not.toBe('got')
      expect(findings['own environment']).toBe('nothing')
    }
  })

  it('lists the layers of each launch, the strongest first', () => {
    const all = launches(true).map(({ layers }) => layers)
    expect(all.at(-1)).toEqual(expect.arrayContaining(['process', 'permission']))
    expect(all.every((layers) => layers.includes('permission'))).toBe(true)
    if (process.platform === 'linux') expect(all[0]).toContain('network-namespace')
  })
})
