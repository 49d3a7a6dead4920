import { crc32 } from 'node:zlib'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { PackedBytesError, PackedReader, PackedWriter } from './packed-bytes.ts'
import { Sketch } from './sketch.ts'

function pack(write: (bytes: PackedWriter) => void): Buffer {
  const bytes = new PackedWriter()
  write(bytes)
  return bytes.finish()
}

describe('packed bytes', () => {
  it('round-trip every number', () => {
    const numbers = fc.array(fc.tuple(fc.maxSafeNat(), fc.integer(), fc.double()), { maxLength: 100 })
    fc.assert(
      fc.property(numbers, (rows) => {
        const reader = new PackedReader(
          pack((bytes) => {
            for (const [whole, signed, float] of rows) {
              bytes.whole(whole)
              bytes.signed(signed)
              bytes.float(float)
            }
          }),
        )
        for (const row of rows) expect([reader.whole(), reader.signed() + 0, reader.float()]).toEqual(row)
        reader.finish()
      }),
    )
  })

  it('must be read to the end', () => {
    const bytes = pack((writer) => writer.whole(5))
    expect(() => new PackedReader(bytes).finish()).toThrow('1 bytes follow the end')
    expect(() => new PackedReader(bytes).float()).toThrow(PackedBytesError)
    const reader = new PackedReader(bytes)
    reader.whole()
    expect(() => reader.whole()).toThrow('they end within a number')
  })
})

describe('a number', () => {
  it('is read up to the largest safe one, and refused beyond', () => {
    const largest = pack((writer) => writer.whole(Number.MAX_SAFE_INTEGER))
    expect(new PackedReader(largest).whole()).toBe(Number.MAX_SAFE_INTEGER)
    const endless = Buffer.alloc(64, 0xff)
    endless.writeUInt32LE(crc32(endless.subarray(0, 60)), 60)
    expect(() => new PackedReader(endless).whole()).toThrow('a number is too large')
  })
})

describe('bytes with a valid checksum that are not a sketch', () => {
  it.each<[string, (bytes: PackedWriter) => void]>([
    ['version 9 is unknown', (bytes) => bytes.whole(9)],
    ['a bucket is out of range', (bytes) => [1, 0, 1, 99_999, 0].map((n) => bytes.whole(n))],
    ['they end within a number', (bytes) => [1, 3, 2 ** 40].map((n) => bytes.whole(n))],
    ['the totals contradict each other', (bytes) => writeTotals(bytes, [5, 4, 9, 41])],
    ['the totals contradict each other', (bytes) => writeTotals(bytes, [Number.NaN, 4, 9, 41])],
    ['the totals contradict each other', (bytes) => writeTotals(bytes, [1, 4, Number.NaN, 41])],
  ])('are refused: %s', (message, write) => {
    expect(() => Sketch.decode(pack(write))).toThrow(`these bytes are not a sketch: ${message}`)
  })
})

/** A sketch of two zeros, but for its totals. */
function writeTotals(bytes: PackedWriter, totals: number[]): void {
  for (const number of [1, 2, 0]) bytes.whole(number)
  for (const number of totals) bytes.float(number)
}
