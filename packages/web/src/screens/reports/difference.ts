// How a figure differs from the period before.
import { formatDuration, formatPercent } from '../../core/format.ts'

export interface Difference {
  text: string
  /** Null: neither better nor worse. */
  isBetter: boolean | null
}

/** Percentage points; more is better. */
export function differenceOfPercents(now: number | null, before: number | null): Difference | null {
  if (now === null || before === null) return null
  const points = now - before
  if (Math.abs(points) < 0.005) return { text: 'unchanged', isBetter: null }
  return {
    text: `${signOf(points)}${formatPercent(Math.abs(points)).replace(' %', ' pp')}`,
    isBetter: points > 0,
  }
}

/** Milliseconds; less is better. Less than a twentieth is noise. */
export function differenceOfTimes(now: number | null, before: number | null): Difference | null {
  if (now === null || before === null) return null
  const ms = now - before
  if (Math.abs(ms) < before / 20 || ms === 0) return { text: 'unchanged', isBetter: null }
  return { text: `${signOf(ms)}${formatDuration(Math.abs(ms))}`, isBetter: ms < 0 }
}

/** With a minus sign, not a hyphen. */
const signOf = (value: number) => (value > 0 ? '+' : '−')
