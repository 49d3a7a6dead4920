import { describe, expect, it } from 'vitest'
import { colors, type Theme, tokenSheet } from './tokens.ts'

const themes: Theme[] = ['light', 'dark']
const surfaces = ['page', 'surface', 'hover']
const states = ['passing', 'degraded', 'partial', 'failing', 'maintenance', 'unknown', 'inactive']

function luminance(color: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * r + 0.7152 * g + 0.0722 * b
}

/** As WCAG 2.2 defines it. */
function contrast(theme: Theme, a: string, b: string): number {
  const [first = '', second = ''] = [a, b].map((name) => colors[theme].get(name))
  const [low = 0, high = 0] = [luminance(first), luminance(second)].sort((x, y) => x - y)
  return (high + 0.05) / (low + 0.05)
}

describe.each(themes)('the %s theme', (theme) => {
  it.each(surfaces)('has readable texts on --%s', (surface) => {
    for (const text of ['text', 'muted', 'accent', ...states]) {
      expect(contrast(theme, text, surface), text).toBeGreaterThanOrEqual(4.5)
    }
  })

  it.each(['page', 'surface'])('has visible marks and controls on --%s', (surface) => {
    const marks = states.filter((state) => state !== 'inactive').map((state) => `${state}-mark`)
    for (const mark of ['control', ...marks]) {
      expect(contrast(theme, mark, surface), mark).toBeGreaterThanOrEqual(3)
    }
  })

  it('has readable texts on buttons', () => {
    expect(contrast(theme, 'on-accent', 'accent')).toBeGreaterThanOrEqual(4.5)
  })
})

it('every color has a value in both themes', () => {
  expect(colors.dark.size).toBe(colors.light.size)
  expect(colors.light.size).toBe(tokenSheet.match(/light-dark\(/g)?.length)
})
