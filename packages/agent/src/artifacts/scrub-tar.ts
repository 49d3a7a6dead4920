// Tar archives, in place: contents and names are masked without changing sizes, and checksums are recomputed.
import type { FormScan } from '../scrub/form-finder.ts'
import type { Scrubber } from '../scrub/scrub.ts'
import { contentKind } from './sniff.ts'
import { LeftOut, type Transform } from './transform.ts'

const blockBytes = 512
const checksum = { from: 148, to: 156 }
/** Name, target of a link, owner and group, prefix of a long name. */
const texts = [
  [0, 100],
  [157, 257],
  [265, 329],
  [345, 500],
] as const

export class TarScrub implements Transform {
  readonly #scrubber: Scrubber
  #rest: Buffer = Buffer.alloc(0)
  #contentLeft = 0
  #paddingLeft = 0
  #scan: FormScan | null = null
  #isAtBegin = false
  isChanged = false

  constructor(scrubber: Scrubber) {
    this.#scrubber = scrubber
  }

  push(chunk: Buffer): Buffer {
    this.#rest = Buffer.concat([this.#rest, chunk])
    const out: Buffer[] = []
    for (;;) {
      if (this.#contentLeft > 0) {
        // The first block shows the kind of a member.
        if (this.#rest.length < Math.min(blockBytes, this.#contentLeft)) break
        out.push(this.#content(this.#take(this.#contentLeft)))
      } else if (this.#paddingLeft > 0) {
        if (this.#rest.length === 0) break
        const padding = this.#take(this.#paddingLeft)
        this.#paddingLeft -= padding.length
        out.push(this.#zeros(padding))
      } else if (this.#rest.length >= blockBytes) out.push(this.#header(this.#take(blockBytes)))
      else break
    }
    return Buffer.concat(out)
  }

  end(): Buffer {
    if (this.#contentLeft > 0 || this.#paddingLeft > 0) throw new LeftOut("it isn't a complete tar archive")
    return this.#zeros(this.#rest)
  }

  #take(length: number): Buffer {
    const taken = this.#rest.subarray(0, length)
    this.#rest = this.#rest.subarray(length)
    return taken
  }

  #header(block: Buffer): Buffer {
    if (block.every((byte) => byte === 0)) return block
    const stated = Number.parseInt(block.toString('latin1', checksum.from, checksum.to), 8)
    if (stated !== sumOf(block)) throw new LeftOut("it isn't a complete tar archive")
    const size = block.toString('latin1', 124, 136).replace(/[\0 ]+$/, '')
    if (!/^[0-7]*$/.test(size)) throw new LeftOut('one of its members is too large')
    this.#contentLeft = Number.parseInt(size || '0', 8)
    this.#paddingLeft = (blockBytes - (this.#contentLeft % blockBytes)) % blockBytes
    this.#scan = this.#scrubber.scan({ keepsLength: true })
    this.#isAtBegin = true
    return this.#maskHeader(block)
  }

  #maskHeader(block: Buffer): Buffer {
    const masked = Buffer.from(block)
    for (const [from, to] of texts) {
      const scan = this.#scrubber.scan({ keepsLength: true })
      masked.write(scan.end(block.toString('latin1', from, to)), from, 'latin1')
    }
    if (masked.equals(block)) return block
    this.isChanged = true
    masked.write(`${sumOf(masked).toString(8).padStart(6, '0')}\0 `, checksum.from, 'latin1')
    return masked
  }

  /** A scan holds its last bytes back until `end` is called. */
  #content(bytes: Buffer): Buffer {
    const kind = this.#isAtBegin ? contentKind(bytes, '') : null
    if (kind === 'zip' || kind === 'gzip' || kind === 'tar' || kind === 'sealed') {
      throw new LeftOut('it contains an archive')
    }
    this.#isAtBegin = false
    this.#contentLeft -= bytes.length
    const text = bytes.toString('latin1')
    const scan = this.#scan
    const scrubbed = (this.#contentLeft === 0 ? scan?.end(text) : scan?.push(text)) ?? ''
    if ((scan?.found ?? 0) > 0) this.isChanged = true
    return Buffer.from(scrubbed, 'latin1')
  }

  #zeros(bytes: Buffer): Buffer {
    if (bytes.every((byte) => byte === 0)) return bytes
    this.isChanged = true
    return Buffer.alloc(bytes.length)
  }
}

/** The checksum field itself counts as spaces. */
function sumOf(block: Buffer): number {
  let sum = 0
  for (const [at, byte] of block.entries()) sum += at >= checksum.from && at < checksum.to ? 32 : byte
  return sum
}
