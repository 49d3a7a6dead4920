// The users of a cell's processes as this machine sees them, and what they can read through its mounts.
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cellSettings, closeCell, newMark, processesWith, startProgram } from './cell.fixture.ts'
import type { Cell } from './cell.ts'
import { cellOpener, closeCells } from './open-cell.ts'

const isRoot = process.getuid?.() === 0
const openCell = cellOpener('require')
const { signal } = new AbortController()

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'users-'))
})
afterAll(async () => {
  await closeCells()
  rmSync(folder, { recursive: true })
})

/** A directory with a public file and one for the agent alone; `mode` is that of its parent. */
function sourceIn(name: string, mode: number): string {
  const source = join(folder, name, 'source')
  mkdirSync(source, { recursive: true })
  writeFileSync(join(source, 'public'), 'for all')
  writeFileSync(join(source, 'key'), 'the key of the agent', { mode: 0o600 })
  chmodSync(join(folder, name), mode)
  return source
}

/** The users of the cells' processes below the agent's own. */
function usersBelow(pid: number): number[] {
  const table = execFileSync('ps', ['-eo', 'pid=,ppid=,uid=,args='], { encoding: 'utf8' }).trim().split('\n')
  const rows = table.map((row) => {
    const [child = 0, parent = 0, uid = 0] = row.trim().split(/\s+/, 3).map(Number)
    return { child, parent, uid, isOfCell: /bwrap|supervisor\.mjs|read line/.test(row) }
  })
  const below = (parent: number): typeof rows =>
    rows.filter((row) => row.parent === parent).flatMap((row) => [row, ...below(row.child)])
  const users = below(pid).flatMap(({ uid, isOfCell }) => (isOfCell ? [uid] : []))
  return [...new Set(users)].sort()
}

async function usersOf(cell: Cell): Promise<{ user: number; all: number[] }> {
  const mark = newMark()
  const waiting = startProgram(cell, ['/bin/sh', '-c', 'echo started; read line'], { MARK: mark })
  await expect.poll(waiting.stdout).toBe('started\n')
  const user = statSync(`/proc/${processesWith(mark)[0]}`).uid
  const all = usersBelow(process.pid)
  waiting.kill()
  await waiting.ended
  return { user, all }
}

describe.runIf(isRoot)('the user of a cell', () => {
  it("isn't root, nor that of another cell, for any of its processes", async () => {
    const hidden = sourceIn('hidden', 0o700)
    const mounts = [{ from: hidden, to: '/source' }]
    const first = await openCell({ ...cellSettings, mounts }, signal)
    const one = await usersOf(first)
    expect(one.all).toEqual([one.user])
    const second = await openCell({ ...cellSettings, mounts }, signal)
    const both = await usersOf(second)
    expect(both.all).toEqual([one.user, both.user].sort())
    expect([one.user, both.user]).not.toContain(0)
    expect(one.user).not.toBe(both.user)
    await Promise.all([closeCell(first), closeCell(second)])
  })

  it.each([
    ['that every user can enter', 'open', 0o755],
    ['that only the agent can enter', 'closed', 0o700],
  ])("can't read the agent's files below a directory %s", async (_name, name, mode) => {
    const cell = await openCell(
      { ...cellSettings, mounts: [{ from: sourceIn(name, mode), to: '/source' }] },
      signal,
    )
    const { stdout } = await startProgram(cell, [
      ...['/bin/sh', '-c', 'cat /source/public; cat /source/key 2>&1; touch /source/new 2>&1'],
    ]).ended
    expect(stdout).toMatch(/^for allcat: \/source\/key: Permission denied\n.*Read-only file system\n$/)
    await closeCell(cell)
  })
})
