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

/** The part that begins with these bytes; null: more of them are needed. */
type PartAt = (bytes: string) => Part | null

class ImageScrub implements Transform {
  readonly #scan: FormScan
  readonly #partAt: PartAt
  #rest = ''
  #isKept = true
  /** Of the current part. */
  #bytesLeft: number
  isChanged = false

  constructor(scrubber: Scrubber, headBytes: number, partAt: PartAt) {
    this.#scan = scrubber.scan({ minChars })
    this.#bytesLeft = headBytes
    this.#partAt = partAt
  }

  push(chunk: string): string {
    this.#rest += chunk
    let shown = ''
    while (this.#rest !== '') {
      const part = this.#bytesLeft > 0 ? null : this.#partAt(this.#rest)
      if (part) [this.#bytesLeft, this.#isKept] = [part.length, part.isKept]
      if (this.#bytesLeft === 0) break
      const bytes = this.#rest.slice(0, this.#bytesLeft)
      this.#rest = this.#rest.slice(bytes.length)
      this.#bytesLeft -= bytes.length
      if (this.#isKept) shown += bytes
      else this.isChanged = true
    }
    this.#scan.push(shown)
    this.#refuseSecrets()
    return shown
  }

  end(): string {
    this.#scan.end(this.#rest)
    this.#refuseSecrets()
    return this.#rest
  }

  #refuseSecrets(): void {
    if (this.#scan.isChanged) throw new LeftOut('the bytes of the image contain a secret')
  }
}

/** Size, colors, pixels and frames: without texts, profiles and private parts. */
const shownParts = /^(?:IHDR|PLTE|tRNS|gAMA|cHRM|sRGB|pHYs|acTL|fcTL|fdAT|IDAT|IEND)$/

export function pngScrub(scrubber: Scrubber): Transform {
  let isEnded = false
  return new ImageScrub(scrubber, 8, (bytes) => {
    if (isEnded) return { length: Number.POSITIVE_INFINITY, isKept: false }
    if (bytes.length < 8) return null
    const type = bytes.slice(4, 8)
    isEnded = type === 'IEND'
    return {
      length: Buffer.from(bytes.slice(0, 4), 'latin1').readUInt32BE() + 12,
      isKept: shownParts.test(type),
    }
  })
}

const [startOfScan, comment, jfif, adobe, lastApp] = [0xda, 0xfe, 0xe0, 0xee, 0xef]

export function jpegScrub(scrubber: Scrubber): Transform {
  return new ImageScrub(scrubber, 2, (bytes) => {
    if (bytes.length < 4) return null
    const head = Buffer.from(bytes.slice(0, 4), 'latin1')
    const [mark, type = 0] = head
    if (mark !== 0xff) throw new LeftOut("the image can't be read")
    // A byte of padding.
    if (type === 0xff) return { length: 1, isKept: true }
    // The pixels, up to the end.
    if (type === startOfScan) return { length: Number.POSITIVE_INFINITY, isKept: true }
    const isMetadata = type === comment || (type > jfif && type <= lastApp && type !== adobe)
    return { length: head.readUInt16BE(2) + 2, isKept: !isMetadata }
  })
}
