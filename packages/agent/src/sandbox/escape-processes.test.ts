// Code that wants to stay when its time is up, and code that turns on the process that started it.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import {
  type CellWay,
  cellWays,
  closeCell,
  newMark,
  nodeArgs,
  plainUid,
  processesWith,
  runAsPlainAgent,
  runNode,
  startNode,
} from './cell.fixture.ts'
import type { CellStage } from './cell-stage.ts'

const isRoot = process.getuid?.() === 0

let stage: CellStage
let ways: CellWay[]

beforeAll(async () => {
  const opened = await cellWays()
  stage = opened.stage
  ways = opened.ways
})

afterAll(() => stage.remove())

/** Each is another way to get out of a process group, a session, a parent. */
const staying = `
  import { spawn } from 'node:child_process'
  const start = (program, ...args) => spawn(program, args, { detached: true, stdio: 'ignore' }).unref()
  start('/bin/sleep', '60')
  start('/bin/sh', '-c', '(setsid nohup sleep 60 &) &')
  start('/usr/bin/perl', '-e', 'fork and exit; setpgrp; fork and exit; $SIG{$_} = "IGNORE" for keys %SIG; sleep 60')
  setInterval(() => {}, 1000)
  console.log('started')`

/** Takes over our process inside by its debugger, and puts a program in its place that no signal of ours is meant for. */
const takingOver = `
  import net from 'node:net'
  const prctl = process.arch === 'x64' ? 157 : 167
  const stays = 'syscall(' + prctl + ', 1, 0, 0, 0, 0); setpgrp(0, 0); open(F, ">", "/work/taken"); close(F); sleep 60'
  process.kill(process.ppid, 'SIGUSR1')
  const findDebugger = () => new Promise((settle) => {
    let text = ''
    const socket = net.connect(9229, '127.0.0.1', () => socket.write('GET /json HTTP/1.1\\r\\nHost: 127.0.0.1:9229\\r\\n\\r\\n'))
    socket.on('error', () => setTimeout(() => settle(null), 20))
    socket.on('data', (chunk) => {
      text += chunk
      const url = /"webSocketDebuggerUrl": "([^"]+)"/.exec(text)?.[1]
      if (url) settle(url), socket.destroy()
    })
  })
  let url = null
  while (!url) url = await findDebugger()
  const socket = new WebSocket(url)
  await new Promise((done) => socket.addEventListener('open', done))
  const args = [['perl', '-e', stays], { MARK: process.env.MARK }].map((arg) => JSON.stringify(arg)).join()
  const expression = 'setTimeout(() => process.execve("/usr/bin/perl", ' + args + '), 50)'
  socket.addEventListener('message', () => socket.close())
  socket.send(JSON.stringify({ id: 1, method: 'Runtime.evaluate', params: { expression } }))
  setInterval(() => {}, 1000)`

