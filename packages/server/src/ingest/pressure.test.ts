import { expect, it } from 'vitest'
import { IngestPressure } from './pressure.ts'

it('is high for a moment after each large report', () => {
  let now = 1_000
  const pressure = new IngestPressure({ now: () => now })
  expect(pressure.isHigh).toBe(false)
  pressure.add(99)
  expect(pressure.isHigh).toBe(false)
  pressure.add(100)
  now = 1_400
  pressure.add(250)
  now = 1_899
  expect(pressure.isHigh).toBe(true)
  now = 1_900
  expect(pressure.isHigh).toBe(false)
})
