// Secret values out of everything that leaves a run, before it is written anywhere. One pass over a text, however many
// secrets there are. Scrub first and cut afterwards: a secret that is cut in two is no longer found.
import { cutSecretMasker } from './cut-secrets.ts'
import { secretForms } from './secret-forms.ts'

export const mask = '*********'

export interface Scrubber {
  text(text: string): string
  /**
   * A copy with every text and key scrubbed. Numbers only on demand: a foreign document may repeat a secret as a
   * number, while our own measurements must stay numbers.
   */
  json<T>(value: T, options?: { numbers: boolean }): T
}

export function createScrubber(secrets: Iterable<string>): Scrubber {
  const forms = new Set<string>()
  for (const secret of secrets) for (const form of secretForms(secret)) forms.add(form)
  if (forms.size === 0) return { text: (text) => text, json: (value) => value }
  const finder = new FormFinder(forms)
  const maskCut = cutSecretMasker(forms, mask)
  const text = (given: string) => maskCut(finder.scrub(given))
  return {
    text,
    json: (value, options) => scrubJson(value, text, options?.numbers === true, 0) as typeof value,
  }
}

const confidentialHeaders = new Set(['authorization', 'proxy-authorization', 'cookie', 'x-api-key'])

/** Credentials among the headers of a request, whether or not they came from a secret. */
export function maskRequestHeaders<V>(headers: Readonly<Record<string, V>>): Record<string, V | typeof mask> {
  const masked = Object.entries(headers).map(([name, value]) => {
    return [name, confidentialHeaders.has(name.toLowerCase()) ? mask : value] as const
  })
  return Object.fromEntries(masked)
}

const maxDepth = 200

function scrubJson(
  value: unknown,
  text: (given: string) => string,
  numbers: boolean,
  depth: number,
): unknown {
  if (typeof value === 'string') return text(value)
  if (typeof value === 'number') return numbers && text(String(value)) !== String(value) ? mask : value
  if (typeof value !== 'object' || value === null) return value
  // What is nested deeper than any result is not worth a leak.
  if (depth > maxDepth) return mask
  if (Array.isArray(value)) return value.map((element) => scrubJson(element, text, numbers, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, element]) => [text(key), scrubJson(element, text, numbers, depth + 1)]),
  )
}

/** Of a longer form its beginning is looked for, and then as much is masked as agrees: half a key is confidential too. */
const maxHeadChars = 64

interface LongForm {
  text: string
  /** Up to where it has been compared in the text at hand: keeps the work linear in texts that repeat themselves. */
  comparedTo: number
}

class FormFinder {
  /** Whether any form begins with these three characters, hashed: what most positions of a text are dismissed by. */
  readonly #filter = new Uint8Array(0x10000)
  /** By the first three characters, then by length, the heads of all forms. */
  readonly #heads = new Map<number, Map<number, Map<string, LongForm[]>>>()
  readonly #longForms: LongForm[] = []
  readonly #canFormAnew: boolean

  constructor(forms: ReadonlySet<string>) {
    for (const form of forms) this.#add(form)
    this.#canFormAnew = [...forms].some((form) => form.includes('*'))
  }

  #add(form: string): void {
    const head = form.slice(0, maxHeadChars)
    const [a, b, c] = [head.charCodeAt(0), head.charCodeAt(1), head.charCodeAt(2)]
    this.#filter[hash(a, b, c)] = 1
    const byLength = entry(this.#heads, key(a, b, c), () => new Map<number, Map<string, LongForm[]>>())
    const heads = entry(byLength, head.length, () => new Map<string, LongForm[]>())
    const longForms = entry(heads, head, (): LongForm[] => [])
    if (form.length <= maxHeadChars) return
    const long = { text: form, comparedTo: 0 }
    longForms.push(long)
    this.#longForms.push(long)
  }

  scrub(text: string): string {
    let scrubbed = this.#pass(text)
    // A secret with asterisks in it can come about beside a mask. Rare, so a text that resists is masked altogether.
    for (let pass = 0; this.#canFormAnew && scrubbed !== text; pass++) {
      if (pass === 5) return mask
      text = scrubbed
      scrubbed = this.#pass(text)
    }
    return scrubbed
  }

  #pass(text: string): string {
    for (const long of this.#longForms) long.comparedTo = 0
    let scrubbed = ''
    let copiedTo = 0
    let maskedFrom = -1
    let maskedTo = -1
    let [a, b] = [text.charCodeAt(0), text.charCodeAt(1)]
    for (let at = 0; at + 2 < text.length; at++) {
      const c = text.charCodeAt(at + 2)
      const end = this.#filter[hash(a, b, c)] === 1 ? this.#endOfMatch(text, at, key(a, b, c)) : -1
      a = b
      b = c
      if (end === -1) continue
      if (at > maskedTo) {
        if (maskedTo !== -1) {
          scrubbed += text.slice(copiedTo, maskedFrom) + mask
          copiedTo = maskedTo
        }
        maskedFrom = at
      }
      // Matches that overlap are one mask: none may leave its end behind.
      maskedTo = Math.max(maskedTo, end)
    }
    return maskedTo === -1 ? text : scrubbed + text.slice(copiedTo, maskedFrom) + mask + text.slice(maskedTo)
  }

  #endOfMatch(text: string, at: number, firstThree: number): number {
    let end = -1
    for (const [length, heads] of this.#heads.get(firstThree) ?? []) {
      const longForms = heads.get(text.slice(at, at + length))
      if (longForms === undefined || at + length > text.length) continue
      end = Math.max(end, at + length)
      for (const long of longForms) end = Math.max(end, endOfAgreement(text, at, long))
    }
    return end
  }
}

function endOfAgreement(text: string, at: number, long: LongForm): number {
  if (at < long.comparedTo - maxHeadChars) return -1
  let length = maxHeadChars
  while (
    length < long.text.length &&
    at + length < text.length &&
    text.charCodeAt(at + length) === long.text.charCodeAt(length)
  ) {
    length += 1
  }
  long.comparedTo = at + length
  return long.comparedTo
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
