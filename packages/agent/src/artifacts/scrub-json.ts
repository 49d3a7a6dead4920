// JSON and JSON Lines as a stream, string by string. What contains no secret stays byte for byte. A document of any size takes
// the memory of its longest string. The key of a string decides how it is scrubbed.
import { parseJson } from '../core/parse-json.ts'
import { isConfidentialHeader, maskHeaderLines } from '../scrub/confidential-headers.ts'
import { mask, type Scrubber } from '../scrub/scrub.ts'
import type { Transform } from './transform.ts'

/** `trace`: of a test runner or recorder (also HAR); `report`: its results; `foreign`: any other. */
export type JsonKind = 'trace' | 'report' | 'foreign'

/** The content isn't JSON, despite its name. */
export class NotJson extends Error {
  override name = 'NotJson'
}

interface Frame {
  isArray: boolean
  /** The key of its values; elements of an array have the key of the array. */
  key: string
  isAtKey: boolean
}

const maxTextChars = 64 * 1024 * 1024
const maxPairChars = 4 * 1024 * 1024
const maxAtomChars = 400
const maxDepth = 10_000

const [quote, backslash] = [0x22, 0x5c]
const atom = /^(?:true|false|null|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)$/
const betweenAtoms = /["{}[\],:\s]/g

export class JsonScrub implements Transform {
  readonly #scrubber: Scrubber
  readonly #kind: JsonKind
  readonly #frames: Frame[] = []
  #out: string[] = []
  /** The chunks of the current string; null: outside strings. */
  #text: string[] | null = null
  #textChars = 0
  #isEscaped = false
  #atom = ''
  /** A header or cookie, held back until its name and its value are known. */
  #pair: { depth: number; chars: number; before: string[] } | null = null
  isChanged = false

  constructor(scrubber: Scrubber, kind: JsonKind) {
    this.#scrubber = scrubber
    this.#kind = kind
  }

  push(chunk: string): string {
    for (let at = 0; at < chunk.length; ) at = this.#text ? this.#inText(chunk, at) : this.#between(chunk, at)
    return this.#flush()
  }

  end(): string {
    this.#endAtom()
    const isWhole = this.#text === null && this.#frames.length === 0
    // A run that was ended while writing leaves half a line: its last string is dropped.
    if (!isWhole && this.#kind === 'foreign') throw new NotJson('it is incomplete')
    if (!isWhole) this.isChanged = true
    return this.#flush()
  }

  #flush(): string {
    if (this.#pair) {
      const { before } = this.#pair
      this.#pair.before = []
      return before.join('')
    }
    const text = this.#out.join('')
    this.#out = []
    return text
  }

  #inText(chunk: string, from: number): number {
    let end = chunk.indexOf('"', from)
    while (end !== -1 && this.#isEscapedAt(chunk, end, from)) end = chunk.indexOf('"', end + 1)
    const piece = chunk.slice(from, end === -1 ? chunk.length : end)
    this.#text?.push(piece)
    this.#textChars += piece.length
    if (this.#textChars > maxTextChars) throw new NotJson('a string in it is too long')
    if (end === -1) {
      this.#isEscaped = this.#isEscapedAt(chunk, chunk.length, from)
      return chunk.length
    }
    const raw = (this.#text ?? []).join('')
    this.#text = null
    this.#endText(raw)
    return end + 1
  }

  /** By an odd number of backslashes before it; the first may be at the end of the previous chunk. */
  #isEscapedAt(chunk: string, at: number, from: number): boolean {
    let first = at
    while (first > from && chunk.charCodeAt(first - 1) === backslash) first -= 1
    return (at - first + (first === from && this.#isEscaped ? 1 : 0)) % 2 === 1
  }

  #between(chunk: string, at: number): number {
    const code = chunk.charCodeAt(at)
    betweenAtoms.lastIndex = at
    const next = betweenAtoms.exec(chunk)?.index ?? chunk.length
    if (next > at) {
      this.#atom += chunk.slice(at, next)
      if (this.#atom.length > maxAtomChars) throw new NotJson("it isn't JSON")
      return next
    }
    this.#endAtom()
    if (code === quote) {
      this.#text = []
      this.#textChars = 0
      this.#isEscaped = false
    } else this.#mark(chunk.charAt(at))
    return at + 1
  }

  #endAtom(): void {
    if (this.#atom === '') return
    if (!atom.test(this.#atom)) throw new NotJson("it isn't JSON")
    const isHidden = this.#kind === 'foreign' && this.#scrubber.text(this.#atom) !== this.#atom
    this.#write(isHidden ? encodeString(this.#scrubber.text(this.#atom)) : this.#atom, isHidden)
    this.#atom = ''
  }

  #mark(mark: string): void {
    const frame = this.#frames.at(-1)
    if (mark === '{' || mark === '[') {
      if (this.#frames.length === maxDepth) throw new NotJson('it is nested too deep')
      if (mark === '{' && frame?.isArray && !this.#pair && takesPairs(this.#kind, frame.key)) {
        this.#pair = { depth: this.#frames.length, chars: 0, before: this.#out }
        this.#out = []
      }
      this.#frames.push({ isArray: mark === '[', key: frame?.key ?? '', isAtKey: mark === '{' })
      this.#write(mark)
      return
    }
    this.#write(mark)
    if (mark === ',' && frame && !frame.isArray) frame.isAtKey = true
    else if (mark === ':' && frame) frame.isAtKey = false
    else if (mark === '}' || mark === ']') this.#close(mark)
  }

  #close(mark: string): void {
    const closed = this.#frames.pop()
    if (closed?.isArray !== (mark === ']')) throw new NotJson("it isn't JSON")
    if (this.#pair?.depth !== this.#frames.length) return
    const pair = this.#out.join('')
    const scrubbed = scrubPair(pair, this.#frames.at(-1)?.key ?? '')
    this.#out = this.#pair.before
    this.#pair = null
    this.#write(scrubbed, scrubbed !== pair)
  }

  #endText(raw: string): void {
    const frame = this.#frames.at(-1)
    const text = decodeString(raw)
    const scrubbed = frame?.isAtKey ? this.#scrubKey(text) : this.#scrubValue(text, frame?.key ?? '')
    if (frame?.isAtKey) frame.key = text
    this.#write(scrubbed === text ? `"${raw}"` : encodeString(scrubbed), scrubbed !== text)
  }

  #scrubKey(text: string): string {
    return this.#kind === 'trace' && traceKeyword.test(text) ? text : this.#scrubber.text(text)
  }

  #scrubValue(text: string, key: string): string {
    const scrubber = this.#scrubber
    if (this.#kind === 'trace' && isReference(key)) return isWholeSecret(text, scrubber) ? mask : text
    if (this.#kind !== 'foreign') {
      if (text !== '' && isConfidentialHeader(key)) return mask
      if (key === 'password' && this.#frames.at(-2)?.key === 'httpCredentials') return mask
      if (scrubber.hasSecrets && packed.test(text)) return mask
    }
    return maskHeaderLines(scrubber.text(text), mask)
  }

  #write(text: string, isChange = false): void {
    this.#out.push(text)
    if (isChange) this.isChanged = true
    if (!this.#pair) return
    this.#pair.chars += text.length
    if (this.#pair.chars > maxPairChars) throw new NotJson('a header in it is too long')
  }
}

/** Wire facts 7: references between the parts of a trace. */
const references = new Set(['pageref', 'downloadsPath', 'tracesDir', 'pageId'])
/** Keywords of the trace format. If one of them is also a secret, masking it would break the trace. */
const traceKeyword = /^_?[a-z][A-Za-z]{0,15}$/
/** Zip and gzip in base64. */
const packed = /^(?:data:application\/(?:zip|gzip|x-zip-compressed)[^,]{0,100},)?(?:UEsDB|H4sI)/

function isReference(key: string): boolean {
  return references.has(key) || key.toLowerCase().endsWith('sha1')
}

/** A reference that contains a secret by chance is kept; one that is a secret as a whole isn't. */
export function isWholeSecret(reference: string, scrubber: Scrubber): boolean {
  const [name = ''] = reference.split('.')
  return name !== mask && scrubber.text(name) === mask
}

/** Arrays of `{name, value}`. */
function takesPairs(kind: JsonKind, key: string): boolean {
  return kind !== 'foreign' && /headers$|^cookies$/i.test(key)
}

function scrubPair(json: string, key: string): string {
  const pair = parseJson(json)
  if (typeof pair !== 'object' || pair === null) return '{}'
  const { name, value }: { name?: unknown; value?: unknown } = pair
  const isHidden = key === 'cookies' || (typeof name === 'string' && isConfidentialHeader(name))
  if (!isHidden || typeof value !== 'string' || value === '' || value === mask) return json
  return JSON.stringify({ ...pair, value: mask })
}

const notPlain = /[^\x20-\x7e]|\\/

/** Decodes a JSON string (without quotes, latin1). */
function decodeString(raw: string): string {
  if (!notPlain.test(raw)) return raw
  const text = parseJson(`"${Buffer.from(raw, 'latin1').toString('utf8')}"`)
  if (typeof text !== 'string') throw new NotJson("it isn't JSON")
  return text
}

function encodeString(text: string): string {
  return Buffer.from(JSON.stringify(text), 'utf8').toString('latin1')
}
