import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ballastBytes, dropBallast, takeBallast } from './ballast.ts'

describe('the ballast', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'vedette-ballast-'))
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  it('reserves real disk space, once, and releases it', async () => {
    await takeBallast(folder)
    await takeBallast(folder)
    const { size, blocks, mode } = statSync(join(folder, 'ballast'))
    expect(size).toBe(ballastBytes)
    expect(blocks * 512).toBeGreaterThanOrEqual(ballastBytes)
    expect(mode & 0o077).toBe(0)
    expect(await dropBallast(folder)).toBe(true)
    expect(await dropBallast(folder)).toBe(false)
  })

  it('leaves nothing behind if the disk is full', async () => {
    await expect(takeBallast(join(folder, 'missing'))).rejects.toThrow(/ENOENT/)
    expect(await dropBallast(folder)).toBe(false)
  })
})
