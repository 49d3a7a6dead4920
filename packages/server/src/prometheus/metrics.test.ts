import { describe, expect, it } from 'vitest'
import { renderExposition } from './exposition.ts'
import { Counter, Gauge, Histogram } from './metrics.ts'

describe('exposition', () => {
  it('escapes labels and help texts', () => {
    const gauge = new Gauge('a', 'Two\nlines, and a \\')
    gauge.set(1, { name: 'say "hi"\\\n' })
    expect(renderExposition([gauge.family()])).toBe(
      '# HELP a Two\\nlines, and a \\\\\n# TYPE a gauge\na{name="say \\"hi\\"\\\\\\n"} 1\n',
    )
  })

  it('formats numbers for Prometheus', () => {
    const gauge = new Gauge('a', 'A.')
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1.5e-9]) {
      gauge.set(value, { of: String(value) })
    }
    const values = renderExposition([gauge.family()]).trim().split('\n').slice(2)
    expect(values.map((line) => line.split(' ')[1])).toEqual(['NaN', '+Inf', '-Inf', '1.5e-9'])
  })
})

describe('metrics', () => {
  it('count per set of labels', () => {
    const counter = new Counter('runs_total', 'Runs.')
    counter.add(2, { region: 'eu-west-1' })
    counter.add(1, { region: 'us-east-1' })
    counter.add(3, { region: 'eu-west-1' })
    expect(renderExposition([counter.family()])).toContain(
      'runs_total{region="eu-west-1"} 5\nruns_total{region="us-east-1"} 1\n',
    )
  })

  it('add up the buckets of a histogram, a value at a bound in the bucket below it', () => {
    const histogram = new Histogram('lag', 'Lag.', [0.1, 1])
    for (const value of [0.05, 0.1, 0.5, 7]) histogram.observe(value)
    expect(renderExposition([histogram.family()]).split('\n').slice(2, 7)).toEqual([
      'lag_bucket{le="0.1"} 2',
      'lag_bucket{le="1"} 3',
      'lag_bucket{le="+Inf"} 4',
      'lag_sum 7.65',
      'lag_count 4',
    ])
  })
})
