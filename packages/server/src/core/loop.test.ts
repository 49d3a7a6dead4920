import { pino } from 'pino'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { every } from './loop.ts'

const log = pino({ level: 'silent' })
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('works in every period, also after a failure', async () => {
  const work = vi.fn(async () => {
    throw new Error('no store')
  })
  const loop = every(100, work, log)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(work.mock.calls.length).toBeGreaterThanOrEqual(9)
  await loop.stop()
})

it('leaves the turns of other servers out, unless it has more to do', async () => {
  let left = 3
  const turns = { isOwn: vi.fn(() => false) }
  const work = vi.fn(async () => --left > 0)
  const loop = every(100, work, log, 'notify', turns)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(work).not.toHaveBeenCalled()
  turns.isOwn.mockReturnValueOnce(true)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(work).toHaveBeenCalledTimes(3)
  await loop.stop()
})
