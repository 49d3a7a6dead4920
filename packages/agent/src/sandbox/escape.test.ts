// Hostile code in cells of each level: at the level `strong` it reaches nothing, elsewhere exactly the gaps that
// escape-attempts.fixture.ts documents.
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
  type Ran,
  runEscapeAttempts,
  runEscapeAttemptsAsPlainAgent,
  skipWithoutIsolation,
} from './cell.fixture.ts'
import type { CellStage } from './cell-stage.ts'
import { attempts, type Gaps, hostileProgram } from './escape-attempts.fixture.ts'

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

async function findingsOf(way: CellWay): Promise<Record<string, string>> {
  return parseFindings(
    await runEscapeAttempts(way, stage, hostileProgram, { ...facts, ...agentData(undefined) }),
  )
}

function parseFindings({ stdout, stderr, end }: Ran): Record<string, string> {
  if (stdout === '') throw new Error(`the program ended without output (${JSON.stringify(end)}): ${stderr}`)
  return JSON.parse(stdout)
}

const successesOf = (findings: Record<string, string>) =>
  Object.keys(findings).filter((name) => findings[name] === 'got')

function expectDocumented(findings: Record<string, string>, levels: (keyof Gaps)[]) {
  const gaps = (kind: 'open' | 'host') =>
    attempts.filter((attempt) => levels.some((level) => attempt[level] === kind)).map(({ name }) => name)
  const open = gaps('open')
  const known = [...open, ...gaps('host')]
  expect(successesOf(findings).filter((name) => !known.includes(name))).toEqual([])
  expect(open.filter((name) => findings[name] !== 'got').map((name) => `${name}: ${findings[name]}`)).toEqual(
    [],
  )
}

describe('what hostile code can access', () => {
  it('is nothing with strong isolation, as root or not', async ({ skip }) => {
    const strong = ways.filter(({ level }) => level === 'strong')
    if (strong.length === 0) skipWithoutIsolation(skip)
    for (const way of strong) {
      const findings = await findingsOf(way)
      expect(Object.keys(findings), way.name).toHaveLength(attempts.length)
      expect(successesOf(findings), way.name).toEqual([])
    }
  })

  it.runIf(isRoot)('is nothing in cells of an agent without privileges', async ({ skip }) => {
    const env = { ...facts, ...agentData(plainUid) }
    const ran = await runEscapeAttemptsAsPlainAgent('same-user', hostileProgram, env)
    if (!ran) return skipWithoutIsolation(skip, 'no user namespaces on this host')
    const findings = parseFindings(ran)
    expect(Object.keys(findings)).toHaveLength(attempts.length)
    expect(successesOf(findings)).toEqual([])
  })

  it.runIf(isRoot)(
    'is what is documented without namespaces, as another user',
    { tags: ['story'] },
    async () => {
      for (const way of ways.filter(({ level, hasUser }) => level === 'fallback' && hasUser))
        expectDocumented(await findingsOf(way), ['otherUser'])
    },
  )

  it.runIf(isRoot)(
    'is all that the agent has without namespaces and as its own user',
    { tags: ['story'] },
    async () => {
      const env = { ...facts, ...agentData(plainUid) }
      const ran = await runEscapeAttemptsAsPlainAgent('fallback', hostileProgram, env)
      expectDocumented(parseFindings(ran!), ['sameUser'])
    },
  )
})
