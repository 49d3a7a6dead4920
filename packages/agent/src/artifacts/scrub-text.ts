// Text.
import { maskHeaderLines } from '../scrub/confidential-headers.ts'
import type { FormScan } from '../scrub/form-finder.ts'
import { mask, type Scrubber, stripColors } from '../scrub/scrub.ts'
import type { Transform } from './transform.ts'

/** Longer lines are scrubbed in chunks; header lines are short. */
const maxLineChars = 256 * 1024

/** Text in any encoding that is compatible with ASCII. */
export class TextScrub implements Transform {
  readonly #scrubber: Scrubber
  readonly #scan: FormScan
  #line = ''
  #isMasked = false

  constructor(scrubber: Scrubber) {
    this.#scrubber = scrubber
    this.#scan = scrubber.scan()
  }

  get isChanged(): boolean {
    return this.#isMasked || this.#scan.isChanged
  }

  push(text: string): string {
    const all = this.#line + text
    const end = all.length > maxLineChars ? all.length : all.lastIndexOf('\n') + 1
    this.#line = all.slice(end)
    return this.#scan.push(this.#lines(all.slice(0, end)))
  }

  end(): string {
    return this.#scan.end(this.#lines(this.#line))
  }

  #lines(text: string): string {
    const masked = maskHeaderLines(this.#plain(text), mask)
    if (masked !== text) this.#isMasked = true
    return masked
  }

  /** Color sequences can split a secret: they are removed if they hide one. */
  #plain(text: string): string {
    if (!this.#scrubber.hasSecrets || !text.includes('\x1b[')) return text
    const plain = stripColors(text)
    const probe = this.#scrubber.scan()
    probe.end(plain)
    return probe.isChanged ? plain : text
  }
}
