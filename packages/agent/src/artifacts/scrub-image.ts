// Images: everything but the pixels is examined; those are the documented exception. A part that contains a secret is removed
// as a whole, so that the image and its checksums stay valid.
import { inflateSync } from 'node:zlib'
import type { FormScan } from '../scrub/form-finder.ts'
import type { Scrubber } from '../scrub/scrub.ts'
import { LeftOut, type Transform } from './transform.ts'

/** Compressed pixels contain every short string by chance. */
const minCharsInPixels = 6
const maxPartBytes = 1024 * 1024
const maxInflatedBytes = 8 * 1024 * 1024

abstract class ImageScrub implements Transform {
  readonly #scrubber: Scrubber
  readonly #pixels: FormScan
  isChanged = false
  protected rest: Buffer = Buffer.alloc(0)

  constructor(scrubber: Scrubber) {
    this.#scrubber = scrubber
    this.#pixels = scrubber.scan({ minChars: minCharsInPixels })
  }

  /** Takes complete parts from `rest`. */
  protected abstract parts(): Buffer[]
  protected abstract tail(): Buffer

  push(chunk: Buffer): Buffer {
    this.rest = Buffer.concat([this.rest, chunk])
    return Buffer.concat(this.parts())
  }

  end(): Buffer {
    const tail = this.tail()
    this.#pixels.end()
    this.#checkPixels()
    return tail
  }

  protected take(length: number): Buffer {
    const bytes = this.rest.subarray(0, length)
    this.rest = this.rest.subarray(length)
    return bytes
  }

  protected pixels(bytes: Buffer): Buffer {
    this.#pixels.push(bytes.toString('latin1'))
    this.#checkPixels()
    return bytes
  }

  /** Empty if it contains a secret. */
  protected keep(part: Buffer, packedAt = -1): Buffer {
    if (!this.#containsSecret(part) && (packedAt === -1 || !this.#packsSecret(part.subarray(packedAt))))
      return part
    return this.drop()
  }

  protected drop(): Buffer {
    this.isChanged = true
    return Buffer.alloc(0)
  }

  #checkPixels(): void {
    if (this.#pixels.found > 0) throw new LeftOut('the bytes of the image contain a secret')
  }

  #containsSecret(bytes: Buffer): boolean {
    const scan = this.#scrubber.scan()
    scan.end(bytes.toString('latin1'))
    return scan.found > 0
  }

  #packsSecret(bytes: Buffer): boolean {
    try {
      return this.#containsSecret(inflateSync(bytes, { maxOutputLength: maxInflatedBytes }))
    } catch {
      return true
    }
  }
}

const pngHead = 8
const pixelParts = new Set(['IDAT', 'fdAT'])

export class PngScrub extends ImageScrub {
  #isBegun = false
  #isEnded = false
  /** Remaining bytes of a pixel part, including its checksum. */
  #pixelsLeft = 0

  protected override parts(): Buffer[] {
    const parts: Buffer[] = []
    if (!this.#isBegun && this.rest.length >= pngHead) {
      this.#isBegun = true
      parts.push(this.take(pngHead))
    }
    while (this.#isBegun && !this.#isEnded) {
      if (this.#pixelsLeft > 0 && this.rest.length > 0) {
        const bytes = this.take(Math.min(this.#pixelsLeft, this.rest.length))
        this.#pixelsLeft -= bytes.length
        parts.push(this.pixels(bytes))
        continue
      }
      if (this.rest.length < 12) break
      const type = this.rest.toString('latin1', 4, 8)
      const length = this.rest.readUInt32BE(0)
      if (pixelParts.has(type)) {
        this.#pixelsLeft = length + 4
        parts.push(this.take(8))
        continue
      }
      if (length > maxPartBytes) throw new LeftOut('a part of the image is too long')
      if (this.rest.length < length + 12) break
      this.#isEnded = type === 'IEND'
      const part = this.take(length + 12)
      parts.push(this.keep(part, packedAt(type, part)))
    }
    if (this.#isEnded && this.rest.length > maxPartBytes) this.rest = this.drop()
    return parts
  }

  /** Bytes after the end of the image. */
  protected override tail(): Buffer {
    return this.keep(this.rest)
  }
}

/** The offset of a part's compressed text; -1: it has none. */
function packedAt(type: string, part: Buffer): number {
  const afterName = part.indexOf(0, 8) + 1
  if (afterName === 0) return -1
  if (type === 'zTXt' || type === 'iCCP') return afterName + 1
  if (type !== 'iTXt' || part[afterName] !== 1) return -1
  const afterLanguage = part.indexOf(0, afterName + 2) + 1
  return part.indexOf(0, afterLanguage) + 1
}

export class JpegScrub extends ImageScrub {
  #isBegun = false
  #isInPixels = false

  protected override parts(): Buffer[] {
    const parts: Buffer[] = []
    while (this.rest.length >= 4) {
      if (this.#isInPixels) {
        parts.push(this.pixels(this.take(this.rest.length)))
        continue
      }
      if (!this.#isBegun) {
        this.#isBegun = true
        parts.push(this.take(2))
        continue
      }
      if (this.rest[0] !== 0xff) throw new LeftOut("the image can't be read")
      if (this.rest[1] === 0xff) {
        parts.push(this.take(1))
        continue
      }
      this.#isInPixels = this.rest[1] === 0xda
      if (this.#isInPixels) continue
      const length = this.rest.readUInt16BE(2) + 2
      if (this.rest.length < length) break
      parts.push(this.keep(this.take(length)))
    }
    return parts
  }

  protected override tail(): Buffer {
    return this.#isInPixels ? this.pixels(this.rest) : this.keep(this.rest)
  }
}
