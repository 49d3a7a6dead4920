// The last 30 runs as ticks: the height says how long, color and shape say how they ended.
// One path for each state: a list shows more than a thousand ticks.
import type { OverviewCheck } from '../api/types.ts'
import { formatNumberOf } from '../core/format.ts'

const width = 4
const count = 30
const height = 20

type Tick = OverviewCheck['runs'][number]

interface RunTicksProps {
  runs: readonly Tick[]
  /** What a degraded run is called. */
  degraded?: string
}

export function RunTicks({ runs, degraded = 'degraded' }: RunTicksProps) {
  const shown = runs.slice(-count)
  const longest = Math.max(1, ...shown.map(({ duration }) => duration ?? 0))
  const offset = count - shown.length
  const paths = new Map<Tick['state'], string>()
  for (const [index, run] of shown.entries())
    paths.set(run.state, (paths.get(run.state) ?? '') + markOf(run, offset + index, longest))
  return (
    <svg
      className="ticks"
      width={count * width}
      height={height}
      viewBox={`0 0 ${count * width} ${height}`}
      role="img"
    >
      <title>{runsInWords(shown, degraded)}</title>
      {Array.from(paths, ([state, d]) => (
        <path key={state} className={`${state}-mark`} d={d} />
      ))}
    </svg>
  )
}

function markOf({ state, duration }: Tick, index: number, longest: number): string {
  // Failed runs are full height: their duration says little.
  const size =
    state === 'failing' ? height : Math.max(4, Math.round(((duration ?? 0) / longest) * (height - 4)))
  return `M${index * width} ${height - size}h${width - 1}v${size}h${1 - width}z`
}

function runsInWords(runs: readonly Tick[], degradedWord: string): string {
  if (runs.length === 0) return 'No runs yet'
  const count = (state: Tick['state']) => runs.filter((run) => run.state === state).length
  const [failed, degraded] = [count('failing'), count('degraded')]
  const text = [
    failed > 0 ? `${failed} failed` : null,
    degraded > 0 ? `${degraded} ${degradedWord}` : null,
  ].filter((part) => part !== null)
  return `${formatNumberOf(runs.length, 'run')}: ${text.length === 0 ? 'all passed' : text.join(', ')}`
}
