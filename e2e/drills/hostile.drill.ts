// npm run drill -- hostile [rounds] [seconds per round]: healthy checks beside hostile targets on one agent.
// DRILL_CHECKOUT=/path runs the programs of another checkout, for comparison.
import { hostileDrill, type Phase } from './hostile.ts'

const [rounds = 3, roundSeconds = 60] = process.argv.slice(2).map(Number)
/** Above this load the machine is busy with other work, and the round can't be judged. */
const maxLoad = 4

const began = Date.now()
const phases = await hostileDrill({
  healthy: 100,
  hostile: 112,
  rounds,
  roundMs: roundSeconds * 1000,
  log: (line) => console.log(line),
})
const [quiet, ...hostile] = phases
if (!quiet) throw new Error('the drill measured nothing')

const ms = (value: number) => `${value.toFixed(1)} ms`

function describe({ name, small, page, lag, runs, failed, notRun, usage }: Phase): string {
  return [
    `${name}: 2-byte body ${ms(small.p50)} / ${ms(small.p95)}, 200 kB page ${ms(page.p50)} / ${ms(page.p95)} (p50/p95)`,
    `lag ${lag.p50} / ${lag.p99} ms (p50/p99)`,
    `${runs} healthy runs, ${failed} failed, ${notRun} skipped or missed`,
    `undelivered ≤ ${usage.maxUndelivered}, in flight ≤ ${usage.maxInFlight}`,
    `agent: RSS ≤ ${Math.round(usage.peakRssBytes / 1_048_576)} MiB, ${usage.cpu.toFixed(2)} cores; load ≤ ${usage.maxLoad.toFixed(1)}`,
  ].join('\n  ')
}

function missedGoals({ name, small, page, lag, failed, notRun }: Phase, quiet: Phase): string[] {
  const limits: [string, number, number][] = [
    ['median of the 2-byte body', small.p50, Math.max(2 * quiet.small.p50, quiet.small.p50 + 10)],
    ['p95 of the 2-byte body', small.p95, Math.max(2 * quiet.small.p95, quiet.small.p95 + 10)],
    ['median of the page', page.p50, Math.max(2 * quiet.page.p50, quiet.page.p50 + 10)],
    ['p95 of the page', page.p95, Math.max(2 * quiet.page.p95, quiet.page.p95 + 10)],
    ['p99 of the lag', lag.p99, Math.max(2 * quiet.lag.p99, quiet.lag.p99 + 200)],
    ['failed runs', failed, 0],
    ['skipped or missed runs', notRun, 0],
  ]
  // Negated: no measurement (NaN) is a miss too.
  return limits
    .filter(([, measured, limit]) => !(measured <= limit))
    .map(
      ([what, measured, limit]) => `${name}: ${what} is ${measured.toFixed(1)}, the goal ${limit.toFixed(1)}`,
    )
}

for (const phase of phases) console.log(describe(phase))
let isMissed = quiet.failed + quiet.notRun > 0
if (isMissed) console.error('quiet: runs failed or were not made without any hostile target')
let isJudged = true
for (const phase of hostile) {
  const missed = missedGoals(phase, quiet)
  const load = Math.max(quiet.usage.maxLoad, phase.usage.maxLoad)
  if (load > maxLoad) {
    isJudged = false
    console.log(`${phase.name}: invalid: load ${load.toFixed(1)}`)
  } else if (missed.length > 0) isMissed = true
  for (const line of missed) console.error(line)
  if (missed.length === 0) console.log(`${phase.name}: all goals met`)
}
console.log(`done in ${Math.round((Date.now() - began) / 1000)} s`)
if (!isJudged) console.error('Not every round could be judged: run the drill again on a quiet machine.')
process.exitCode = isMissed ? 1 : isJudged ? 0 : 2
