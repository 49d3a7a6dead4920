import { formatDuration } from '../../core/format.ts'
import type { Phase } from './phases.ts'

export function Waterfall({ phases }: { phases: readonly Phase[] }) {
  const total = Math.max(
    1,
    phases.reduce((sum, { ms }) => sum + ms, 0),
  )
  let before = 0
  return (
    <section aria-labelledby="timings">
      <h2 id="timings">Timings</h2>
      <ul className="waterfall">
        {phases.map(({ label, ms }) => {
          const x = (before / total) * 100
          before += ms
          return (
            <li key={label}>
              <span>{label}</span>
              <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
                <rect x={x} width={Math.max(0.5, (ms / total) * 100)} height="8" />
              </svg>
              <span className="num">{formatDuration(ms)}</span>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
