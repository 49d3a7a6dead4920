import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { isReachable } from './is-reachable.ts'

const base = mkdtempSync(join(tmpdir(), 'vedette-reach-'))
afterEach(() => rmSync(base, { recursive: true, force: true }))

it('is a directory that others may read, with parents that others may traverse', ({ skip }) => {
  if (process.getuid?.() !== 0) return skip('cells are the agent’s own user then')
  mkdirSync(join(base, 'way/inner'), { recursive: true })
  symlinkSync(join(base, 'way'), join(base, 'link'))
  const seen = (mode: { base: number; way: number; inner: number }) => {
    chmodSync(base, mode.base)
    chmodSync(join(base, 'way'), mode.way)
    chmodSync(join(base, 'way/inner'), mode.inner)
    return [isReachable(join(base, 'way/inner')), isReachable(join(base, 'link/inner'))]
  }
  expect(seen({ base: 0o711, way: 0o711, inner: 0o755 })).toEqual([true, true])
  expect(seen({ base: 0o711, way: 0o711, inner: 0o711 })).toEqual([false, false])
  expect(seen({ base: 0o711, way: 0o700, inner: 0o755 })).toEqual([false, false])
  expect(seen({ base: 0o700, way: 0o755, inner: 0o755 })).toEqual([false, false])
})
