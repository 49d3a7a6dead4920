// A chart over time. Dragging zooms, fingers pan and zoom; the cross-line is shared by all charts of the screen; the table is for
// screen readers.
import 'uplot/dist/uPlot.min.css'
import { useEffect, useRef } from 'react'
import UPlot from 'uplot'
import { axisEnd, type ChartLimit, capOf, type Interval, isolatedIndexes } from '../../core/chart-data.ts'
import { formatExact } from '../../core/format.ts'
import type { TimeRange } from '../../core/time-range.ts'
import { Icon } from '../../parts/icon.tsx'
import { PickMenu } from '../../parts/pick-menu.tsx'
import { useTimeOptions } from '../../parts/time.tsx'
import { showOutcome } from '../../shell/outcome-bar.tsx'
import { followTouches } from './chart-touch.ts'
import { chartCsv, chartPicture, copyCsv, copyPicture } from './copy-chart.ts'
import {
  type ChartEvent,
  colorResolver,
  drawEvents,
  drawFailures,
  drawLimits,
  drawOutliers,
  hatch,
  shade,
  withAlpha,
} from './draw-chart.ts'
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
  /** For comparison: thin and dashed. */
  isThin?: boolean
}

/** What is true of all charts of a screen. */
export interface ChartFrame {
  range: TimeRange
  /** Seconds. */
  times: readonly number[]
  maintenance: readonly Interval[]
  gaps: readonly Interval[]
  /** When the last bucket begins, if it isn't over. */
  partial: number | null
  onZoom(range: { from: number; to: number }): void
}

interface ChartProps extends ChartFrame {
  title: string
  series: readonly ChartSeries[]
  /** Single failed runs. */
  marks?: readonly { at: number; value: number }[]
  /** Deployments and changes: vertical lines. */
  events?: readonly ChartEvent[]
  /** Horizontal lines; one far above all values is only named. */
  limits?: readonly ChartLimit[]
  /** Whether a few values far above the rest are cut off. */
  isCapped?: boolean
  format(value: number): string
}

const noLimits: readonly ChartLimit[] = []

const height = 200
const leastDragPx = 8

export function TimeChart(props: ChartProps) {
  const { title, range, times, series, marks = [], events = [], format, onZoom } = props
  const { maintenance, gaps, partial, limits = noLimits, isCapped = true } = props
  const box = useRef<HTMLDivElement>(null)
  const zoom = useRef(onZoom)
  zoom.current = onZoom
  const theme = useThemeName()
  const options = useTimeOptions()
  const cap = isCapped ? capOf(series.flatMap(({ values }) => values)) : null
  // biome-ignore lint/correctness/useExhaustiveDependencies: colors are read from the theme
  useEffect(() => {
    const element = box.current
    if (element === null) return
    const resolved = colorResolver(element)
    const chart = new UPlot(
      {
        ...{ width: element.clientWidth, height, padding: [8, 8, 0, 0] },
        cursor: {
          ...{ drag: { x: true, y: false, setScale: false }, points: { size: 5 } },
          // Not the buttons: every chart would zoom, and "back" would have to be pressed for each.
          sync: {
            key: 'check',
            filters: { pub: (type) => !['mousedown', 'mouseup', 'dblclick'].includes(type) },
          },
        },
        scales: {
          x: { time: true, range: (_, from, to) => [from, to], min: range.from, max: range.to },
          y: { range: (_, __, most) => [0, axisEnd(cap ?? most, limits)] },
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
          ...series.map(({ label, color, fill, readings, isThin = false, values }) => ({
            ...{ label, stroke: resolved(color), width: isThin ? 1 : 1.5, spanGaps: false },
            ...(fill === 'zero' ? { fill: withAlpha(resolved(color), 0.2) } : {}),
            ...(isThin ? { dash: [4, 3] } : {}),
            // A single result has no line.
            points: { show: true, size: 6, fill: resolved(color), filter: () => isolatedIndexes(values) },
            value: (_: UPlot, value: number | null, __: number, index: number | null) => {
              const reading = index === null ? null : (readings?.[index] ?? value)
              return reading == null ? '–' : format(reading)
            },
          })),
        ],
        bands: series.flatMap(({ color, fill }, index) =>
          fill === 'next' ? [{ series: [index + 1, index + 2], fill: withAlpha(resolved(color), 0.2) }] : [],
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
          drawAxes: [
            (plot) => {
              shade(plot, maintenance, withAlpha(resolved('--maintenance-mark'), 0.2))
              for (const gap of gaps) hatch(plot, gap, resolved('--control'))
            },
          ],
          draw: [
            (plot) => {
              if (partial !== null)
                shade(plot, [{ from: partial, to: range.to }], withAlpha(resolved('--surface'), 0.6))
              drawLimits(plot, limits, resolved)
              drawEvents(plot, events, resolved('--muted'))
              drawOutliers(plot, times, series, cap, resolved('--degraded-mark'))
              drawFailures(plot, marks, resolved('--failing-mark'))
            },
          ],
        },
      },
      [[...times], ...series.map(({ values }) => [...values])],
      element,
    )
    const stopTouches = followTouches(chart, range, (next) => zoom.current(next))
    const observer = new ResizeObserver(() => chart.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      stopTouches()
      chart.destroy()
    }
  }, [
    range.from,
    range.to,
    times,
    series,
    marks,
    events,
    limits,
    maintenance,
    gaps,
    partial,
    theme,
    options.isUtc,
  ])
  return (
    <figure className="chart">
      <figcaption className="chart-head">
        <span>{title}</span>
        <CopyMenu {...props} box={box} />
      </figcaption>
      <div ref={box} className="plot" aria-hidden="true" />
      <ChartNotes {...props} cap={cap} />
      <details className="as-table">
        <summary>As a table</summary>
        <ChartTable {...props} />
        <EventList events={events} />
      </details>
    </figure>
  )
}

