import { expect, it } from 'vitest'
import { severalServers } from '../drills/several.ts'
import { onNewDatabase } from '../new-database.ts'

it('two servers and three agents share one PostgreSQL: every expected run runs once', async () => {
  const books = await onNewDatabase((databaseUrl) =>
    severalServers({ databaseUrl, checks: 60, calmMs: 12_000, killOne: false }),
  )
  expect(books.faults).toEqual([])
  expect(books.executed).toBeGreaterThan(100)
  expect(books.executed).toBe(books.expected)
  expect(books.requests).toBe(books.executed)
  expect(Math.min(...books.perServer)).toBeGreaterThan(0)
}, 300_000)

it('one of two servers is killed: its agents use the other one, and the audit finds no fault', async () => {
  const books = await onNewDatabase((databaseUrl) =>
    severalServers({ databaseUrl, checks: 60, calmMs: 9_000, killOne: true }),
  )
  expect(books.faults).toEqual([])
  // Only runs in flight through the killed server are late or left out.
  expect(books.executed).toBeGreaterThan(books.expected * 0.7)
}, 300_000)

it.each([
  ['ahead', 120_000],
  ['behind', -120_000],
])(
  'the clock of one of two servers is two minutes %s: every expected run runs once',
  async (_name, wrongClockMs) => {
    const books = await onNewDatabase((databaseUrl) =>
      severalServers({ databaseUrl, checks: 30, calmMs: 12_000, killOne: false, wrongClockMs }),
    )
    expect(books.faults).toEqual([])
    expect(books.executed).toBeGreaterThan(50)
    expect({ skipped: books.skipped, missed: books.missed }).toEqual({ skipped: 0, missed: 0 })
    expect(books.requests).toBe(books.executed)
    expect(Math.min(...books.perServer)).toBeGreaterThan(0)
  },
  300_000,
)
