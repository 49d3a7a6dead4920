// The storage format of sketches: varints for integers, eight bytes for floats, and a checksum.
import { crc32 } from 'node:zlib'

export class PackedBytesError extends Error {
  override name = 'PackedBytesError'
}

const checksumLength = 4

export class PackedWriter {
  #bytes = Buffer.allocUnsafe(256)
  #length = 0

  /** A varint: seven bits per byte, lowest first. Any safe integer from 0. */
  whole(value: number): void {
    this.#reserve(8)
    let rest = value
    while (rest >= 128) {
      this.#bytes[this.#length++] = (rest % 128) + 128
      rest = Math.floor(rest / 128)
    }
    this.#bytes[this.#length++] = rest
  }

  /** Zigzag encoding: 0, -1, 1, -2, … */
  signed(value: number): void {
    this.whole(value < 0 ? -2 * value - 1 : 2 * value)
  }

  float(value: number): void {
    this.#reserve(8)
    this.#length = this.#bytes.writeDoubleLE(value, this.#length)
  }

  finish(): Buffer {
    this.#reserve(checksumLength)
    const checksum = crc32(this.#bytes.subarray(0, this.#length))
    this.#length = this.#bytes.writeUInt32LE(checksum, this.#length)
    return Buffer.from(this.#bytes.subarray(0, this.#length))
  }

  #reserve(length: number): void {
    if (this.#length + length <= this.#bytes.length) return
    const larger = Buffer.allocUnsafe(this.#bytes.length * 2)
    this.#bytes.copy(larger)
    this.#bytes = larger
  }
}

export class PackedReader {
  #bytes: Buffer
  #position = 0
  #end: number

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#end = bytes.length - checksumLength
    if (this.#end < 0) throw new PackedBytesError(`${bytes.length} bytes are too few`)
    if (crc32(this.#bytes.subarray(0, this.#end)) !== this.#bytes.readUInt32LE(this.#end)) {
      throw new PackedBytesError('the checksum does not match: bytes were changed or lost')
    }
  }

  whole(): number {
    let value = 0
    for (let scale = 1; ; scale *= 128) {
      const byte = this.#position < this.#end ? this.#bytes[this.#position++] : undefined
      if (byte === undefined) throw new PackedBytesError('they end within a number')
      value += (byte % 128) * scale
      if (value > Number.MAX_SAFE_INTEGER) throw new PackedBytesError('a number is too large')
      if (byte < 128) return value
    }
  }

  signed(): number {
    const value = this.whole()
    return value % 2 === 1 ? -(value + 1) / 2 : value / 2
  }

  float(): number {
    if (this.#position + 8 > this.#end) throw new PackedBytesError('they end within a number')
    this.#position += 8
    return this.#bytes.readDoubleLE(this.#position - 8)
  }

  finish(): void {
    if (this.#position !== this.#end) {
      throw new PackedBytesError(`${this.#end - this.#position} bytes follow the end`)
    }
  }
}
