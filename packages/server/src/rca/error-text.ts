// Extracts the error that a failing response states: JSON (RFC 9457 problem details and common fields), the title of an HTML error
// page, or plain text. Nothing else of a body is part of an analysis.

interface ResponseBody {
  status: number
  contentType: string
  body: string
  truncated: boolean
}

/** Rules quote less. Secrets are masked after this cut and before theirs, so no part of a secret remains. */
const longest = 2_000
/** Bounds the time of the patterns. */
const longestSearched = 64_000

/** Null: the body states no error. Below status 400, only fields named after errors count. */
export function errorTextOf({ status, contentType, body, truncated }: ResponseBody): string | null {
  const isError = status >= 400
  const text = body.slice(0, longestSearched)
  const structured =
    inJson(body, isError) ?? (isError ? (inBrokenJson(text) ?? inMarkup(text, contentType)) : null)
  const error = structured ?? (isError && !truncated ? inPlainText(text, contentType) : null)
  const line = error?.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim() ?? ''
  return line === '' ? null : withoutCredentials(line.slice(0, longest))
}

function inJson(body: string, isError: boolean): string | null {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch {
    return null
  }
  if (typeof value === 'string') return isError ? value : null
  return typeof value === 'object' && value !== null ? fromObject(value, isError, 0) : null
}

const errorFields = [
  'error',
  'errors',
  'error_description',
  'errorMessage',
  'error_message',
  'exception',
  'fault',
]
const messageFields = ['detail', 'message', 'msg', 'reason', 'title', 'description', 'faultstring']
const maxDepth = 3

function fromObject(value: object, isError: boolean, depth: number): string | null {
  if (depth > maxDepth) return null
  if (Array.isArray(value)) return fromValue(value[0], isError, depth + 1)
  const fields = new Map<string, unknown>(Object.entries(value))
  const [title, detail] = [fields.get('title'), fields.get('detail')]
  if (isError && typeof title === 'string' && typeof detail === 'string') return `${title}: ${detail}`
  const firstOf = (names: readonly string[]) =>
    names.map((name) => fromValue(fields.get(name), true, depth + 1)).find((text) => text !== null)
  // Both, because of `{"error":"Bad Request","message":"The cart is empty"}`.
  const error = firstOf(errorFields)
  const message = isError ? firstOf(messageFields) : undefined
  if (error && message && error !== message) return `${error}: ${message}`
  return error ?? message ?? null
}

function fromValue(value: unknown, isError: boolean, depth: number): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value
  return typeof value === 'object' && value !== null ? fromObject(value, isError, depth) : null
}

/** Truncated JSON may still state its error. */
function inBrokenJson(text: string): string | null {
  if (!/^\s*[[{]/.test(text)) return null
  const value = /"(?:error|message|detail|title|error_description)"\s*:\s*"((?:[^"\\]|\\.){1,1000})"/.exec(
    text,
  )?.[1]
  return value === undefined ? null : unescapeJson(value)
}

function unescapeJson(text: string): string {
  try {
    return String(JSON.parse(`"${text}"`))
  } catch {
    return text
  }
}

function inMarkup(text: string, contentType: string): string | null {
  if (!/\b(?:html|xml)\b/i.test(contentType) && !/^\s*<(?:!doctype|html|\?xml)/i.test(text)) return null
  const parts = ['title', 'h1'].flatMap((tag) => {
    const inner = new RegExp(`<${tag}(?:\\s[^<>]{0,500})?>([^]{0,1000}?)</${tag}\\s*>`, 'i').exec(text)?.[1]
    const plain = inner === undefined ? '' : decodeEntities(inner.replaceAll(/<[^<>]{0,500}>/g, ' ')).trim()
    return plain === '' ? [] : [plain]
  })
  const distinct = [...new Set(parts)]
  return distinct.length === 0 ? null : distinct.join(': ')
}

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

function decodeEntities(text: string): string {
  return text.replaceAll(/&(?:#(\d{1,6})|(\w{2,6}));/g, (whole, number, name) =>
    number === undefined
      ? (entities[name] ?? whole)
      : String.fromCodePoint(Math.min(Number(number), 0x10ffff)),
  )
}

/** An error in plain text is a few lines; anything longer is something else. */
function inPlainText(text: string, contentType: string): string | null {
  if (contentType !== '' && !/^text\/plain/i.test(contentType)) return null
  if (/^\s*[<[{]/.test(text) || text.length > longest) return null
  // biome-ignore lint/suspicious/noControlCharactersInRegex: binary data is recognized by them
  return /[\u0000-\u0008\u000e-\u001f\ufffd]/.test(text) ? null : text
}

const mask = '*********'

/** Error texts quote connection strings and headers. Values of the account's own secrets are masked elsewhere. */
function withoutCredentials(text: string): string {
  return text
    .replaceAll(/(\w:\/\/)[^\s/@:]{0,200}:[^\s/@]{1,200}@/g, `$1${mask}@`)
    .replaceAll(/\b(Bearer|Basic) +[\w.~+/=-]{8,}/gi, `$1 ${mask}`)
    .replaceAll(
      /\b(\w{0,40}(?:password|passwd|pwd|secret|token|api[_-]?key|access[_-]?key))(["']?\s{0,3}[=:]\s{0,3}["']?)[^\s"',;&}]{1,500}/gi,
      `$1$2${mask}`,
    )
    .replaceAll(/\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]*/g, mask)
}
