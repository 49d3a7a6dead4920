// npm run drill -- api-attacks [rounds]
// DRILL_CHECKOUT=/path runs the programs of another checkout, for comparison.
import { apiAttacksDrill, type Figures, quantile } from './api-attacks.ts'

const limitMs = 100
const [rounds = 3] = process.argv.slice(2).map(Number)
const figures = await apiAttacksDrill({ rounds, tell: console.log })

function medianP95(isChosen: (phase: Figures) => boolean): number {
  const p95s = figures.map((ofRound) => {
    const times = ofRound.filter(isChosen).flatMap((phase) => phase.times)
    return quantile(
      times.toSorted((a, b) => a - b),
      0.95,
    )
  })
  return quantile(
    p95s.toSorted((a, b) => a - b),
    0.5,
  )
}

const quiet = medianP95(({ phase }) => phase === 'quiet')
const attacked = medianP95(({ phase }) => phase !== 'quiet')
console.log(
  `median of ${rounds} rounds: p95 of others under attack ${attacked.toFixed(0)} ms ` +
    `(quiet ${quiet.toFixed(0)} ms, limit ${limitMs} ms)`,
)
process.exitCode = attacked <= limitMs ? 0 : 1