describe('nothing is left of a cell that has ended', () => {
  it('of programs that left their parents, with an own user or namespace', async () => {
    const closed = ways.filter(({ level, hasUser }) => level === 'strong' || hasUser)
    expect(closed.length).toBeGreaterThan(0)
    for (const way of closed) {
      const mark = newMark()
      const cell = await way.open()
      const running = await startNode(cell, staying, { MARK: mark })
      await expect.poll(running.stdout).toBe('started\n')
      await expect.poll(() => processesWith(mark).length).toBeGreaterThanOrEqual(4)
      await cell.end()
      expect(processesWith(mark), way.name).toEqual([])
      await cell.remove()
      expect(existsSync(cell.folder)).toBe(false)
    }
  })

  it('of programs that killed the supervisor', { tags: ['story'] }, async () => {
    for (const way of ways.filter(({ level }) => level === 'strong')) {
      const mark = newMark()
      const cell = await way.open()
      const other = await way.open()
      const { end } = await runNode(cell, `${staying}; process.kill(process.ppid, 'SIGKILL')`, { MARK: mark })
      expect(end.reason).toBe('cell')
      await cell.end()
      expect(processesWith(mark)).toEqual([])
      expect((await runNode(other, 'console.log(1)')).stdout).toBe('1\n')
      await closeCell(other)
      await cell.remove()
    }
  })

  it('of code that impersonates the supervisor', async () => {
    for (const way of ways.filter(({ level }) => level === 'strong')) {
      const mark = newMark()
      const cell = await way.open()
      await startNode(cell, takingOver, { MARK: mark })
      await expect.poll(() => existsSync(join(cell.folder, 'taken'))).toBe(true)
      expect(processesWith(mark).length).toBeGreaterThan(0)
      await cell.end()
      expect(processesWith(mark), way.name).toEqual([])
      await cell.remove()
    }
  })

  it('of directories without permissions or with too long paths', { tags: ['story'] }, async () => {
    const program = `
      import fs from 'node:fs'
      fs.mkdirSync('closed/inner', { recursive: true })
      fs.writeFileSync('closed/inner/f', '')
      fs.chmodSync('closed/inner', 0)
      fs.chmodSync('closed', 0)
      for (let i = 0; i < 60; i++) { fs.mkdirSync('d'.repeat(200)); process.chdir('d'.repeat(200)) }`
    const cell = await ways[0]!.open()
    expect((await runNode(cell, program)).stderr).toBe('')
    await closeCell(cell)
    expect(existsSync(cell.folder)).toBe(false)
    if (!isRoot) return
    const code = `
      import { cellWays, closeCell, runNode } from '${new URL('./cell.fixture.ts', import.meta.url)}'
      import { existsSync } from 'node:fs'
      const { stage, ways } = await cellWays()
      const cell = await ways[0].open()
      const { stderr } = await runNode(cell, ${JSON.stringify(program)})
      await closeCell(cell)
      console.log(JSON.stringify({ stderr, isLeft: existsSync(cell.folder) }))
      stage.remove()`
    expect(JSON.parse(await runAsPlainAgent(code))).toEqual({ stderr: '', isLeft: false })
  })
})

describe('an agent that is killed', () => {
  const started: ChildProcess[] = []
  afterEach(() => {
    for (const agent of started.splice(0)) agent.kill('SIGKILL')
  })

  const killedWith = async (program: string, uid: number | undefined) => {
    const mark = newMark()
    const temporary = mkdtempSync('/tmp/killed-')
    if (uid) execFileSync('chown', [`${uid}`, temporary])
    const fixture = new URL('./cell.fixture.ts', import.meta.url)
    const run = (code: string) =>
      spawn(process.execPath, [...nodeArgs, '-e', code], {
        stdio: ['ignore', 'pipe', 'inherit'],
        env: { TMPDIR: temporary },
        cwd: '/',
        ...(uid && { uid, gid: uid }),
      })
    const agent = run(`
      import { cellSettings, startNode } from '${fixture}'
      import { cellOpener } from '${new URL('./open-cell.ts', import.meta.url)}'
      const cell = await cellOpener('auto')(cellSettings, new AbortController().signal)
      console.log(cell.level, cell.folder)
      await startNode(cell, ${JSON.stringify(program)}, { MARK: '${mark}' })`)
    started.push(agent)
    const [level, folder] = await new Promise<string[]>((settle) =>
      agent.stdout.once('data', (line) => settle(String(line).trim().split(' '))),
    )
    const isStaying = () => existsSync(join(folder!, 'taken')) || processesWith(mark).length >= 4
    await expect.poll(isStaying).toBe(true)
    const gone = new Promise((settle) => agent.once('close', settle))
    agent.kill('SIGKILL')
    await gone
    if (level === 'strong') await expect.poll(() => processesWith(mark)).toEqual([])
    const next = run(`import { prepareCellStage } from '${new URL('./cell-stage.ts', import.meta.url)}'
      const stage = await prepareCellStage()
      stage.remove()`)
    await new Promise((settle) => next.once('close', settle))
    expect(readdirSync(temporary)).toEqual([])
    rmSync(temporary, { recursive: true })
  }

  it('takes with it what left its parents, and the next one tidies up', () => killedWith(staying, undefined))

  const cases = [
    { name: 'takes with it what took the place of its own process', program: takingOver, uid: undefined },
    { name: 'takes the first with it without privileges too', program: staying, uid: plainUid },
    { name: 'takes the second with it without privileges too', program: takingOver, uid: plainUid },
  ]

  it.each(cases.filter(({ uid }) => isRoot || uid === undefined))(
    '$name, and the next one tidies up',
    { tags: ['story'] },
    ({ program, uid }) => killedWith(program, uid),
  )
})
