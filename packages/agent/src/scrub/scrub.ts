// Removes secret values from everything that leaves a run, before it is written anywhere. One pass over a text for any number
// of secrets. Scrub before truncating: a truncated secret isn't found.
import { isConfidentialRequestHeader, maskHeaderLines } from './confidential-headers.ts'
import { cutSecretMasker } from './cut-secrets.ts'
import { FormFinder, FormScan, type ScanOptions } from './form-finder.ts'
import { plainForms, secretForms } from './secret-forms.ts'

export const mask = '*********'

export interface Scrubber {
  /** False: scans find nothing. */
  readonly hasSecrets: boolean
  /** A mask can complete a secret that contains asterisks: masked text must be scanned again. */
  readonly canFormAnew: boolean
  text(text: string): string
  /** A copy with every string and key scrubbed. The agent's measurements must stay numbers. */
  json<T>(value: T): T
  /** Over bytes, each as one character (latin1). `quoted`: only secrets that contain a quotation mark. */
  scan(options?: ScanOptions & { quoted?: boolean }): FormScan
}

export interface ScrubberOptions {
  /** Masks lines that repeat credentials of requests, as test runners print them. */
  headerLines?: boolean
}

/** Most network runs have no secrets. */
const noSecrets = buildScrubber([], {})

export function createScrubber(secrets: Iterable<string>, options: ScrubberOptions = {}): Scrubber {
  const all = [...secrets]
  return all.length === 0 && !options.headerLines ? noSecrets : buildScrubber(all, options)
}

function buildScrubber(all: readonly string[], options: ScrubberOptions): Scrubber {
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
    json: (value) => (isIdle ? value : (scrubJson(value, text, 0) as typeof value)),
    scan({ quoted = false, ...scanOptions } = {}) {
      inBytes ??= new FormFinder(byteForms(forms, all), mask)
      quotedInBytes ??= new FormFinder(
        byteForms(forms, []).filter((form) => form.includes('"')),
        mask,
      )
      return new FormScan(quoted ? quotedInBytes : inBytes, scanOptions)
    },
  }
}

function secretMasker(forms: ReadonlySet<string>, canFormAnew: boolean): (text: string) => string {
  const finder = new FormFinder(forms, mask)
  const maskCut = cutSecretMasker(forms, mask)
  const maskIn = (text: string) => maskCut(scrubText(finder, text, canFormAnew))
  return (text) => {
    if (!text.includes('\x1b[')) return maskIn(text)
    // A test runner colors the difference of two values, which splits a secret inside it.
    const plain = stripColors(text)
    const maskedPlain = maskIn(plain)
    return maskedPlain === plain ? maskIn(text) : maskedPlain
  }
}

export function stripColors(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: color sequences begin with it
  return text.replace(/\x1b\[[0-9;]*m/g, '')
}

function scrubText(finder: FormFinder, given: string, canFormAnew: boolean): string {
  let text = given
  for (let pass = 0; pass < 6; pass++) {
    const scan = new FormScan(finder)
    text = scan.end(text)
    if (!scan.isChanged || !canFormAnew) return text
  }
  // Rare: the text still contained a secret after five passes.
  return mask
}

/** As files contain them: UTF-8, and the secrets themselves also in UTF-16, plain or in hex as in PDF documents. */
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

/** Masks credentials in the headers of a request, even if they don't come from a secret. */
export function maskRequestHeaders<V>(
  headers: Readonly<Record<string, V>>,
): Readonly<Record<string, V | typeof mask>> {
  const masked = Object.entries(headers).map(([name, value]) => {
    return [name, isConfidentialRequestHeader(name) ? mask : value] as const
  })
  return Object.fromEntries(masked)
}

const maxDepth = 200

function scrubJson(value: unknown, text: (given: string) => string, depth: number): unknown {
  if (typeof value === 'string') return text(value)
  if (typeof value !== 'object' || value === null) return value
  // No result is nested this deep.
  if (depth > maxDepth) return mask
  if (Array.isArray(value)) return value.map((element) => scrubJson(element, text, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([key, element]) => [text(key), scrubJson(element, text, depth + 1)]),
  )
}
