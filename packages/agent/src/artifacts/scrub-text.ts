// Texts, and bytes of any kind.
import { maskHeaderLines } from '../scrub/confidential-headers.ts'
import type { FormScan } from '../scrub/form-finder.ts'
import { mask, type Scrubber, withoutColours } from '../scrub/scrub.ts'
import { TextTransform } from './transform.ts'

/** A longer line is looked through in pieces: lines of headers are short. */
const maxLineChars = 256 * 1024

/** Text of any encoding that has the ASCII characters at their places. */
export class TextScrub extends TextTransform {
  readonly #scrubber: Scrubber
  readonly #scan: FormScan
  #line = ''
  #isMasked = false

  constructor(scrubber: Scrubber) {
    super()
    this.#scrubber = scrubber
    this.#scan = scrubber.scan()
  }

  get isChanged(): boolean {
    return this.#isMasked || this.#scan.found > 0
  }

  protected override take(text: string): string {
    const all = this.#line + text
    const end = all.length > maxLineChars ? all.length : all.lastIndexOf('\n') + 1
    this.#line = all.slice(end)
    return this.#scan.push(this.#lines(all.slice(0, end)))
  }

  protected override finish(): string {
    return this.#scan.end(this.#lines(this.#line))
  }

  #lines(text: string): string {
    const masked = maskHeaderLines(this.#plain(text), mask)
    if (masked !== text) this.#isMasked = true
    return masked
  }

  /** Colours can stand in the midst of a secret: where they hide one they are given up. */
  #plain(text: string): string {
    if (!this.#scrubber.hasSecrets || !text.includes('\x1b[')) return text
    const plain = withoutColours(text)
    const probe = this.#scrubber.scan()
    probe.end(plain)
    return probe.found > 0 ? plain : text
  }
}

/** Whatever the scan does: with `keepsLength` bytes of any kind keep their places. */
export class BytesScrub extends TextTransform {
  readonly #scan: FormScan

  constructor(scan: FormScan) {
    super()
    this.#scan = scan
  }

  get isChanged(): boolean {
    return this.#scan.found > 0
  }

  protected override take(text: string): string {
    return this.#scan.push(text)
  }

  protected override finish(): string {
    return this.#scan.end()
  }
}
