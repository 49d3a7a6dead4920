import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { agentWaits } from '../core/agent-waits.ts'
import { deadline } from './deadline.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('aborts with a TimeoutError at its limit', () => {
  const { signal } = deadline(new AbortController().signal, 1000)
  vi.advanceTimersByTime(999)
  expect(signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' })
})

it('passes on why the one it was given was aborted, also when that was before', () => {
  const controller = new AbortController()
  const before = deadline(controller.signal, 1000)
  controller.abort('canceled')
  const after = deadline(controller.signal, 1000)
  expect([before.signal.reason, after.signal.reason]).toEqual(['canceled', 'canceled'])
  before.clear()
  after.clear()
})

it('leaves no timer behind once cleared', () => {
  const { signal, clear } = deadline(new AbortController().signal, 1000)
  clear()
  expect(vi.getTimerCount()).toBe(0)
  expect(signal.aborted).toBe(false)
})

it('stands still while the run waits for its agent', () => {
  const waits = agentWaits(() => performance.now())
  const { signal, clear } = deadline(new AbortController().signal, 1000, waits)
  vi.advanceTimersByTime(600)
  const end = waits.begin()
  vi.advanceTimersByTime(3_600_000)
  expect(signal.aborted).toBe(false)
  end()
  vi.advanceTimersByTime(399)
  expect(signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(signal.reason).toMatchObject({ name: 'TimeoutError' })
  clear()
  waits.begin()()
  expect(vi.getTimerCount()).toBe(0)
})
