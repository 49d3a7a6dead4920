// npm run drill -- api-attacks [rounds]
// DRILL_CHECKOUT=/path runs the programs of another checkout, for comparison.
import { apiAttacksDrill, type Figures, quantile } from './api-attacks.ts'

const limitMs = 100
const [rounds = 3] = process.argv.slice(2).map(Number)
const figures = await apiAttacksDrill({ rounds, log: console.log })

/** The median of the rounds' p95. */
function medianP95(phase: string): number {
  const p95s = figures.map((ofRound) =>
    quantile(ofRound.find((one) => one.phase === phase)?.times ?? [], 0.95),
  )
  return quantile(
    p95s.toSorted((a, b) => a - b),
    0.5,
  )
}

const phases = new Set(figures.flatMap((ofRound) => ofRound.map(({ phase }: Figures) => phase)))
const attacked = [...phases]
  .filter((phase) => phase !== 'quiet')
  .map((phase) => ({ phase, p95: medianP95(phase) }))
const worst = attacked.toSorted((a, b) => b.p95 - a.p95)[0] ?? {
  phase: 'none',
  p95: Number.POSITIVE_INFINITY,
}
console.log(
  `median of ${rounds} rounds: p95 of others ${worst.p95.toFixed(0)} ms under the worst attack (${worst.phase}), ` +
    `quiet ${medianP95('quiet').toFixed(0)} ms, limit ${limitMs} ms`,
)
process.exitCode = worst.p95 <= limitMs ? 0 : 1
