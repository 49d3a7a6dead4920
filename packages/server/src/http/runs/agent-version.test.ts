import { describe, expect, it } from 'vitest'
import { compareVersions, isOutdated, minAgentVersion } from './agent-version.ts'

describe('compareVersions', () => {
  it.each([
    ['1.2.3', '1.2.3', 0],
    ['1.2.10', '1.2.9', 1],
    ['2.0.0', '10.0.0', -1],
    ['1.0.0-beta.1', '1.0.0', -1],
    ['1.0.0', '1.0.0-beta.1', 1],
    ['1.0.0+build-5', '1.0.0', 0],
    ['rubbish', '0.0.1', -1],
  ])('%s and %s: %i', (a, b, expected) => {
    expect(Math.sign(compareVersions(a, b))).toBe(expected)
  })
})

describe('isOutdated', () => {
  it('is true below the minimum version only', () => {
    expect(isOutdated('0.0.9')).toBe(true)
    expect(isOutdated(minAgentVersion)).toBe(false)
  })
})
