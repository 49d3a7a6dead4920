// Scrubs one string of a JSON document, by its kind and its keys. Documents are read as latin1, one character per byte.
import { isConfidentialHeader, maskHeaderLines } from '../scrub/confidential-headers.ts'
import { mask, type Scrubber } from '../scrub/scrub.ts'

/** `trace`: of a test runner or recorder (also HAR); `report`: its results; `foreign`: any other. */
export type JsonKind = 'trace' | 'report' | 'foreign'

interface StringContext {
  kind: JsonKind
  isKey: boolean
  /** The key of the value, and the key of the object around it. */
  key: string
  outer: string
}

/** Wire facts 7: references between the parts of a trace. */
const references = new Set(['pageref', 'downloadsPath', 'tracesDir', 'pageId'])
/** Keywords of the trace format. If one of them is also a secret, masking it would break the trace. */
const traceKeyword = /^_?[a-z][A-Za-z]{0,15}$/
/** Zip and gzip in base64. */
const packed = /^(?:data:application\/(?:zip|gzip|x-zip-compressed)[^,]{0,100},)?(?:UEsDB|H4sI)/

export function scrubValue(
  text: string,
  { kind, isKey, key, outer }: StringContext,
  scrubber: Scrubber,
): string {
  if (isKey) return kind === 'trace' && traceKeyword.test(text) ? text : scrubber.text(text)
  if (kind === 'foreign') return maskHeaderLines(scrubber.text(text), mask)
  if (kind === 'trace' && isReference(key)) return isWholeSecret(text, scrubber) ? mask : text
  if (text !== '' && isConfidentialHeader(key)) return mask
  if (key === 'password' && outer === 'httpCredentials') return mask
  if (scrubber.hasSecrets && packed.test(text)) return mask
  return maskHeaderLines(scrubber.text(text), mask)
}

function isReference(key: string): boolean {
  return references.has(key) || key.toLowerCase().endsWith('sha1')
}

/** A reference that contains a secret by chance is kept; one that is a secret as a whole isn't. */
export function isWholeSecret(reference: string, scrubber: Scrubber): boolean {
  const [name = ''] = reference.split('.')
  return name !== mask && scrubber.text(name) === mask
}

/** Arrays of `{name, value}`. */
export function takesPairs(kind: JsonKind, key: string): boolean {
  return kind !== 'foreign' && /headers$|^cookies$/i.test(key)
}

export function scrubPair(json: string, key: string): string {
  let pair: { name?: unknown; value?: unknown }
  try {
    pair = JSON.parse(json)
  } catch {
    return '{}'
  }
  const { name, value } = pair
  const isHidden = key === 'cookies' || (typeof name === 'string' && isConfidentialHeader(name))
  if (!isHidden || typeof value !== 'string' || value === '' || value === mask) return json
  return JSON.stringify({ ...pair, value: mask })
}

const notPlain = /[^\x20-\x7e]|\\/

/** Decodes a JSON string (without quotes, latin1). Throws if it isn't valid JSON. */
export function decodeString(raw: string): string {
  if (!notPlain.test(raw)) return raw
  return JSON.parse(`"${Buffer.from(raw, 'latin1').toString('utf8')}"`)
}

export function encodeString(text: string): string {
  return Buffer.from(JSON.stringify(text), 'utf8').toString('latin1')
}
