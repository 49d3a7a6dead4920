import { dayMs, hourMs } from '@vedette/contracts'
import { describe, expect, it } from 'vitest'
import { historyOf, type Outage, worstState } from './uptime.ts'

const now = Date.parse('2026-11-16T12:00:00Z')
const today = Date.parse('2026-11-16T00:00:00Z')
const total = 89.5 * dayMs

const outage = (from: string, hours: number, severity: Outage['severity'] = 'MAJOR'): Outage => {
  const start = Date.parse(from)
  return { start, end: start + hours * hourMs, severity }
}

describe('the history of a service', () => {
  it('has 90 days, up to today, and 100 % without incidents', () => {
    const { uptime, days } = historyOf([], [], now)
    expect(uptime).toBe(1)
    expect(days).toHaveLength(90)
    expect(days[0]).toEqual({ start: today - 89 * dayMs, state: 'passing', downMs: 0 })
    expect(days.at(-1)?.start).toBe(today)
  })

  it('counts an incident on each day that it touches', () => {
    const { uptime, days } = historyOf([outage('2026-11-14T22:00:00Z', 4)], [], now)
    expect(days.slice(-3).map(({ downMs, state }) => [downMs / hourMs, state])).toEqual([
      [2, 'partial'],
      [2, 'partial'],
      [0, 'passing'],
    ])
    expect(uptime).toBeCloseTo(1 - (4 * hourMs) / total, 10)
  })

  it('counts time in several incidents once, and shows the worst', () => {
    const both = [outage('2026-11-15T10:00:00Z', 4, 'MINOR'), outage('2026-11-15T12:00:00Z', 4, 'CRITICAL')]
    expect(historyOf(both, [], now).days.at(-2)).toMatchObject({ downMs: 6 * hourMs, state: 'failing' })
  })

  it('ignores what was before the 90 days', () => {
    const { uptime, days } = historyOf([outage('2026-08-18T00:00:00Z', 30)], [], now)
    expect(days[0]).toMatchObject({ downMs: 6 * hourMs })
    expect(uptime).toBeCloseTo(1 - (6 * hourMs) / total, 10)
  })

  it('excludes maintenance from downtime and from the total', () => {
    const start = Date.parse('2026-11-15T10:00:00Z')
    const maintenance = [{ start, end: start + 2 * hourMs }]
    const { uptime, days } = historyOf([outage('2026-11-15T11:00:00Z', 2)], maintenance, now)
    expect(days.at(-2)).toMatchObject({ downMs: hourMs })
    expect(uptime).toBeCloseTo(1 - hourMs / (total - 2 * hourMs), 10)
    expect(historyOf([], maintenance, now).days.at(-2)).toMatchObject({ state: 'maintenance', downMs: 0 })
  })

  it('ends now, not at midnight', () => {
    const open = { start: now - hourMs, end: now, severity: 'MEDIUM' as const }
    expect(historyOf([open], [], now).days.at(-1)).toMatchObject({ downMs: hourMs, state: 'degraded' })
  })
})

it('the worst state of services is that of the page', () => {
  expect(worstState([])).toBe('passing')
  expect(worstState(['passing', 'degraded', 'partial'])).toBe('partial')
  expect(worstState(['failing', 'maintenance'])).toBe('failing')
})
