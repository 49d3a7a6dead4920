import { expect, it } from 'vitest'
import { differenceOfPercents, differenceOfTimes } from './difference.ts'

it.each([
  [99.9, 99.5, { text: '+0.4 pp', isBetter: true }],
  [99, 100, { text: '−1 pp', isBetter: false }],
  [99.999, 99.998, { text: 'unchanged', isBetter: null }],
  [null, 99, null],
  [99, null, null],
])('availability of %s after %s', (now, before, expected) =>
  expect(differenceOfPercents(now, before)).toEqual(expected),
)

it.each([
  [300, 200, { text: '+100 ms', isBetter: false }],
  [200, 1400, { text: '−1.2 s', isBetter: true }],
  [200, 201, { text: 'unchanged', isBetter: null }],
  [0, 0, { text: 'unchanged', isBetter: null }],
  [10, null, null],
])('a response time of %s after %s', (now, before, expected) =>
  expect(differenceOfTimes(now, before)).toEqual(expected),
)
