import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createEventLog } from './event-log.ts'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

it('writes 20 lines of a kind per second, then how many were omitted', () => {
  const lines: string[] = []
  const events = createEventLog({ info: ((_fields: object, text: string) => lines.push(text)) as never })
  for (let index = 0; index < 1000; index++) events.info('check.failing', {}, `Check ${index} is failing`)
  events.info('alert.sent', {}, 'An alert was sent')
  expect(lines).toHaveLength(21)
  vi.advanceTimersByTime(1000)
  expect(lines.at(-1)).toBe('980 more lines of this kind (check.failing) were omitted.')
  events.info('check.failing', {}, 'Another check is failing')
  expect(lines.at(-1)).toBe('Another check is failing')
})
