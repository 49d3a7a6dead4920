import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { systemTool } from '../core/system-tool.ts'
import { skipWithoutIsolation } from './cell.fixture.ts'
import { makeBaseFolder } from './stage.ts'

let temporary: string

beforeEach(() => {
  temporary = mkdtempSync(join(tmpdir(), 'stage-'))
  vi.stubEnv('TMPDIR', temporary)
})
afterEach(() => {
  vi.unstubAllEnvs()
  rmSync(temporary, { recursive: true })
})

/** That of an agent that was killed. */
async function leftBase(): Promise<string> {
  const killed = spawn('/bin/true')
  await once(killed, 'exit')
  const name = basename(makeBaseFolder()).replace(`-${process.pid}-`, `-${killed.pid}-`)
  const base = join(temporary, name)
  mkdirSync(join(base, 'cells'), { recursive: true })
  return base
}

it('ends a cell that waits for a killed parent, and removes the directory of a killed agent', async ({
  skip,
}) => {
  const bwrap = systemTool('bwrap')
  if (bwrap === null) return skipWithoutIsolation(skip, 'bubblewrap is missing')
  const base = await leftBase()
  // Nothing is written to descriptor 3: the parent waits for it before it lets its child go on.
  const parent = spawn(
    bwrap,
    [
      ...['--unshare-user', '--unshare-all', '--die-with-parent', '--userns-block-fd', '3', '--info-fd', '4'],
      ...['--bind', join(base, 'cells'), '/', '/program'],
    ],
    { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'] },
  )
  let info = ''
  parent.stdio[4]?.on('data', (chunk) => {
    info += chunk
  })
  await expect.poll(() => info, { timeout: 20_000 }).toMatch(/"child-pid": \d+\D/)
  const child = Number(/"child-pid": (\d+)/.exec(info)?.[1])
  parent.kill('SIGKILL')
  await once(parent, 'exit')
  expect(readFileSync(`/proc/${child}/stat`, 'latin1')).toMatch(/^\d+ \(bwrap\) [^ZX] /)

  const next = makeBaseFolder()
  await expect.poll(() => existsSync(`/proc/${child}`), { timeout: 20_000 }).toBe(false)
  expect(existsSync(base)).toBe(false)
  expect(readdirSync(temporary)).toContain(basename(next))
})
