import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Sketch, SketchError } from './sketch.ts'

function sketchOf(values: Iterable<number>): Sketch {
  const sketch = new Sketch()
  for (const value of values) sketch.add(value)
  return sketch
}

function merged(...parts: number[][]): Sketch {
  const whole = new Sketch()
  for (const part of parts) whole.merge(sketchOf(part))
  return whole
}

/** percentile_cont over all values. */
function exactQuantile(values: number[], q: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  const rank = q * (sorted.length - 1)
  const below = sorted[Math.floor(rank)]!
  return below + (sorted[Math.ceil(rank)]! - below) * (rank - Math.floor(rank))
}

const quantiles = [0, 0.01, 0.25, 0.5, 0.9, 0.95, 0.99, 0.999, 1]

function expectWithinOnePercent(sketch: Sketch, values: number[]): void {
  for (const q of quantiles) {
    const exact = exactQuantile(values, q)
    const error = Math.abs(sketch.quantile(q)! - exact)
    expect(error, `p${q * 100} of ${values.length} values`).toBeLessThanOrEqual(exact * 0.01 + 1e-9)
  }
}

const wholes = fc.integer({ min: 0, max: 60_000 })
const reals = fc.double({ min: 0, max: Number.MAX_SAFE_INTEGER, noNaN: true })
const samples = fc.array(fc.oneof(wholes, reals), { maxLength: 200 })
const wholeSamples = fc.array(wholes, { maxLength: 100 })

describe('a sketch', () => {
  it('estimates quantiles within 1 %, for any values', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(wholes, reals), { minLength: 1, maxLength: 200 }), (values) => {
        expectWithinOnePercent(sketchOf(values), values)
      }),
      { numRuns: 300 },
    )
  })

  it('keeps within 1 % for every magnitude, bucket bounds included', () => {
    for (let exponent = -450; exponent < 1800; exponent++) {
      const bound = 1.02 ** exponent
      for (const value of [bound, bound * (1 + 1e-15), bound * (1 - 1e-15), bound * 1.01]) {
        const sketch = sketchOf([value / 2, value, value * 2])
        expect(Math.abs(sketch.quantile(0.5)! / value - 1)).toBeLessThanOrEqual(0.01)
      }
    }
  })

  it('keeps count, sum, squares, minimum and maximum exactly', () => {
    const sketch = sketchOf([3, 0, 250.5, 1])
    expect(sketch).toMatchObject({
      count: 4,
      sum: 254.5,
      sumOfSquares: 9 + 250.5 ** 2 + 1,
      min: 0,
      max: 250.5,
    })
  })

  it('returns null without values', () => {
    const empty = new Sketch()
    expect(empty).toMatchObject({ count: 0, sum: 0, sumOfSquares: 0, min: null, max: null })
    expect(empty.quantile(0.5)).toBeNull()
  })

  it.each([
    ['one value is every quantile of itself', [123.456], 0.99, 123.456],
    ['zeros are zero', [0, 0, 0, 5], 0.5, 0],
    ['what is too small to be measured is zero', [1e-12, 1e-12, 1e-10, 4], 0.5, 0],
    ['the least value is exact', [17.3, 20, 30], 0, 17.3],
    ['the greatest value is exact', [17.3, 20, 30.1], 1, 30.1],
    ['two values are weighed by their distance', [100, 200], 0.75, 175],
  ])('%s', (_, values, q, expected) => {
    expect(sketchOf(values).quantile(q)).toBeCloseTo(expected, 9)
  })

  it.each([-1, -0.001, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 60])('refuses the value %s', (value) => {
    const sketch = new Sketch()
    expect(() => sketch.add(value)).toThrow(RangeError)
    expect(sketch.count).toBe(0)
  })

  it.each([-0.1, 1.1, Number.NaN])('has no quantile %s', (q) => {
    expect(() => sketchOf([1]).quantile(q)).toThrow(RangeError)
  })
})

