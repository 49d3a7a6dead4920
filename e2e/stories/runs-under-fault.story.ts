// A short version of e2e/drills/crash.ts: `npm run drill -- crash` runs five rounds.
import { expect, it } from 'vitest'
import { crashDrill } from '../drills/crash.ts'

it('server, agent and PostgreSQL are killed under load: nothing acknowledged is lost, nothing runs twice, and missed runs are counted', async () => {
  const books = await crashDrill({ rounds: 1, checks: 60, calmMs: 5_000 })
  expect(books.faults).toEqual([])
  expect(books.executed).toBeGreaterThan(100)
  expect(books.expected).toBe(books.executed + books.skipped + books.missed)
}, 300_000)
