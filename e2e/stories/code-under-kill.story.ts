import { expect, it } from 'vitest'
import { codeCrashDrill } from '../drills/code-crash.ts'

it('a suite whose agent is killed runs again, ends once, and leaves nothing behind', {
  timeout: 240_000,
}, async () => {
  const books = await codeCrashDrill({ rounds: 1 })
  expect(books.faults).toEqual([])
  expect(books.results).toBe(2)
  expect(books.killedProcesses).toBeGreaterThan(3)
})
