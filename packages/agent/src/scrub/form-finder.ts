// Finds any number of strings in one pass over a text and replaces them by a mask. The text can come in chunks of any size;
// matches across chunk borders are found too.

export interface ScanOptions {
  /** Masks with as many asterisks as there were characters, so that offsets stay valid. */
  keepsLength?: boolean
  /** Shorter matches are ignored: for bytes that contain every short string by chance. */
  minChars?: number
}

/** A longer form is searched by its head; then as much is masked as matches, since half a key is confidential too. */
const maxHeadChars = 64

interface LongForm {
  text: string
  /** Index in the list of compared offsets. */
  index: number
}

export class FormFinder {
  /** By the hash of three characters, whether a form begins with them. Rules out most positions of a text. */
  readonly filter = new Uint8Array(0x10000)
  /** The heads of all forms, by their first three characters, then by length. */
  readonly #heads = new Map<number, Map<number, Map<string, LongForm[]>>>()
  readonly mask: string
  longForms = 0
  /** Characters of the longest form. */
  longest = 3

  constructor(forms: Iterable<string>, mask: string) {
    this.mask = mask
    for (const form of forms) this.#add(form)
  }

  #add(form: string): void {
    const head = form.slice(0, maxHeadChars)
    const [a, b, c] = [head.charCodeAt(0), head.charCodeAt(1), head.charCodeAt(2)]
    this.filter[hash(a, b, c)] = 1
    const byLength = entry(this.#heads, key(a, b, c), () => new Map<number, Map<string, LongForm[]>>())
    const heads = entry(byLength, head.length, () => new Map<string, LongForm[]>())
    const longForms = entry(heads, head, (): LongForm[] => [])
    this.longest = Math.max(this.longest, form.length)
    if (form.length > maxHeadChars) longForms.push({ text: form, index: this.longForms++ })
  }

  /** The end of the longest form that begins here; -1: none does. */
  endOfMatch(text: string, at: number, compared: number[]): number {
    let end = -1
    const firstThree = key(text.charCodeAt(at), text.charCodeAt(at + 1), text.charCodeAt(at + 2))
    for (const [length, heads] of this.#heads.get(firstThree) ?? []) {
      const longForms = heads.get(text.slice(at, at + length))
      if (longForms === undefined || at + length > text.length) continue
      end = Math.max(end, at + length)
      for (const long of longForms) end = Math.max(end, endOfAgreement(text, at, long, compared))
    }
    return end
  }
}

/** One pass over one text. */
export class FormScan {
  readonly #finder: FormFinder
  readonly #keepsLength: boolean
  readonly #minChars: number
  /** The offset up to which each long form has been compared. Keeps the work linear in repetitive texts. */
  readonly #compared: number[]
  /** Can't be decided before more of the text is known. */
  #pending = ''
  /** `#pending` is already written out up to this offset. */
  #doneTo = 0
  #isAfterMask = false
  /** Whether a form was found and masked. */
  isChanged = false

  constructor(finder: FormFinder, { keepsLength = false, minChars = 0 }: ScanOptions = {}) {
    this.#finder = finder
    this.#keepsLength = keepsLength
    this.#minChars = minChars
    this.#compared = new Array<number>(finder.longForms).fill(0)
  }

  push(text: string): string {
    const all = this.#pending + text
    return this.#advance(all, Math.max(0, all.length - this.#finder.longest + 1))
  }

  end(text = ''): string {
    const all = this.#pending + text
    return this.#advance(all, all.length)
  }

  #advance(text: string, limit: number): string {
    let scrubbed = ''
    let [a, b] = [text.charCodeAt(0), text.charCodeAt(1)]
    const { filter } = this.#finder
    const stop = Math.min(limit, text.length - 2)
    for (let at = 0; at < stop; at++) {
      const c = text.charCodeAt(at + 2)
      const isCandidate = filter[hash(a, b, c)] === 1
      a = b
      b = c
      if (!isCandidate) continue
      const end = this.#finder.endOfMatch(text, at, this.#compared)
      if (end !== -1 && end - at >= this.#minChars) scrubbed += this.#maskMatch(text, at, end)
    }
    if (this.#doneTo < limit) {
      scrubbed += text.slice(this.#doneTo, limit)
      this.#doneTo = limit
      this.#isAfterMask = false
    }
    this.#pending = text.slice(limit)
    this.#doneTo -= limit
    for (const [index, to] of this.#compared.entries()) this.#compared[index] = Math.max(0, to - limit)
    return scrubbed
  }

  /** Matches that overlap or touch become one mask. */
  #maskMatch(text: string, at: number, end: number): string {
    let scrubbed = ''
    if (at > this.#doneTo || !this.#isAfterMask) {
      scrubbed = text.slice(this.#doneTo, at) + (this.#keepsLength ? '' : this.#finder.mask)
      this.#doneTo = at
      this.#isAfterMask = true
      this.isChanged = true
    }
    if (end <= this.#doneTo) return scrubbed
    if (this.#keepsLength) scrubbed += '*'.repeat(end - this.#doneTo)
    this.#doneTo = end
    return scrubbed
  }
}

function endOfAgreement(text: string, at: number, { text: form, index }: LongForm, compared: number[]) {
  if (at < (compared[index] ?? 0) - maxHeadChars) return -1
  let length = maxHeadChars
  while (
    length < form.length &&
    at + length < text.length &&
    text.charCodeAt(at + length) === form.charCodeAt(length)
  ) {
    length += 1
  }
  compared[index] = at + length
  return at + length
}

function hash(a: number, b: number, c: number): number {
  return ((a * 31 + b) * 31 + c) & 0xffff
}

function key(a: number, b: number, c: number): number {
  return (a * 0x10000 + b) * 0x10000 + c
}

function entry<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}
