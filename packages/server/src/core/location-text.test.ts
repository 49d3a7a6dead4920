import { describe, expect, it } from 'vitest'
import { locationName, locationText } from './location-text.ts'

describe('a location in text for people', () => {
  it('is the name of a region, and the slug of a private location', () => {
    expect(locationName('eu-central-1')).toBe('Frankfurt')
    expect(locationName('office')).toBe('office')
    expect(locationName('toString')).toBe('toString')
  })

  it('shows that the built-in agent ran it', () => {
    expect(locationText('eu-west-1', { isBuiltIn: true })).toBe('Ireland (built-in agent)')
    expect(locationText('eu-west-1', { isBuiltIn: false })).toBe('Ireland')
    expect(locationText('eu-west-1', null)).toBe('Ireland')
    expect(locationText('office', { isBuiltIn: false })).toBe('office')
  })

  it('is empty without a location', () => {
    expect(locationText('', { isBuiltIn: true })).toBe('')
  })
})
