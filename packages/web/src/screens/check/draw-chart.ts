// What charts draw on their canvas besides lines: maintenance, gaps, events, limits, outliers and failed runs.
import type UPlot from 'uplot'
import type { ChartLimit, Interval } from '../../core/chart-data.ts'

export interface ChartEvent {
  at: number
  kind: 'deployment' | 'change' | 'certificate'
  text: string
}

/** In pixels of the canvas, within the plot; null: it is outside. */
function spanOf(plot: UPlot, { from, to }: Interval): { left: number; width: number } | null {
  const { bbox } = plot
  const left = Math.max(bbox.left, plot.valToPos(from, 'x', true))
  const right = Math.min(bbox.left + bbox.width, plot.valToPos(to, 'x', true))
  return right > left ? { left, width: right - left } : null
}

export function shade(plot: UPlot, intervals: readonly Interval[], color: string): void {
  const { ctx, bbox } = plot
  ctx.save()
  ctx.fillStyle = color
  for (const interval of intervals) {
    const span = spanOf(plot, interval)
    if (span !== null) ctx.fillRect(span.left, bbox.top, span.width, bbox.height)
  }
  ctx.restore()
}

export function hatch(plot: UPlot, gap: Interval, color: string): void {
  const { ctx, bbox } = plot
  const span = spanOf(plot, gap)
  if (span === null) return
  const step = 8 * devicePixelRatio
  ctx.save()
  ctx.beginPath()
  ctx.rect(span.left, bbox.top, span.width, bbox.height)
  ctx.clip()
  ctx.globalAlpha = 0.4
  ctx.strokeStyle = color
  ctx.lineWidth = devicePixelRatio
  ctx.beginPath()
  for (let x = span.left - bbox.height; x < span.left + span.width; x += step) {
    ctx.moveTo(x, bbox.top + bbox.height)
    ctx.lineTo(x + bbox.height, bbox.top)
  }
  ctx.stroke()
  ctx.restore()
}

const eventDashes: Record<ChartEvent['kind'], readonly number[]> = {
  deployment: [],
  change: [2, 3],
  certificate: [8, 4],
}

/** Solid lines for deployments, dotted ones for changes, dashed ones for certificates. */
export function drawEvents(plot: UPlot, events: readonly ChartEvent[], color: string): void {
  const { ctx, bbox } = plot
  ctx.save()
  ctx.lineWidth = 1.5 * devicePixelRatio
  ctx.strokeStyle = color
  for (const { at, kind } of events) {
    const x = plot.valToPos(at, 'x', true)
    if (x < bbox.left || x > bbox.left + bbox.width) continue
    ctx.setLineDash(eventDashes[kind].map((length) => length * devicePixelRatio))
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
  }
  ctx.restore()
}

/** Triangles at the top, where a value is above the axis. */
export function drawOutliers(
  plot: UPlot,
  times: readonly number[],
  series: readonly { values: readonly (number | null)[] }[],
  cap: number | null,
  color: string,
): void {
  if (cap === null) return
  const { ctx, bbox } = plot
  const size = 4 * devicePixelRatio
  ctx.save()
  ctx.fillStyle = color
  for (const [index, at] of times.entries()) {
    if (!series.some(({ values }) => (values[index] ?? 0) > cap * 1.1)) continue
    const x = plot.valToPos(at, 'x', true)
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x - size, bbox.top + 2 * size)
    ctx.lineTo(x + size, bbox.top + 2 * size)
    ctx.fill()
  }
  ctx.restore()
}

/** Crosses for failed runs. */
export function drawFailures(
  plot: UPlot,
  marks: readonly { at: number; value: number }[],
  color: string,
): void {
  const { ctx, bbox } = plot
  const size = 4 * devicePixelRatio
  ctx.save()
  ctx.lineWidth = 1.5 * devicePixelRatio
  ctx.strokeStyle = color
  for (const { at, value } of marks) {
    const x = plot.valToPos(at, 'x', true)
    if (x < bbox.left || x > bbox.left + bbox.width) continue
    const y = Math.max(bbox.top + size, plot.valToPos(value, 'y', true))
    ctx.beginPath()
    ctx.moveTo(x - size, y - size)
    ctx.lineTo(x + size, y + size)
    ctx.moveTo(x + size, y - size)
    ctx.lineTo(x - size, y + size)
    ctx.stroke()
  }
  ctx.restore()
}

/** Horizontal lines with what they mean at their left end. */
export function drawLimits(
  plot: UPlot,
  limits: readonly ChartLimit[],
  resolved: (property: string) => string,
): void {
  const { ctx, bbox } = plot
  ctx.save()
  ctx.lineWidth = 1.5 * devicePixelRatio
  ctx.font = `${12 * devicePixelRatio}px ${getComputedStyle(plot.root).fontFamily}`
  ctx.textBaseline = 'bottom'
  ctx.textAlign = 'left'
  for (const { value, color, label } of limits) {
    const y = plot.valToPos(value, 'y', true)
    if (y < bbox.top || y > bbox.top + bbox.height) continue
    ctx.strokeStyle = resolved(color)
    ctx.setLineDash([6, 3].map((length) => length * devicePixelRatio))
    ctx.beginPath()
    ctx.moveTo(bbox.left, y)
    ctx.lineTo(bbox.left + bbox.width, y)
    ctx.stroke()
    ctx.fillStyle = resolved('--text')
    ctx.fillText(label, bbox.left + 6 * devicePixelRatio, y - 2 * devicePixelRatio)
  }
  ctx.restore()
}

/** `rgb(1, 2, 3)`, as browsers report colors, at a part of its strength. */
export function withAlpha(color: string, alpha: number): string {
  return color.replace(/^rgb\((.*)\)$/, `rgba($1, ${alpha})`)
}

/** A canvas knows neither custom properties nor light-dark(). */
export function colorResolver(element: HTMLElement): (property: string) => string {
  return (property) => {
    const probe = document.createElement('span')
    probe.style.color = `var(${property})`
    element.append(probe)
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  }
}
