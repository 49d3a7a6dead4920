// The forms in which the value of a secret can appear in the output of a run.

/** Parts of every URL and of our own masks: masking them would only make results unreadable. */
const neverMasked = new Set(['/', '*', '/artifact/', 'https://', 'http://', '*********', '123'])

/** choice: shorter values occur in every text by chance. */
const minSecretChars = 3

/** Base64 of a secret inside a longer text; shorter cores would match by chance. */
const minBase64Core = 6

/** Longer secrets are not spelled character by character: each form is up to six times as long. */
const maxSpelledChars = 1_024

/** Plain, URL-encoded, base64, hexadecimal, JSON-escaped, HTML-escaped and spelled; empty for what is never masked. */
export function secretForms(secret: string): Set<string> {
  const forms = new Set<string>()
  for (const plain of plainForms(secret)) {
    const text = plain.toWellFormed()
    for (const form of [plain, text, ...urlForms(text), ...jsonForms(text), ...htmlForms(text), slug(text)])
      forms.add(form)
    // What is encoded as bytes was often escaped for JSON or a URL before.
    for (const packed of new Set([text, escapeJson(text), encodeURIComponent(text)])) {
      for (const form of [...base64Forms(packed), ...hexForms(packed)]) forms.add(form)
    }
    if (text.length <= maxSpelledChars) for (const form of spelledForms(text)) forms.add(form)
  }
  return new Set([...forms].filter(canBeMasked))
}

/** Shorter lines of a secret occur in every text by chance. */
const minLineChars = 8
const maxLines = 200

/**
 * The value itself, trimmed as headers have it, and line by line as logs have it; empty for what is never masked.
 */
export function plainForms(secret: string): string[] {
  const lines = /[\r\n]/.test(secret.trim()) ? secret.split(/[\r\n]+/, maxLines) : []
  const wholeLines = lines.map((line) => line.trim()).filter((line) => line.length >= minLineChars)
  return [...new Set([secret, secret.trim(), ...wholeLines])].filter(canBeMasked)
}

function canBeMasked(text: string): boolean {
  return text.length >= minSecretChars && !neverMasked.has(text) && !/^[*\s-]*$/.test(text)
}

/** As test runners derive file names from titles. */
function slug(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are replaced too
  return text.replace(/[\x00-\x2c\x2e\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+/g, '-')
}

function urlForms(text: string): string[] {
  const component = encodeURIComponent(text)
  const form = new URLSearchParams([['', text]]).toString().slice(1)
  const strict = component.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
  // A URL inside another URL is encoded twice.
  const forms = [component, encodeURI(text), form, strict, encodeURIComponent(component)]
  return [...forms, ...forms.map((one) => one.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))]
}

function jsonForms(text: string): string[] {
  const escaped = escapeJson(text)
  const ascii = escaped.replace(
    /[\u0080-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const slashes = escaped.replaceAll('/', '\\/')
  const markup = escaped.replace(/[<>&']/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`)
  // JSON as a string inside JSON: a log line in a result.
  return [escaped, ascii, ascii.replace(/\\u[0-9a-f]{4}/g, upperCode), slashes, markup, escapeJson(escaped)]
}

const upperCode = (code: string) => `\\u${code.slice(2).toUpperCase()}`

function escapeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

function htmlForms(text: string): string[] {
  const markup = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const quoted = markup.replaceAll('"', '&quot;')
  return [
    markup,
    quoted,
    ...['&#39;', '&#x27;', '&apos;'].map((quote) => quoted.replaceAll("'", quote)),
  ].concat(markup.replaceAll('"', '&#34;').replaceAll("'", '&#39;'))
}

/** Each character or byte by its number: printed byte arrays, `&#104;`, `%68`, `\\u0068`. */
function spelledForms(text: string): string[] {
  const bytes = [...Buffer.from(text, 'utf8')]
  const hex = (code: number, width: number) => code.toString(16).padStart(width, '0')
  const points = [...text].map((char) => char.codePointAt(0) ?? 0)
  const units = Array.from({ length: text.length }, (_, index) => text.charCodeAt(index))
  const inHex = [
    bytes.map((byte) => `%${hex(byte, 2)}`).join(''),
    units.map((unit) => `\\u${hex(unit, 4)}`).join(''),
    points.map((point) => `&#x${hex(point, 0)};`).join(''),
    bytes.map((byte) => `0x${hex(byte, 2)}`).join(', '),
  ]
  return [
    bytes.join(),
    bytes.join(', '),
    bytes.join(' '),
    points.map((point) => `&#${point};`).join(''),
    ...inHex,
    ...inHex.map((form) =>
      form.replace(/(%|\\u|&#x|0x)([0-9a-f]+)/g, (_, mark, code) => mark + code.toUpperCase()),
    ),
  ]
}

/** Whole, and the part that is the same at each offset inside a longer text ("user:secret"). */
function base64Forms(text: string): string[] {
  const bytes = Buffer.from(text, 'utf8')
  const whole = bytes.toString('base64')
  const forms = [whole, whole.replace(/=+$/, '')]
  for (const offset of [0, 1, 2]) {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes])
    const from = Math.ceil((offset * 8) / 6)
    const to = Math.floor((shifted.length * 8) / 6)
    const encoded = shifted.toString('base64')
    if (to - from < minBase64Core) continue
    // Also with its end: in "user:secret" nothing follows it.
    const tail = encoded.slice(from)
    forms.push(encoded.slice(from, to), tail, tail.replace(/=+$/, ''))
  }
  const safe = forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))
  return [...forms, ...safe, ...forms.map(encodeURIComponent)]
}

/** Without spaces, and with spaces as buffers are printed. */
function hexForms(text: string): string[] {
  const lower = Buffer.from(text, 'utf8').toString('hex')
  const forms = [lower, lower.replace(/..(?=.)/g, '$& ')]
  return [...forms, ...forms.map((form) => form.toUpperCase())]
}
