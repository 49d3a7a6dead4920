// Pan with one finger, zoom with two. The scale follows the fingers; the range of the screen changes when they are lifted.
import type UPlot from 'uplot'

interface Range {
  from: number
  to: number
}

const leastSeconds = 60

/** Ends with the returned function. */
export function followTouches(plot: UPlot, full: Range, onEnd: (range: Range) => void): () => void {
  const { over } = plot
  let began: { positions: number[]; from: number; to: number } | null = null
  let current: Range | null = null
  const positionsOf = (event: TouchEvent) => {
    const { left, width } = over.getBoundingClientRect()
    return [...event.touches].slice(0, 2).map(({ clientX }) => (clientX - left) / width)
  }
  const start = (event: TouchEvent) => {
    began = { positions: positionsOf(event), ...(current ?? full) }
  }
  const move = (event: TouchEvent) => {
    const positions = positionsOf(event)
    if (began === null || positions.length !== began.positions.length) return
    const range = rangeUnder(began, positions)
    current = range
    plot.setScale('x', { min: range.from, max: range.to })
  }
  const end = (event: TouchEvent) => {
    if (event.touches.length > 0) return start(event)
    began = null
    if (current !== null) onEnd(current)
    current = null
  }
  const passive = { passive: true }
  over.addEventListener('touchstart', start, passive)
  over.addEventListener('touchmove', move, passive)
  over.addEventListener('touchend', end, passive)
  return () => {
    over.removeEventListener('touchstart', start)
    over.removeEventListener('touchmove', move)
    over.removeEventListener('touchend', end)
  }
}

/** The range that keeps what was under the fingers under them. Positions are shares of the width. */
export function rangeUnder(
  { positions: before, from, to }: { positions: readonly number[] } & Range,
  positions: readonly number[],
): Range {
  const length = to - from
  const [a = 0, b] = before
  const [x = 0, y] = positions
  if (b === undefined || y === undefined) {
    const shift = (a - x) * length
    return { from: from + shift, to: to + shift }
  }
  const spread = Math.max(0.02, Math.abs(y - x))
  const next = Math.max(leastSeconds, (length * Math.max(0.02, Math.abs(b - a))) / spread)
  const center = from + ((a + b) / 2) * length
  return { from: center - ((x + y) / 2) * next, to: center + (1 - (x + y) / 2) * next }
}
