import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { lockDataDir } from './lock.ts'

describe('lockDataDir', () => {
  let base: string
  beforeEach(() => {
    base = mkdtempSync(join(tmpdir(), 'vedette-lock-'))
  })
  afterEach(() => rmSync(base, { recursive: true, force: true }))

  it('makes the folder for its owner only, and leaves nothing in it when released', () => {
    const dataDir = join(base, 'a', 'data')
    const lock = lockDataDir(dataDir)
    expect(statSync(dataDir).mode & 0o777).toBe(0o700)
    lock.release()
    expect(readdirSync(dataDir)).toEqual([])
  })

  it('refuses a second holder and names the first', () => {
    const lock = lockDataDir(base)
    expect(() => lockDataDir(base)).toThrow(`already running on ${base}, pid ${process.pid}`)
    lock.release()
    lockDataDir(base).release()
  })

  it('takes over the lock of a process that was killed', async () => {
    const child = spawn(process.execPath, ['-e', holdLock(base)], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    expect(() => lockDataDir(base)).toThrow(`pid ${child.pid}`)
    child.kill('SIGKILL')
    await once(child, 'exit')
    lockDataDir(base).release()
    expect(readdirSync(base)).toEqual([])
  })

  it('takes over a lock whose pid another process has by now, and one that is garbage', () => {
    for (const content of [JSON.stringify({ pid: process.ppid, birth: 'another boot:1' }), '{"pid"', '']) {
      writeFileSync(join(base, 'server.lock'), content)
      const lock = lockDataDir(base)
      expect(JSON.parse(readFileSync(join(base, 'server.lock'), 'utf8')).pid).toBe(process.pid)
      lock.release()
    }
  })

  it('lets exactly one of many simultaneous starts through, over a stale lock too', async () => {
    writeFileSync(join(base, 'server.lock'), '{}')
    const children = Array.from({ length: 6 }, () =>
      spawn(process.execPath, ['-e', holdLock(base)], { stdio: ['ignore', 'pipe', 'pipe'] }),
    )
    const outcomes = await Promise.all(
      children.map((child) =>
        Promise.race([
          once(child.stdout, 'data').then(() => 'held'),
          once(child, 'exit').then(() => 'refused'),
        ]),
      ),
    )
    expect(outcomes.filter((outcome) => outcome === 'held')).toHaveLength(1)
    for (const child of children) child.kill('SIGKILL')
  })

  it('explains what to do if the directory cannot be used', () => {
    writeFileSync(join(base, 'file'), '')
    expect(() => lockDataDir(join(base, 'file'))).toThrow('set DATA_DIR to a folder')
    expect(existsSync(join(base, 'server.lock'))).toBe(false)
  })
})

function holdLock(dataDir: string): string {
  return `import(${JSON.stringify(new URL('./lock.ts', import.meta.url).href)}).then(({ lockDataDir }) => {
    lockDataDir(${JSON.stringify(dataDir)}); console.log('held'); setInterval(() => {}, 1000) })`
}
