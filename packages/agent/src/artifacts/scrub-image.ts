// Pictures: pixels are the documented exception, everything written beside them is looked through. A part that holds a
// secret is taken out whole, so that the picture and its checksums stay right.
import { inflateSync } from 'node:zlib'
import type { FormScan } from '../scrub/form-finder.ts'
import type { Scrubber } from '../scrub/scrub.ts'
import { LeftOut, type Transform } from './transform.ts'

/** Packed pixels hold everything short by chance. */
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

  /** Takes from `rest` what is complete. */
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

  protected pixels(bytes: Buffer): Buffer {
    this.#pixels.push(bytes.toString('latin1'))
    this.#checkPixels()
    return bytes
  }

  /** Empty if there is a secret in it. */
  protected kept(part: Buffer, packedAt = -1): Buffer {
    if (!this.#holds(part) && (packedAt === -1 || !this.#holdsPacked(part.subarray(packedAt)))) return part
    return this.dropped()
  }

  protected dropped(): Buffer {
    this.isChanged = true
    return Buffer.alloc(0)
  }

  #checkPixels(): void {
    if (this.#pixels.found > 0) throw new LeftOut('a secret stands in the bytes of the picture')
  }

  #holds(bytes: Buffer): boolean {
    const scan = this.#scrubber.scan()
    scan.end(bytes.toString('latin1'))
    return scan.found > 0
  }

  #holdsPacked(bytes: Buffer): boolean {
    try {
      return this.#holds(inflateSync(bytes, { maxOutputLength: maxInflatedBytes }))
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
  /** What is left of a part of pixels, its checksum included. */
  #pixelsLeft = 0

  protected override parts(): Buffer[] {
    const parts: Buffer[] = []
    if (!this.#isBegun && this.rest.length >= pngHead) {
      this.#isBegun = true
      parts.push(this.#taken(pngHead))
    }
    while (this.#isBegun && !this.#isEnded) {
      if (this.#pixelsLeft > 0 && this.rest.length > 0) {
        const bytes = this.#taken(Math.min(this.#pixelsLeft, this.rest.length))
        this.#pixelsLeft -= bytes.length
        parts.push(this.pixels(bytes))
        continue
      }
      if (this.rest.length < 12) break
      const type = this.rest.toString('latin1', 4, 8)
      const length = this.rest.readUInt32BE(0)
      if (pixelParts.has(type)) {
        this.#pixelsLeft = length + 4
        parts.push(this.#taken(8))
        continue
      }
      if (length > maxPartBytes) throw new LeftOut('a part of the picture is too long')
      if (this.rest.length < length + 12) break
      this.#isEnded = type === 'IEND'
      const part = this.#taken(length + 12)
      parts.push(this.kept(part, packedAt(type, part)))
    }
    if (this.#isEnded && this.rest.length > maxPartBytes) this.rest = this.dropped()
    return parts
  }

  /** What stands behind the picture belongs to nothing. */
  protected override tail(): Buffer {
    return this.kept(this.rest)
  }

  #taken(length: number): Buffer {
    const taken = this.rest.subarray(0, length)
    this.rest = this.rest.subarray(length)
    return taken
  }
}

/** Where the packed text of a part begins; -1: nothing in it is packed. */
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
    const take = (length: number) => {
      const taken = this.rest.subarray(0, length)
      this.rest = this.rest.subarray(length)
      return taken
    }
    while (this.rest.length >= 4) {
      if (this.#isInPixels) {
        parts.push(this.pixels(take(this.rest.length)))
        continue
      }
      if (!this.#isBegun) {
        this.#isBegun = true
        parts.push(take(2))
        continue
      }
      if (this.rest[0] !== 0xff) throw new LeftOut('the picture can not be read')
      if (this.rest[1] === 0xff) {
        parts.push(take(1))
        continue
      }
      this.#isInPixels = this.rest[1] === 0xda
      if (this.#isInPixels) continue
      const length = this.rest.readUInt16BE(2) + 2
      if (this.rest.length < length) break
      parts.push(this.kept(take(length)))
    }
    return parts
  }

  protected override tail(): Buffer {
    return this.#isInPixels ? this.pixels(this.rest) : this.kept(this.rest)
  }
}
