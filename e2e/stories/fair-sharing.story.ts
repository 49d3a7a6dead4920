import { expect, it } from 'vitest'
import { fairnessDrill } from '../drills/fairness.ts'

// If runs started in the order of their age, the short run would start after five of the six long ones.
it("an account's runs don't wait for the runs that another account has queued for the same agent", {
  timeout: 300_000,
}, async () => {
  const runs = await fairnessDrill({ longRuns: 6, longMs: 20_000, shortRuns: 3, everyMs: 0 })
  expect(runs.map(({ passed }) => passed)).toEqual([true, true, true])
  for (const { longRunsEnded } of runs) expect(longRunsEnded).toBeLessThan(4)
})
