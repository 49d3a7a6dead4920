// A short version of e2e/drills/alerts.ts: `npm run drill -- alerts` kills twenty times.
import { expect, it } from 'vitest'
import { formatBooks } from '../drills/alert-books.ts'
import { alertDrill } from '../drills/alerts.ts'

/** Each moment once, and half of them again. */
const kills = 6
const checks = 3

it('the server is killed repeatedly between decision and delivery: every alert reaches every channel once', async () => {
  const books = await alertDrill({ kills, checks })
  console.log(`${kills} × kill -9: ${formatBooks(books)}`)
  const each = kills * checks
  expect(books).toEqual({
    alerts: each,
    notifications: 2 * each,
    accepted: { webhook: each, mail: each },
    interrupted: expect.any(Number),
    faults: [],
  })
  // Of four moments, two leave a mail without a reply and one a call without a response.
  expect(books.interrupted).toBeGreaterThanOrEqual((each * 3) / 4)
}, 400_000)
