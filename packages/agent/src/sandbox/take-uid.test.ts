import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { takeUid } from './cell-launch.ts'

const uidsAround = 1_000

it('is different each time, and skips users with processes', async ({ skip }) => {
  if (process.getuid?.() !== 0) return skip('only root starts programs as others')
  const uid = takeUid()
  const other = spawn('/bin/sleep', ['600'], { uid, gid: uid, stdio: 'ignore' })
  await once(other, 'spawn')
  try {
    const round = new Set(Array.from({ length: uidsAround }, takeUid))
    expect(round.size).toBeGreaterThan(uidsAround / 2)
    expect(round).not.toContain(uid)
  } finally {
    other.kill('SIGKILL')
    await once(other, 'exit')
  }
})
