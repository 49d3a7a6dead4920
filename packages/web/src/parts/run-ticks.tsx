// The last 30 runs as ticks: the height says how long, color and shape say how they ended.

import type { OverviewCheck } from '../api/types.ts'
import { formatNumberOf } from '../core/format.ts'

const width = 4
const count = 30
const height = 20

type RunOfCheck = OverviewCheck['runs'][number]

export function RunTicks({ runs }: { runs: readonly RunOfCheck[] }) {
  const shown = runs.slice(-count)
  const longest = Math.max(1, ...shown.map(({ duration }) => duration ?? 0))
  const offset = count - shown.length
  return (
    <svg
      className="ticks"
      width={count * width}
      height={height}
      viewBox={`0 0 ${count * width} ${height}`}
      role="img"
    >
      <title>{runsInWords(shown)}</title>
      {shown.map((run, index) => {
        // Failed runs are full height: their duration says little.
        const isFull = run.state === 'failing'
        const size = isFull ? height : Math.max(4, Math.round(((run.duration ?? 0) / longest) * (height - 4)))
        const x = (offset + index) * width
        return (
          <g key={run.id} className={`${run.state}-mark`}>
            <rect x={x} y={height - size} width={width - 1} height={size} rx="1" />
          </g>
        )
      })}
    </svg>
  )
}

function runsInWords(runs: readonly RunOfCheck[]): string {
  if (runs.length === 0) return 'No runs yet'
  const count = (state: RunOfCheck['state']) => runs.filter((run) => run.state === state).length
  const [failed, degraded] = [count('failing'), count('degraded')]
  const text = [failed > 0 ? `${failed} failed` : null, degraded > 0 ? `${degraded} degraded` : null].filter(
    (part) => part !== null,
  )
  return `${formatNumberOf(runs.length, 'run')}: ${text.length === 0 ? 'all passed' : text.join(', ')}`
}
