// One cell per bucket: how many of its runs passed.
import { formatExact, formatPercent } from '../../core/format.ts'
import type { TimeRange } from '../../core/time-range.ts'
import { useTimeOptions } from '../../parts/time.tsx'
import type { Bucket } from './use-report.ts'

interface AvailabilityBarProps {
  /** Of all runs in the range. */
  availability: number | null
  buckets: readonly Bucket[]
  minutes: number
  range: TimeRange
}

const height = 32

export function AvailabilityBar({ availability, buckets, minutes, range }: AvailabilityBarProps) {
  const options = useTimeOptions()
  const byTime = new Map(buckets.map(({ at, values }) => [at, values.availability ?? null]))
  const step = minutes * 60
  const first = Math.min(...byTime.keys())
  const begin = first - Math.floor((first - range.from) / step) * step
  const times = Array.from(
    { length: Math.max(1, Math.ceil((range.to - begin) / step)) },
    (_, index) => begin + index * step,
  )
  const whole = availability === null ? '–' : formatPercent(availability)
  return (
    <figure className="chart">
      <figcaption>
        Availability <strong>{whole}</strong>
      </figcaption>
      <svg
        className="availability"
        viewBox={`0 0 ${times.length} ${height}`}
        preserveAspectRatio="none"
        height={height}
        role="img"
      >
        <title>{`Availability: ${whole} of the runs in this range passed`}</title>
        {times.map((at, index) => {
          const value = byTime.get(at) ?? null
          const label = `${formatExact(at * 1000, options)}: ${value === null ? 'no runs' : formatPercent(value)}`
          return (
            <rect key={at} x={index + 0.1} width="0.8" height={height} className={markOf(value)}>
              <title>{label}</title>
            </rect>
          )
        })}
      </svg>
    </figure>
  )
}

function markOf(availability: number | null): string {
  if (availability === null) return 'no-mark'
  if (availability === 100) return 'passing-mark'
  return availability >= 50 ? 'degraded-mark' : 'failing-mark'
}
