// The forms in which the value of a secret can turn up in what a run leaves.

/** What is never masked: parts of every address and of our own masks; hiding them would hide nothing but the result. */
const neverMasked = new Set(['/', '*', '/artifact/', 'https://', 'http://', '*********', '123'])

/** choice: shorter values are in every text by chance. */
const minSecretChars = 3

/** Base64 of a secret inside of something longer; shorter cores would be found by chance. */
const minBase64Core = 6

/** Plain, URL-encoded, base64, JSON-escaped and HTML-escaped; empty for what is never masked. */
export function secretForms(secret: string): Set<string> {
  const forms = new Set<string>()
  // A trailing line break is lost on the way into a header.
  for (const plain of new Set([secret, secret.trim()])) {
    if (!canBeMasked(plain)) continue
    const text = plain.toWellFormed()
    for (const form of [plain, text, ...urlForms(text), ...jsonForms(text), ...htmlForms(text)])
      forms.add(form)
    for (const form of base64Forms(text)) forms.add(form)
  }
  return new Set([...forms].filter(canBeMasked))
}

function canBeMasked(text: string): boolean {
  return text.length >= minSecretChars && !neverMasked.has(text) && !/^[*\s]*$/.test(text)
}

function urlForms(text: string): string[] {
  const component = encodeURIComponent(text)
  const form = new URLSearchParams([['', text]]).toString().slice(1)
  const strict = component.replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
  const forms = [component, encodeURI(text), form, strict]
  return [...forms, ...forms.map((one) => one.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()))]
}

function jsonForms(text: string): string[] {
  const escaped = jsonEscaped(text)
  const ascii = escaped.replace(
    /[\u0080-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const slashes = escaped.replaceAll('/', '\\/')
  const markup = escaped.replace(/[<>&']/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`)
  // JSON as a text inside of JSON: a log line in a result.
  return [escaped, ascii, slashes, markup, jsonEscaped(escaped)]
}

function jsonEscaped(text: string): string {
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

/** Whole, and the part that stays the same wherever it begins inside of something longer ("user:secret"). */
function base64Forms(text: string): string[] {
  const bytes = Buffer.from(text, 'utf8')
  const whole = bytes.toString('base64')
  const forms = [whole, whole.replace(/=+$/, '')]
  for (const offset of [0, 1, 2]) {
    const shifted = Buffer.concat([Buffer.alloc(offset), bytes])
    const from = Math.ceil((offset * 8) / 6)
    const to = Math.floor((shifted.length * 8) / 6)
    if (to - from >= minBase64Core) forms.push(shifted.toString('base64').slice(from, to))
  }
  return [...forms, ...forms.map((form) => form.replaceAll('+', '-').replaceAll('/', '_'))]
}
