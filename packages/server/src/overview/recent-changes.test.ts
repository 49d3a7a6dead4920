import { describe, expect, it } from 'vitest'
import type { RecentChange } from '../storage/results/recent-events.ts'
import { joinChanges } from './recent-changes.ts'

const change = (values: Partial<RecentChange> = {}): RecentChange => ({
  ...{ at: '2026-11-16T12:00:00.000Z', actor: 'Ann', action: 'update', kind: 'Checks' },
  ...{ resourceId: 'a', name: 'Shop', fields: ['request.url'] },
  ...values,
})

describe('recent changes', () => {
  it('say who changed what, and lead to the check', () => {
    expect(joinChanges([change()])).toEqual([
      {
        ...{ at: '2026-11-16T12:00:00.000Z', kind: 'change', state: null, checkId: 'a', incidentId: null },
        text: 'Ann changed the check Shop: request.url',
      },
    ])
  })

  it('of one person within ten minutes are one entry', () => {
    const before = (minutes: number) => new Date(Date.parse(change().at) - minutes * 60_000).toISOString()
    const texts = joinChanges([
      change(),
      change({ resourceId: 'b', at: before(5) }),
      change({ actor: 'Bob', at: before(6) }),
      change({ resourceId: 'c', at: before(11) }),
    ]).map(({ text }) => text)
    expect(texts).toEqual([
      'Ann changed 2 checks',
      'Bob changed the check Shop: request.url',
      'Ann changed the check Shop: request.url',
    ])
  })

  it('of what is gone lead nowhere', () => {
    const [entry] = joinChanges([change({ action: 'delete' })])
    expect(entry).toMatchObject({ text: 'Ann deleted the check Shop', checkId: null })
  })

  it('name the first fields', () => {
    const [entry] = joinChanges([change({ fields: ['a', 'b', 'c', 'd', 'e'] })])
    expect(entry?.text).toBe('Ann changed the check Shop: a, b, c and 2 more')
  })
})
