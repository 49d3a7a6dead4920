import { performance } from 'node:perf_hooks'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { releaseMemory } from './release-memory.ts'

const megabyte = 2 ** 20
let heap: number
let utilization: number
const collect = vi.fn(() => {
  heap = 50 * megabyte
})
const trim = vi.fn(() => undefined)

beforeEach(() => {
  vi.useFakeTimers()
  collect.mockClear()
  trim.mockClear()
  heap = 80 * megabyte
  utilization = 0.1
  vi.spyOn(performance, 'eventLoopUtilization').mockImplementation(() => ({
    utilization,
    idle: 0,
    active: 0,
  }))
  releaseMemory({ collect, trim, bytes: () => heap })
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

it('collects garbage after the start, and again when the heap has grown', () => {
  vi.advanceTimersByTime(29_000)
  expect(collect).not.toHaveBeenCalled()
  vi.advanceTimersByTime(1_000)
  expect(collect).toHaveBeenCalledTimes(1)
  heap += 3 * megabyte
  vi.advanceTimersByTime(240_000)
  expect(collect).toHaveBeenCalledTimes(1)
  heap += megabyte
  vi.advanceTimersByTime(120_000)
  expect(collect).toHaveBeenCalledTimes(2)
})

it('returns free memory of the C library each time', () => {
  vi.advanceTimersByTime(270_000)
  expect(collect).toHaveBeenCalledTimes(1)
  expect(trim).toHaveBeenCalledTimes(3)
})

it('waits while the process is busy', () => {
  utilization = 0.5
  vi.advanceTimersByTime(270_000)
  expect(collect).not.toHaveBeenCalled()
  expect(trim).not.toHaveBeenCalled()
  utilization = 0.1
  vi.advanceTimersByTime(120_000)
  expect(collect).toHaveBeenCalledTimes(1)
})
