// Images: what isn't needed to show them is removed. Pixels are the documented exception, but their bytes are searched.
import type { FormScan } from '../scrub/form-finder.ts'
import type { Scrubber } from '../scrub/scrub.ts'
import { LeftOut, type Transform } from './transform.ts'

/** Compressed pixels contain every short string by chance. */
const minChars = 6

interface Part {
  length: number
  isKept: boolean
}

abstract class ImageScrub implements Transform {
  readonly #scan: FormScan
  #rest: Buffer = Buffer.alloc(0)
  #isKept = true
  /** Of the current part. */
  #bytesLeft: number
  isChanged = false

  constructor(scrubber: Scrubber, headBytes: number) {
    this.#scan = scrubber.scan({ minChars })
    this.#bytesLeft = headBytes
  }

  /** The part that begins with these bytes; null: more of them are needed. */
  protected abstract partAt(bytes: Buffer): Part | null

  push(chunk: Buffer): Buffer {
    this.#rest = Buffer.concat([this.#rest, chunk])
    const kept: Buffer[] = []
    while (this.#rest.length > 0) {
      const part = this.#bytesLeft > 0 ? null : this.partAt(this.#rest)
      if (part) [this.#bytesLeft, this.#isKept] = [part.length, part.isKept]
      if (this.#bytesLeft === 0) break
      const bytes = this.#rest.subarray(0, this.#bytesLeft)
      this.#rest = this.#rest.subarray(bytes.length)
      this.#bytesLeft -= bytes.length
      if (this.#isKept) kept.push(bytes)
      else this.isChanged = true
    }
    const shown = Buffer.concat(kept)
    this.#scan.push(shown.toString('latin1'))
    this.#refuseSecrets()
    return shown
  }

  end(): Buffer {
    this.#scan.end(this.#rest.toString('latin1'))
    this.#refuseSecrets()
    return this.#rest
  }

  #refuseSecrets(): void {
    if (this.#scan.found > 0) throw new LeftOut('the bytes of the image contain a secret')
  }
}

/** Size, colors, pixels and frames: without texts, profiles and private parts. */
const shownParts = [
  'IHDR',
  'PLTE',
  'tRNS',
  'gAMA',
  'cHRM',
  'sRGB',
  'pHYs',
  'acTL',
  'fcTL',
  'fdAT',
  'IDAT',
  'IEND',
]

export class PngScrub extends ImageScrub {
  #isEnded = false

  constructor(scrubber: Scrubber) {
    super(scrubber, 8)
  }

  protected override partAt(bytes: Buffer): Part | null {
    if (this.#isEnded) return { length: Number.POSITIVE_INFINITY, isKept: false }
    if (bytes.length < 8) return null
    const type = bytes.toString('latin1', 4, 8)
    this.#isEnded = type === 'IEND'
    return { length: bytes.readUInt32BE(0) + 12, isKept: shownParts.includes(type) }
  }
}

const [startOfScan, comment, jfif, adobe, lastApp] = [0xda, 0xfe, 0xe0, 0xee, 0xef]

export class JpegScrub extends ImageScrub {
  constructor(scrubber: Scrubber) {
    super(scrubber, 2)
  }

  protected override partAt(bytes: Buffer): Part | null {
    if (bytes.length < 4) return null
    const [mark, type = 0] = bytes
    if (mark !== 0xff) throw new LeftOut("the image can't be read")
    // A byte of padding.
    if (type === 0xff) return { length: 1, isKept: true }
    // The pixels, up to the end.
    if (type === startOfScan) return { length: Number.POSITIVE_INFINITY, isKept: true }
    const isMetadata = type === comment || (type > jfif && type <= lastApp && type !== adobe)
    return { length: bytes.readUInt16BE(2) + 2, isKept: !isMetadata }
  }
}
