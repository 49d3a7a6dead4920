// Secret values out of everything that leaves a run, before it is written anywhere. One pass over a text, however many
// secrets there are. Scrub first and cut afterwards: a secret that is cut in two is no longer found.
import { isConfidentialRequestHeader, maskHeaderLines } from './confidential-headers.ts'
import { cutSecretMasker } from './cut-secrets.ts'
import { FormFinder, type FormScan, type ScanOptions } from './form-finder.ts'
import { plainForms, secretForms } from './secret-forms.ts'

export const mask = '*********'

export interface Scrubber {
  /** Else there is nothing to look for, and a scan finds nothing. */
  readonly hasSecrets: boolean
  /** A secret with asterisks in it can come about beside a mask: what was found in must be looked through again. */
  readonly canFormAnew: boolean
  text(text: string): string
  /**
   * A copy with every text and key scrubbed. Numbers only on demand: a foreign document may repeat a secret as a
   * number, while our own measurements must stay numbers.
   */
  json<T>(value: T, options?: { numbers: boolean }): T
  /** Over bytes, each given as one character (latin1). `quoted`: only secrets that have a quotation mark in them. */
  scan(options?: ScanOptions & { quoted?: boolean }): FormScan
}

export interface ScrubberOptions {
  /** Masks lines that repeat credentials of requests, as test runners print them. */
  headerLines?: boolean
}

export function createScrubber(secrets: Iterable<string>, options: ScrubberOptions = {}): Scrubber {
  const all = [...secrets]
  const forms = new Set<string>()
  for (const secret of all) for (const form of secretForms(secret)) forms.add(form)
  const hasSecrets = forms.size > 0
  const canFormAnew = [...forms].some((form) => form.includes('*'))
  const maskHeaders = (text: string) => (options.headerLines ? maskHeaderLines(text, mask) : text)
  const maskSecrets = hasSecrets ? secretMasker(forms, canFormAnew) : (text: string) => text
  const text = (given: string) => maskHeaders(maskSecrets(given))
  const isIdle = !hasSecrets && !options.headerLines
  let inBytes: FormFinder | null = null
  let quotedInBytes: FormFinder | null = null
  return {
    hasSecrets,
    canFormAnew,
    text,
    json: (value, { numbers } = { numbers: false }) =>
      isIdle ? value : (scrubJson(value, text, numbers, 0) as typeof value),
    scan({ quoted = false, ...scanOptions } = {}) {
      inBytes ??= new FormFinder(byteForms(forms, all), mask)
      quotedInBytes ??= new FormFinder(
        byteForms(forms, []).filter((form) => form.includes('"')),
        mask,
      )
      return (quoted ? quotedInBytes : inBytes).scan(scanOptions)
    },
  }
}

function secretMasker(forms: ReadonlySet<string>, canFormAnew: boolean): (text: string) => string {
  const finder = new FormFinder(forms, mask)
  const maskCut = cutSecretMasker(forms, mask)
  const masked = (text: string) => maskCut(scrubbed(finder, text, canFormAnew))
  return (text) => {
    if (!text.includes('\x1b[')) return masked(text)
    // A test runner colours the difference of two values: a secret in the midst of it is in pieces.
    const plain = withoutColours(text)
    const maskedPlain = masked(plain)
    return maskedPlain === plain ? masked(text) : maskedPlain
  }
}

export function withoutColours(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what colours are made of
  return text.replace(/\x1b\[[0-9;]*m/g, '')
}

function scrubbed(finder: FormFinder, given: string, canFormAnew: boolean): string {
  let scan = finder.scan()
  let text = scan.end(given)
  // Rare, so a text that resists is masked altogether.
  for (let pass = 0; canFormAnew && scan.found > 0; pass++) {
    if (pass === 5) return mask
    scan = finder.scan()
    text = scan.end(text)
  }
  return text
}

/** As they stand in a file: UTF-8, and the secrets themselves in UTF-16 too, which documents write in hex as well. */
function byteForms(forms: ReadonlySet<string>, secrets: readonly string[]): string[] {
  const latin1 = (bytes: Buffer) => bytes.toString('latin1')
  const wide = secrets.flatMap(plainForms).flatMap((plain) => {
    const bytes = Buffer.from(plain, 'utf16le')
    const swapped = Buffer.from(bytes).swap16()
    const hex = swapped.toString('hex')
    return [latin1(bytes), latin1(swapped), hex, hex.toUpperCase()]
  })
  return [...new Set([...Array.from(forms, (form) => latin1(Buffer.from(form))), ...wide])]
}

/** Credentials among the headers of a request, whether or not they came from a secret. */
export function maskRequestHeaders<V>(headers: Readonly<Record<string, V>>): Record<string, V | typeof mask> {
  const masked = Object.entries(headers).map(([name, value]) => {
    return [name, isConfidentialRequestHeader(name) ? mask : value] as const
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
