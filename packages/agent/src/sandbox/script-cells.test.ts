// The cell of a setup script against a program that is hostile from its first line, without Node's permission model.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeListeners, listen } from '../net/listeners.fixture.ts'
import { checkout, runAsPlainAgent } from './cell.fixture.ts'
import { type CellStage, prepareCellStage } from './cell-stage.ts'
import { attempts, hostileProgram } from './escape-attempts.fixture.ts'
import { scriptLimits } from './limits.ts'
import { runInScriptCell } from './session.fixture.ts'

const isRoot = process.getuid?.() === 0

let stage: CellStage
let folder: string
let facts: Record<string, string>
beforeAll(async () => {
  stage = await prepareCellStage()
  folder = mkdtempSync(join(tmpdir(), 'vedette-agent-'))
  writeFileSync(join(folder, 'key'), 'the key of the agent', { mode: 0o600 })
  const port = await listen(createServer((socket) => socket.end('hello')))
  facts = {
    ...{
      AGENT_PID: `${process.pid}`,
      SECRET_FILE: join(folder, 'key'),
      DATA_DIR: folder,
      CHECKOUT: checkout,
    },
    ...{ OTHER_FILE: join(folder, 'a/work/mine.txt'), ABSTRACT: 'none', SOCKET_FILE: join(folder, 'socket') },
    ...{ SHARED_DIR: folder, PROGRAM_DIR: '/program', RUN_DIR: '/run', PORT: `${port}` },
  }
})
afterAll(async () => {
  stage.remove()
  rmSync(folder, { recursive: true })
  await closeListeners()
})

const asPlainAgent = (program: string, env: Record<string, string>) =>
  runAsPlainAgent(`
    import { prepareCellStage } from '${new URL('./cell-stage.ts', import.meta.url)}'
    import { runInScriptCell } from '${new URL('./session.fixture.ts', import.meta.url)}'
    const stage = await prepareCellStage()
    console.log(await runInScriptCell(stage, ${JSON.stringify(program)}, ${JSON.stringify(env)}))
    stage.remove()`)

describe('the process of a setup script', () => {
  const inCells = [
    { name: 'of an agent that is root', run: (program: string) => runInScriptCell(stage, program, facts) },
    ...(isRoot
      ? [{ name: 'of an agent without privileges', run: (program: string) => asPlainAgent(program, facts) }]
      : []),
  ]

  it.each(inCells)('reaches nothing of the agent and of the machine, $name', async ({ run }) => {
    const findings: Record<string, string> = JSON.parse(await run(hostileProgram))
    expect(Object.keys(findings)).toHaveLength(attempts.length)
    expect(Object.entries(findings).filter(([, found]) => found === 'got')).toEqual([])
  })

  it.each(inCells)('writes nowhere, $name', async ({ run }) => {
    const program = `
      import fs from 'node:fs'
      const findings = {}
      const attempt = (name, act) => { try { act(); findings[name] = 'got' } catch (error) { findings[name] = error.code } }
      attempt('unlink', () => fs.unlinkSync('/script/views.mjs'))
      attempt('rename', () => fs.renameSync('/script/console.mjs', '/script/views.mjs'))
      attempt('link', () => fs.symlinkSync('/dev/null', '/program/x'))
      for (const folder of ['/', '/run', '/dev', '/etc', '/usr']) attempt(folder, () => fs.mkdirSync(folder + '/x'))
      for (const folder of ['/tmp', '/work', '/proc', '/dev/shm']) attempt(folder, () => fs.readdirSync(folder))
      fs.writeSync(1, JSON.stringify(findings))`
    const findings: Record<string, string> = JSON.parse(await run(program))
    const readOnly = ['unlink', 'rename', 'link', '/', '/run', '/dev', '/etc', '/usr']
    const absent = ['/tmp', '/work', '/proc', '/dev/shm']
    expect(findings).toEqual({
      ...Object.fromEntries(readOnly.map((name) => [name, 'EROFS'])),
      ...Object.fromEntries(absent.map((name) => [name, 'ENOENT'])),
    })
  })

  it.runIf(isRoot)('has few threads, and no memory outside of its processes', async () => {
    const memfd = process.arch === 'x64' ? 319 : 279
    const perl = `my $n = "x"; my $fd = syscall(${memfd}, $n, 0); open(my $f, "+<&=", $fd); $SIG{XFSZ} = "IGNORE"; print((syswrite $f, "x") ? "got" : "refused")`
    const output = await runInScriptCell(
      stage,
      `import fs from 'node:fs'
       import { spawnSync } from 'node:child_process'
       const run = (...argv) => spawnSync(argv[0], argv.slice(1), { encoding: 'utf8' }).stdout.trim()
       const findings = [Number(run('/bin/sh', '-c', 'ulimit -u 2>/dev/null || ulimit -p')), run('/usr/bin/perl', '-e', ${JSON.stringify(perl)})]
       fs.writeSync(1, JSON.stringify(findings))`,
      {},
    )
    expect(JSON.parse(output)).toEqual([scriptLimits.threads, 'refused'])
  })
})
