// Mergeable statistics: count, sum, sum of squares, minimum and maximum are exact, quantiles are within 1 % of the exact ones.
// Values fall into buckets whose bounds grow by a constant factor (the DDSketch mapping), so merging is lossless.
import { PackedBytesError, PackedReader, PackedWriter } from './packed-bytes.ts'

/** The error of a bucket's middle is at most (gamma - 1) / (gamma + 1) = 0.9901 %; the rest of 1 % is for rounding. */
const gamma = 1.02
const logGamma = Math.log(gamma)

/** Smaller values count as 0 in quantiles. */
const smallest = 1e-9
const largest = Number.MAX_SAFE_INTEGER
const firstIndex = indexOf(smallest)
const lastIndex = indexOf(largest)

const version = 1

export class Sketch {
  count = 0
  sum = 0
  sumOfSquares = 0
  #min = Number.POSITIVE_INFINITY
  #max = Number.NEGATIVE_INFINITY
  #zeros = 0
  /** The non-empty buckets in ascending order, and their counts. */
  #indexes: number[] = []
  #counts: number[] = []

  get min(): number | null {
    return this.count === 0 ? null : this.#min
  }

  get max(): number | null {
    return this.count === 0 ? null : this.#max
  }

  add(value: number): void {
    if (!(value >= 0 && value <= largest)) throw new RangeError(`not a measured value: ${value}`)
    this.count += 1
    this.sum += value
    this.sumOfSquares += value * value
    this.#min = Math.min(this.#min, value)
    this.#max = Math.max(this.#max, value)
    if (value < smallest) this.#zeros += 1
    else this.#put(indexOf(value))
  }

  merge(other: Sketch): void {
    this.count += other.count
    this.sum += other.sum
    this.sumOfSquares += other.sumOfSquares
    this.#min = Math.min(this.#min, other.#min)
    this.#max = Math.max(this.#max, other.#max)
    this.#zeros += other.#zeros
    this.#putAll(other.#indexes, other.#counts)
  }

  /** Interpolates like percentile_cont. Null without values. */
  quantile(q: number): number | null {
    if (!(q >= 0 && q <= 1)) throw new RangeError(`not a quantile: ${q}`)
    if (this.count === 0) return null
    const rank = q * (this.count - 1)
    const below = this.#valueAt(Math.floor(rank))
    const share = rank - Math.floor(rank)
    return share === 0 ? below : below + (this.#valueAt(Math.floor(rank) + 1) - below) * share
  }

  encode(): Buffer {
    const bytes = new PackedWriter()
    bytes.whole(version)
    bytes.whole(this.#zeros)
    bytes.whole(this.#indexes.length)
    let expected = this.#indexes[0] ?? 0
    if (this.#indexes.length > 0) bytes.signed(expected)
    for (const [n, index] of this.#indexes.entries()) {
      const held = this.#counts[n] ?? 0
      // Most buckets have one value and are close to the previous one, which takes one byte.
      bytes.whole((index - expected) * 2 + (held > 1 ? 1 : 0))
      if (held > 1) bytes.whole(held - 2)
      expected = index + 1
    }
    for (const number of this.count === 0 ? [] : [this.#min, this.#max, this.sum, this.sumOfSquares])
      bytes.float(number)
    return bytes.finish()
  }

  static decode(packed: Uint8Array): Sketch {
    try {
      const bytes = new PackedReader(packed)
      const sketch = new Sketch()
      sketch.#read(bytes)
      bytes.finish()
      return sketch
    } catch (error) {
      if (!(error instanceof PackedBytesError)) throw error
      throw new SketchError(`these bytes are not a sketch: ${error.message}`, { cause: error })
    }
  }

  #read(bytes: PackedReader): void {
    const written = bytes.whole()
    if (written !== version) throw new PackedBytesError(`version ${written} is unknown`)
    this.#zeros = bytes.whole()
    this.count = this.#zeros
    const buckets = bytes.whole()
    let index = buckets === 0 ? 0 : bytes.signed()
    for (let n = 0; n < buckets; n++) {
      const step = bytes.whole()
      const held = step % 2 === 1 ? bytes.whole() + 2 : 1
      index += Math.floor(step / 2)
      if (index < firstIndex || index > lastIndex) throw new PackedBytesError('a bucket is out of range')
      this.#indexes.push(index)
      this.#counts.push(held)
      this.count += held
      index += 1
    }
    if (this.count === 0) return
    this.#min = bytes.float()
    this.#max = bytes.float()
    this.sum = bytes.float()
    this.sumOfSquares = bytes.float()
    const isSound = this.#min >= 0 && this.#min <= this.#max && this.#max <= largest
    if (!isSound || !(this.sum >= this.#max) || !(this.sumOfSquares >= 0)) {
      throw new PackedBytesError('the totals contradict each other')
    }
  }

  /** The value with this rank in ascending order, from 0. */
  #valueAt(rank: number): number {
    if (rank <= 0) return this.#min
    if (rank >= this.count - 1) return this.#max
    let seen = this.#zeros
    let n = 0
    while (seen <= rank && n < this.#counts.length) seen += this.#counts[n++] ?? 0
    const middle = n === 0 ? 0 : middleOf(this.#indexes[n - 1] ?? 0)
    return Math.min(Math.max(middle, this.#min), this.#max)
  }

  /** Both are sorted and mostly have the same buckets, so one pass merges them. */
  #putAll(indexes: number[], counts: number[]): void {
    const [own, ownCounts] = [this.#indexes, this.#counts]
    let at = 0
    for (let n = 0; n < indexes.length; n++) {
      const index = indexes[n] ?? 0
      while (at < own.length && (own[at] ?? 0) < index) at += 1
      if (own[at] === index) ownCounts[at] = (ownCounts[at] ?? 0) + (counts[n] ?? 0)
      else {
        own.splice(at, 0, index)
        ownCounts.splice(at, 0, counts[n] ?? 0)
      }
    }
  }

  #put(index: number): void {
    let low = 0
    let high = this.#indexes.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if ((this.#indexes[middle] ?? 0) < index) low = middle + 1
      else high = middle
    }
    if (this.#indexes[low] === index) {
      this.#counts[low] = (this.#counts[low] ?? 0) + 1
    } else {
      this.#indexes.splice(low, 0, index)
      this.#counts.splice(low, 0, 1)
    }
  }
}

export class SketchError extends Error {
  override name = 'SketchError'
}

function indexOf(value: number): number {
  return Math.ceil(Math.log(value) / logGamma)
}

function middleOf(index: number): number {
  return (2 * Math.exp(index * logGamma)) / (gamma + 1)
}
