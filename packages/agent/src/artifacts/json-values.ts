// What becomes of one text of a JSON document, by where it stands. Texts of documents are latin1, one character a byte.
import { isConfidentialHeader, maskHeaderLines } from '../scrub/confidential-headers.ts'
import { mask, type Scrubber } from '../scrub/scrub.ts'

/** `trace`: of a test runner or recorder (also HAR); `report`: its results; `foreign`: anybody's. */
export type JsonKind = 'trace' | 'report' | 'foreign'

interface Place {
  kind: JsonKind
  isKey: boolean
  /** The key that a value stands under, and the one around that. */
  key: string
  outer: string
}

/** Wire facts 7: references between the parts of a trace. */
const references = new Set(['pageref', 'downloadsPath', 'tracesDir', 'pageId'])
/** The words of a trace's own grammar: who has a secret of such a word has no trace else. */
const ownWord = /^_?[a-z][A-Za-z]{0,15}$/
/** Zip and gzip in base64. */
const packed = /^(?:data:application\/(?:zip|gzip|x-zip-compressed)[^,]{0,100},)?(?:UEsDB|H4sI)/

export function scrubValue(text: string, { kind, isKey, key, outer }: Place, scrubber: Scrubber): string {
  if (isKey) return kind === 'trace' && ownWord.test(text) ? text : scrubber.text(text)
  if (kind === 'foreign') return maskHeaderLines(scrubber.text(text), mask)
  if (kind === 'trace' && isReference(key)) return isWholly(text, scrubber) ? mask : text
  if (text !== '' && isConfidentialHeader(key)) return mask
  if (key === 'password' && outer === 'httpCredentials') return mask
  if (scrubber.hasSecrets && packed.test(text)) return mask
  return maskHeaderLines(scrubber.text(text), mask)
}

function isReference(key: string): boolean {
  return references.has(key) || key.toLowerCase().endsWith('sha1')
}

/** A reference that has a secret in it by chance stays; a secret that is called one does not. */
export function isWholly(reference: string, scrubber: Scrubber): boolean {
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

/** The text that is written so, as the rest of the agent has it. Throws where that is no JSON. */
export function textOf(raw: string): string {
  if (!notPlain.test(raw)) return raw
  return JSON.parse(`"${Buffer.from(raw, 'latin1').toString('utf8')}"`)
}

export function writtenText(text: string): string {
  return Buffer.from(JSON.stringify(text), 'utf8').toString('latin1')
}
