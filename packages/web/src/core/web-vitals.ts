// Up to which value a web vital is good, and from which it is poor, as web.dev and Lighthouse (TBT) have it.
import type { ChartLimit } from './chart-data.ts'
import { formatDuration } from './format.ts'

export const webVitals = {
  TTFB: { label: 'Time to first byte', unit: 'ms', good: 800, poor: 1800 },
  FCP: { label: 'First contentful paint', unit: 'ms', good: 1800, poor: 3000 },
  LCP: { label: 'Largest contentful paint', unit: 'ms', good: 2500, poor: 4000 },
  CLS: { label: 'Cumulative layout shift', unit: 'score', good: 0.1, poor: 0.25 },
  TBT: { label: 'Total blocking time', unit: 'ms', good: 200, poor: 600 },
} as const

export type WebVital = keyof typeof webVitals

/** In the order in which they happen. */
export const vitalNames = ['TTFB', 'FCP', 'LCP', 'CLS', 'TBT'] as const satisfies WebVital[]

export function formatVital(name: WebVital, value: number): string {
  return webVitals[name].unit === 'ms' ? formatDuration(value) : String(Number(value.toPrecision(2)))
}

export function rateVital(name: WebVital, value: number): 'Good' | 'Needs improvement' | 'Poor' {
  const { good, poor } = webVitals[name]
  if (value <= good) return 'Good'
  return value <= poor ? 'Needs improvement' : 'Poor'
}

export function vitalLimits(name: WebVital): ChartLimit[] {
  const { good, poor } = webVitals[name]
  const [first, second] = [formatVital(name, good), formatVital(name, poor)]
  return [
    { value: good, color: '--degraded-mark', label: 'Needs improvement', meaning: `good up to ${first}` },
    { value: poor, color: '--failing-mark', label: 'Poor', meaning: `poor above ${second}` },
  ]
}
