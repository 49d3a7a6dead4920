// Code that means harm from its first line, in a cell by each way of starting one: what it gets at. Behind strong walls
// nothing; elsewhere what loot.fixture.ts documents, and only that.
import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { closeListeners, listen } from '../net/listeners.fixture.ts'
import {
  type CellWay,
  cellWays,
  checkout,
  plainUid,
  plunder,
  plunderAsPlainAgent,
  type Ran,
  skipWithoutIsolation,
} from './cell.fixture.ts'
import type { CellStage } from './cell-stage.ts'
import { attempts, type Gaps, hostileProgram } from './loot.fixture.ts'

const isRoot = process.getuid?.() === 0

let folder: string
let stage: CellStage
let ways: CellWay[]
let bystanders: ChildProcess[]
let facts: Record<string, string>

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'escape-'))
  chmodSync(folder, 0o755)
  mkdirSync(join(folder, 'shared'))
  chmodSync(join(folder, 'shared'), 0o777)
  const opened = await cellWays()
  stage = opened.stage
  ways = opened.ways
  bystanders = [undefined, ...(isRoot ? [plainUid] : [])].map((uid) =>
    spawn('/bin/sh', ['-c', 'read line', 'bystander'], {
      env: { KEY: 'planted-in-the-environment' },
      stdio: ['pipe', 'ignore', 'ignore'],
      ...(uid && { uid, gid: uid }),
    }),
  )
  const port = await listen(createServer())
  const abstract = `vedette-escape-${process.pid}`
  await new Promise<void>((done) => abstractServer.listen(`\0${abstract}`, done))
  await new Promise<void>((done) =>
    fileServer.listen({ path: join(folder, 'socket'), writableAll: true }, done),
  )
  facts = {
    ...{ CHECKOUT: checkout, PORT: `${port}`, ABSTRACT: abstract, SOCKET_FILE: join(folder, 'socket') },
    SHARED_DIR: join(folder, 'shared'),
  }
})

const abstractServer = createServer((socket) => socket.end())
const fileServer = createServer((socket) => socket.end())

afterAll(async () => {
  for (const bystander of bystanders) bystander.stdin?.end()
  abstractServer.close()
  fileServer.close()
  stage.remove()
  rmSync(folder, { recursive: true })
  await closeListeners()
})

/** A folder such as the agent keeps its data in. */
function agentData(uid: number | undefined): { SECRET_FILE: string; DATA_DIR: string } {
  const dataDir = mkdtempSync(join(folder, 'data-'))
  const file = join(dataDir, 'key')
  writeFileSync(file, 'the key of the agent', { mode: 0o600 })
  chmodSync(dataDir, 0o700)
  if (uid !== undefined) for (const path of [file, dataDir]) chownSync(path, uid, uid)
  return { SECRET_FILE: file, DATA_DIR: dataDir }
}

async function lootOf(way: CellWay): Promise<Record<string, string>> {
  return parsed(await plunder(way, stage, hostileProgram, { ...facts, ...agentData(undefined) }))
}

function parsed({ stdout, stderr, end }: Ran): Record<string, string> {
  if (stdout === '') throw new Error(`the program ended without a word (${JSON.stringify(end)}): ${stderr}`)
  return JSON.parse(stdout)
}

const gotten = (loot: Record<string, string>) => Object.keys(loot).filter((name) => loot[name] === 'got')

function expectDocumented(loot: Record<string, string>, places: (keyof Gaps)[]) {
  const gaps = (kind: 'open' | 'host') =>
    attempts.filter((attempt) => places.some((place) => attempt[place] === kind)).map(({ name }) => name)
  const open = gaps('open')
  const known = [...open, ...gaps('host')]
  expect(gotten(loot).filter((name) => !known.includes(name))).toEqual([])
  expect(open.filter((name) => loot[name] !== 'got').map((name) => `${name}: ${loot[name]}`)).toEqual([])
}

describe('what hostile code gets at', () => {
  it('is nothing behind strong walls, whoever the agent is', async ({ skip }) => {
    const strong = ways.filter(({ level }) => level === 'strong')
    if (strong.length === 0) skipWithoutIsolation(skip)
    for (const way of strong) {
      const loot = await lootOf(way)
      expect(Object.keys(loot), way.name).toHaveLength(attempts.length)
      expect(gotten(loot), way.name).toEqual([])
    }
  })

  it.runIf(isRoot)('is nothing behind the walls of an agent without privileges', async ({ skip }) => {
    const env = { ...facts, ...agentData(plainUid) }
    const ran = await plunderAsPlainAgent('strong', hostileProgram, env)
    if (!ran) return skipWithoutIsolation(skip, 'no user namespaces on this host')
    const loot = parsed(ran)
    expect(Object.keys(loot)).toHaveLength(attempts.length)
    expect(gotten(loot)).toEqual([])
  })

  it.runIf(isRoot)(
    'is what is documented without namespaces, as another user',
    { tags: ['story'] },
    async () => {
      for (const way of ways.filter(({ level, hasUser }) => level === 'fallback' && hasUser))
        expectDocumented(await lootOf(way), ['otherUser', ...(way.hasLimits ? [] : (['bare'] as const))])
    },
  )

  it.runIf(isRoot)(
    'is all that the agent has without namespaces and as its own user',
    { tags: ['story'] },
    async () => {
      const env = { ...facts, ...agentData(plainUid) }
      const ran = await plunderAsPlainAgent('fallback', hostileProgram, env)
      expectDocumented(parsed(ran!), ['sameUser'])
    },
  )
})
