import { describe, expect, it } from 'vitest'
import { incidentDuration } from './incident-duration.ts'

const minute = 60_000

const cases: { name: string; statuses: [minute: number, status: string][]; minutes: number | null }[] = [
  { name: 'no update has no duration', statuses: [], minutes: null },
  { name: 'an open incident has no duration', statuses: [[0, 'INVESTIGATING']], minutes: null },
  {
    name: 'several updates without a resolution leave it open',
    statuses: [
      [0, 'INVESTIGATING'],
      [5, 'IDENTIFIED'],
      [9, 'MONITORING'],
    ],
    minutes: null,
  },
  { name: 'an incident entered as resolved took no time', statuses: [[0, 'RESOLVED']], minutes: 0 },
  {
    name: 'it lasts from the first update to the resolving one',
    statuses: [
      [0, 'INVESTIGATING'],
      [5, 'IDENTIFIED'],
      [12, 'RESOLVED'],
    ],
    minutes: 12,
  },
  {
    name: 'a second resolution without a reopening does not extend it',
    statuses: [
      [0, 'INVESTIGATING'],
      [12, 'RESOLVED'],
      [30, 'RESOLVED'],
    ],
    minutes: 12,
  },
  {
    name: 'a reopened incident is open',
    statuses: [
      [0, 'INVESTIGATING'],
      [12, 'RESOLVED'],
      [20, 'INVESTIGATING'],
    ],
    minutes: null,
  },
  {
    name: 'reopening extends it to the last resolution that closed it',
    statuses: [
      [0, 'INVESTIGATING'],
      [12, 'RESOLVED'],
      [20, 'MONITORING'],
      [25, 'RESOLVED'],
      [40, 'RESOLVED'],
    ],
    minutes: 25,
  },
  {
    name: 'it counts from the first update even when that one resolved it',
    statuses: [
      [3, 'RESOLVED'],
      [10, 'IDENTIFIED'],
      [13, 'RESOLVED'],
    ],
    minutes: 10,
  },
]

describe('incidentDuration', () => {
  it.each(cases)('$name', ({ statuses, minutes }) => {
    const start = Date.UTC(2026, 10, 15)
    const steps = statuses.map(([at, status]) => ({
      status,
      at: new Date(start + at * minute).toISOString(),
    }))
    expect(incidentDuration(steps)).toBe(minutes === null ? null : minutes * minute)
  })
})