function CopyMenu({
  title,
  times,
  series,
  box,
}: ChartProps & { box: React.RefObject<HTMLDivElement | null> }) {
  const name = title.toLowerCase().replace(/\W+/g, '-')
  const picture = async () => {
    const canvas = box.current?.querySelector('canvas')
    if (!canvas || box.current === null) return
    const resolved = colorResolver(box.current)
    const colors = { background: resolved('--surface'), text: resolved('--text') }
    const blob = await chartPicture(canvas, title, colors)
    showOutcome(blob === null ? 'The chart couldn’t be copied.' : await copyPicture(name, blob))
  }
  const figures = async () => showOutcome(await copyCsv(name, chartCsv(times, series)))
  return (
    <PickMenu
      label={`Copy the chart ${title}`}
      look="button icon-only"
      button={<Icon name="copy" />}
      entries={[
        { id: 'image', label: 'Copy as image', text: 'Copy as image', onAction: picture },
        { id: 'csv', label: 'Copy as CSV', text: 'Copy as CSV', onAction: figures },
      ]}
    />
  )
}

/** What the shapes in the chart mean, if there are any. */
function ChartNotes({
  maintenance,
  gaps,
  partial,
  events = [],
  limits = noLimits,
  cap,
  format,
}: ChartProps & { cap: number | null }) {
  const notes = [
    ...limits.map(({ meaning }) => meaning),
    ...(cap === null ? [] : [`▲ above ${format(cap * 1.1)}`]),
    ...(maintenance.length === 0 ? [] : ['blue: maintenance']),
    ...(gaps.length === 0 ? [] : ['hatched: no runs']),
    ...(partial === null ? [] : ['faded: not over yet']),
    ...(events.some(({ kind }) => kind === 'deployment') ? ['solid line: deployment'] : []),
    ...(events.some(({ kind }) => kind === 'change') ? ['dotted line: change'] : []),
    ...(events.some(({ kind }) => kind === 'certificate') ? ['dashed line: another certificate'] : []),
  ]
  return notes.length === 0 ? null : <p className="hint chart-notes">{notes.join(' · ')}</p>
}

function EventList({ events }: { events: readonly ChartEvent[] }) {
  const options = useTimeOptions()
  if (events.length === 0) return null
  return (
    <ul className="chart-events">
      {events.map(({ at, text }) => (
        <li key={`${at} ${text}`}>
          <span className="muted-text">{formatExact(at * 1000, options)}</span> {text}
        </li>
      ))}
    </ul>
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
