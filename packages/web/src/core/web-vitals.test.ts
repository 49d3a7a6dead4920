import { expect, it } from 'vitest'
import { axisEnd } from './chart-data.ts'
import { formatVital, rateVital, vitalLimits } from './web-vitals.ts'

it('rates a value by its thresholds, which are good and not poor themselves', () => {
  expect([2500, 2501, 4000, 4001].map((value) => rateVital('LCP', value))).toEqual([
    'Good',
    'Needs improvement',
    'Needs improvement',
    'Poor',
  ])
  expect([0.05, 0.2, 0.3].map((value) => rateVital('CLS', value))).toEqual([
    'Good',
    'Needs improvement',
    'Poor',
  ])
})

it('says what the lines of a chart mean, in the unit of the vital', () => {
  expect(vitalLimits('LCP').map(({ meaning }) => meaning)).toEqual(['good up to 2.5 s', 'poor above 4 s'])
  expect(vitalLimits('CLS').map(({ meaning }) => meaning)).toEqual(['good up to 0.1', 'poor above 0.25'])
  expect(formatVital('CLS', 0.0333)).toBe('0.033')
})

it('has room for a line that values come near, but not for one far above them', () => {
  expect(axisEnd(1000, vitalLimits('LCP'))).toBeCloseTo(2750)
  expect(axisEnd(100, vitalLimits('LCP'))).toBeCloseTo(110)
  expect(axisEnd(5000, vitalLimits('LCP'))).toBeCloseTo(5500)
  expect(axisEnd(0, [])).toBe(1)
})