describe('merging', () => {
  it('equals one sketch of all values', () => {
    fc.assert(
      fc.property(wholeSamples, wholeSamples, (a, b) => {
        expect(merged(a, b).encode()).toEqual(sketchOf([...a, ...b]).encode())
      }),
    )
  })

  it('takes parts in any order', () => {
    fc.assert(
      fc.property(wholeSamples, wholeSamples, (a, b) => {
        expect(merged(a, b).encode()).toEqual(merged(b, a).encode())
      }),
    )
  })

  it('takes parts in any grouping', () => {
    fc.assert(
      fc.property(wholeSamples, wholeSamples, wholeSamples, (a, b, c) => {
        const left = merged(a, b)
        left.merge(sketchOf(c))
        const right = sketchOf(a)
        right.merge(merged(b, c))
        expect(left.encode()).toEqual(right.encode())
      }),
    )
  })

  it('keeps within 1 % of the exact quantiles', () => {
    fc.assert(
      fc.property(fc.array(samples, { minLength: 1, maxLength: 8 }), (parts) => {
        const values = parts.flat()
        if (values.length > 0) expectWithinOnePercent(merged(...parts), values)
      }),
    )
  })

  it('does not change the other sketch', () => {
    const other = sketchOf([1, 2, 3])
    const before = other.encode()
    const whole = merged([1_000_000])
    whole.merge(other)
    whole.add(2)
    expect(other.encode()).toEqual(before)
  })
})

describe('bytes', () => {
  it('round-trip a sketch', () => {
    fc.assert(
      fc.property(samples, (values) => {
        const sketch = sketchOf(values)
        const read = Sketch.decode(sketch.encode())
        expect(read).toMatchObject({
          count: sketch.count,
          sum: sketch.sum,
          sumOfSquares: sketch.sumOfSquares,
        })
        expect(quantiles.map((q) => read.quantile(q))).toEqual(quantiles.map((q) => sketch.quantile(q)))
        expect(read.encode()).toEqual(sketch.encode())
      }),
    )
  })

  it('round-trip counts beyond 32 bits', () => {
    const sketch = sketchOf([0, 5, 7])
    for (let n = 0; n < 40; n++) sketch.merge(Sketch.decode(sketch.encode()))
    expect(Sketch.decode(sketch.encode()).count).toBe(3 * 2 ** 40)
  })

  it('are few: an hour of one run a minute', () => {
    const values = Array.from({ length: 60 }, (_, n) => 120 * Math.exp(0.4 * Math.sin(n * 12.9898)))
    expect(sketchOf(values).encode().length).toBeLessThan(110)
  })

  it('can be part of a larger buffer', () => {
    const bytes = sketchOf([5, 10]).encode()
    const larger = Buffer.concat([Buffer.from('before'), bytes, Buffer.from('after')])
    expect(Sketch.decode(larger.subarray(6, 6 + bytes.length)).sum).toBe(15)
  })

  it('are refused with any one byte changed, lost or added', () => {
    fc.assert(
      fc.property(samples, fc.nat(), fc.integer({ min: 1, max: 255 }), (values, at, change) => {
        const bytes = sketchOf(values).encode()
        const offset = at % bytes.length
        const changed = Buffer.from(bytes)
        changed[offset] = changed[offset]! ^ change
        const lost = Buffer.concat([bytes.subarray(0, offset), bytes.subarray(offset + 1)])
        const added = Buffer.concat([bytes, Buffer.of(change)])
        for (const bad of [changed, lost, added, bytes.subarray(0, offset)]) {
          expect(() => Sketch.decode(bad)).toThrow(SketchError)
        }
      }),
    )
  })

  it('throw only SketchErrors, whatever they are', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        expect(() => Sketch.decode(bytes)).toThrow(SketchError)
      }),
    )
  })

  it('that are refused have a reason', () => {
    expect(() => Sketch.decode(Buffer.alloc(2))).toThrow('these bytes are not a sketch: 2 bytes are too few')
    const bytes = sketchOf([1, 2]).encode()
    bytes[3] = 99
    expect(() => Sketch.decode(bytes)).toThrow(/not a sketch: the checksum does not match/)
  })
})
