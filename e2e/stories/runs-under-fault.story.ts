// The drill of e2e/drills/crash.ts, short: `npm run drill -- crash` does five rounds.
import { expect, it } from 'vitest'
import { crashDrill } from '../drills/crash.ts'

it('server, agent and PostgreSQL are killed under load: nothing acknowledged is lost, nothing is made twice, and what could not be made is counted', async () => {
  const books = await crashDrill({ rounds: 1, checks: 60, calmMs: 5_000 })
  expect(books.faults).toEqual([])
  expect(books.executed).toBeGreaterThan(100)
  expect(books.expected).toBe(books.executed + books.skipped + books.missed)
}, 300_000)
