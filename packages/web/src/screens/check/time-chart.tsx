// A chart over time. Dragging zooms; the cross-line is shared by all charts of the screen; the table is for screen readers.
import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import { formatExact } from '../../core/format.ts'
import type { TimeRange } from '../../core/time-range.ts'
import { useTimeOptions } from '../../parts/time.tsx'
import { useThemeName } from './use-theme-name.ts'

interface ChartSeries {
  label: string
  /** Name of a custom property. */
  color: string
  values: readonly (number | null)[]
  /** What people read, if it differs from the height: the parts of a stack. */
  readings?: readonly (number | null)[]
  /** The area that is filled: down to zero, or to the series after it. */
  fill?: 'zero' | 'next'
}

interface ChartProps {
  title: string
  range: TimeRange
  /** Seconds. */
  times: readonly number[]
  series: readonly ChartSeries[]
  /** Single failed runs. */
  marks?: readonly { at: number; value: number }[]
  /** Deployments. */
  lines?: readonly { at: number; label: string }[]
  format(value: number): string
  onZoom(range: { from: number; to: number }): void
}

const height = 200
const leastDragPx = 8

export function TimeChart(props: ChartProps) {
  const { title, range, times, series, marks = [], lines = [], format, onZoom } = props
  const box = useRef<HTMLDivElement>(null)
  const zoom = useRef(onZoom)
  zoom.current = onZoom
  const theme = useThemeName()
  const options = useTimeOptions()
  // biome-ignore lint/correctness/useExhaustiveDependencies: colors are read from the theme
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const resolved = colorResolver(element)
    const chart = new UPlot(
      {
        ...{ width: element.clientWidth, height, padding: [8, 8, 0, 0] },
        cursor: { drag: { x: true, y: false, setScale: false }, sync: { key: 'check' }, points: { size: 5 } },
        scales: {
          x: { time: true, range: [range.from, range.to] },
          y: { range: (_, __, most) => [0, (most || 1) * 1.1] },
        },
        axes: [
          {
            ...{
              stroke: resolved('--muted'),
              grid: { show: false },
              ticks: { stroke: resolved('--border') },
              size: 32,
            },
            values: (_, ticks) => ticks.map((at) => labelOf(at, range, options)),
          },
          {
            ...{
              stroke: resolved('--muted'),
              size: 64,
              grid: { stroke: resolved('--border'), width: 1 },
              ticks: { show: false },
            },
            values: (_, ticks) => ticks.map(format),
          },
        ],
        series: [
          { value: (_, at) => (at == null ? '–' : formatExact(at * 1000, options)) },
          ...series.map(({ label, color, fill, readings }) => ({
            ...{ label, stroke: resolved(color), width: 1.5, spanGaps: false },
            ...(fill === 'zero' ? { fill: withAlpha(resolved(color)) } : {}),
            points: { show: times.length < 3, size: 5 },
            value: (_: UPlot, value: number | null, __: number, index: number | null) => {
              const reading = index === null ? null : (readings?.[index] ?? value)
              return reading == null ? '–' : format(reading)
            },
          })),
        ],
        bands: series.flatMap(({ color, fill }, index) =>
          fill === 'next' ? [{ series: [index + 1, index + 2], fill: withAlpha(resolved(color)) }] : [],
        ),
        legend: { show: true, live: true },
        hooks: {
          setSelect: [
            (plot) => {
              const { left, width } = plot.select
              if (width < leastDragPx) return
              zoom.current({ from: plot.posToVal(left, 'x'), to: plot.posToVal(left + width, 'x') })
              plot.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
            },
          ],
          draw: [
            (plot) =>
              drawMarks(plot, {
                marks,
                lines,
                failing: resolved('--failing-mark'),
                line: resolved('--control'),
              }),
          ],
        },
      },
      [[...times], ...series.map(({ values }) => [...values])],
      element,
    )
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      chart.destroy()
    }
  }, [range.from, range.to, times, series, marks, lines, theme, options.isUtc])
  return (
    <figure className="chart">
      <figcaption>{title}</figcaption>
      <div ref={box} className="plot" aria-hidden="true" />
      <details className="as-table">
        <summary>As a table</summary>
        <ChartTable {...props} />
      </details>
    </figure>
  )
}

function ChartTable({ times, series, format }: ChartProps) {
  const options = useTimeOptions()
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col">Time</th>
          {series.map(({ label }) => (
            <th key={label} scope="col" className="num">
              {label}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {times.map((at, index) => (
          <tr key={at}>
            <th scope="row">{formatExact(at * 1000, options)}</th>
            {series.map(({ label, values, readings = values }) => {
              const value = readings[index] ?? null
              return (
                <td key={label} className="num">
                  {value === null ? '–' : format(value)}
                </td>
              )
            })}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** The time of day; on longer ranges the day. */
function labelOf(at: number, { from, to }: TimeRange, options: { isUtc: boolean }): string {
  const text = formatExact(at * 1000, options)
  return to - from > 2 * 86_400 ? text.slice(5, 10) : text.slice(11, 16)
}

interface Drawn {
  marks: readonly { at: number; value: number }[]
  lines: readonly { at: number }[]
  failing: string
  line: string
}

/** Crosses for failed runs, vertical lines for deployments. */
function drawMarks(plot: UPlot, { marks, lines, failing, line }: Drawn): void {
  const { ctx, bbox } = plot
  const size = 4 * devicePixelRatio
  ctx.save()
  ctx.lineWidth = 1.5 * devicePixelRatio
  ctx.strokeStyle = line
  for (const { at } of lines) {
    const x = plot.valToPos(at, 'x', true)
    ctx.beginPath()
    ctx.moveTo(x, bbox.top)
    ctx.lineTo(x, bbox.top + bbox.height)
    ctx.stroke()
  }
  ctx.strokeStyle = failing
  for (const { at, value } of marks) {
    const x = plot.valToPos(at, 'x', true)
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

/** `rgb(1, 2, 3)`, as browsers report colors, at a fifth of its strength. */
function withAlpha(color: string): string {
  return color.replace(/^rgb\((.*)\)$/, 'rgba($1, 0.2)')
}

/** A canvas knows neither custom properties nor light-dark(). */
function colorResolver(element: HTMLElement): (property: string) => string {
  return (property) => {
    const probe = document.createElement('span')
    probe.style.color = `var(${property})`
    element.append(probe)
    const { color } = getComputedStyle(probe)
    probe.remove()
    return color
  }
}
