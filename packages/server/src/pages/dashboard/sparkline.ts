// A small chart of response times, drawn on the server. Parts with failed runs are marked below the line.
import { type Html, html } from '../../core/html.ts'
import type { Point } from './content.ts'

const markHeight = 3

/** `label` describes it to people who don't see it. `height`: in pixels. */
export function sparkline(points: readonly Point[], label: string, height: number): Html {
  // Above the marks.
  const baseline = height - markHeight - 1
  const highest = Math.max(0, ...points.map(({ p95 }) => p95 ?? 0))
  const x = (index: number) => ((index + 0.5) / points.length) * 100
  const y = (value: number) => baseline - (highest === 0 ? 0 : (value / highest) * (baseline - 2))
  const lines = segments(points).map((segment) => {
    const path = segment.map(({ index, value }) => `${x(index).toFixed(1)},${y(value).toFixed(1)}`)
    // A line of one point would be invisible.
    const [only] = segment
    if (segment.length === 1 && only !== undefined)
      path.push(`${(x(only.index) + 0.5).toFixed(1)},${y(only.value).toFixed(1)}`)
    return html`<polyline points="${path.join(' ')}"/>`
  })
  const width = 100 / points.length
  const marks = points.flatMap(({ availability }, index) =>
    availability === null || availability >= 100
      ? []
      : [
          html`<rect x="${(index * width).toFixed(1)}" y="${height - markHeight}" width="${width.toFixed(1)}" height="${markHeight}"/>`,
        ],
  )
  return html`<svg class="spark" viewBox="0 0 100 ${height}" preserveAspectRatio="none" role="img" aria-label="${label}">${lines}${marks}</svg>`
}

/** Measured points without gaps between them. */
function segments(points: readonly Point[]): { index: number; value: number }[][] {
  const result: { index: number; value: number }[][] = []
  for (const [index, { p95 }] of points.entries()) {
    if (p95 === null) continue
    const last = result.at(-1)
    if (last?.at(-1)?.index === index - 1) last.push({ index, value: p95 })
    else result.push([{ index, value: p95 }])
  }
  return result
}
