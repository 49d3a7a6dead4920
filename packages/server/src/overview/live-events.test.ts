import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../testing/database.ts'
import { systemClock } from '../testing/system-clock.ts'
import { LiveEvents } from './live-events.ts'
import { Overviews } from './overviews.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database.drop())

it('an account has a limited number of streams', () => {
  const { pool } = database.store
  const overviews = new Overviews({ pool, clock: systemClock })
  const events = new LiveEvents({ overviews, pool, clock: systemClock, log: pino({ level: 'silent' }) })
  const accountId = randomUUID()
  const nothing = () => undefined
  const ends = Array.from({ length: 500 }, () => {
    expect(events.isFull(accountId)).toBe(false)
    return events.add({
      ...{ accountId, checkIds: new Set<string>(), lastEventId: null, isAllowed: async () => true },
      ...{ send: nothing, sendComment: nothing, close: nothing },
    })
  })
  expect(events.isFull(accountId)).toBe(true)
  expect(events.isFull(randomUUID())).toBe(false)
  for (const end of ends) end()
  expect(events.isFull(accountId)).toBe(false)
})
