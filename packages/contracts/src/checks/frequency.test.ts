import { describe, expect, it } from 'vitest'
import { frequencyIssues } from './frequency.ts'

describe('frequencyOffset', () => {
  it.each([
    [0, 10, true],
    [0, 20, true],
    [0, 30, true],
    [0, 15, false],
    [0, null, false],
    [0, undefined, false],
    [1, null, true],
    [1, 1, true],
    [1, 10, true],
    [1, 11, false],
    [1, 0, false],
    [60, 600, true],
    [60, 601, false],
    [120, 2, true],
    [120, 3, false],
    [1440, 24, true],
    [1440, 25, false],
    ['5', 1, true],
  ])('frequency %s with offset %s: %s', (frequency, offset, isValid) => {
    expect(frequencyIssues(frequency, offset).map(({ path }) => path)).toEqual(
      isValid ? [] : [['frequencyOffset']],
    )
  })
})
