// A response's body as text for assertions and as evidence for the result. Pure.
import { isAscii } from 'node:buffer'

export interface StoredBody {
  body: string
  bodyEncoding?: 'base64'
  truncated: boolean
}

/** Read from the network at most. */
export const maxBodyBytes = 25_000_000
export const maxStoredBytes = 256_000
const maxImageBytes = 50_000

export function isJson(contentType: string): boolean {
  return /^(application|text)\/([\w.+-]+\+)?json$/.test(mediaTypeOf(contentType))
}

export function isBinary(contentType: string): boolean {
  return (
    isImage(contentType) ||
    /^(audio\/|video\/|application\/(pdf|zip|octet-stream|ogg)$)/.test(mediaTypeOf(contentType))
  )
}

export function textOf(body: Buffer, contentType: string): string {
  const charset = charsetOf(contentType)
  if (charset === 'utf-8' || charset === 'utf8' || charset === 'us-ascii') return utf8Of(body)
  try {
    return new TextDecoder(charset).decode(body)
  } catch {
    return utf8Of(body)
  }
}

/** What is stored of a body of which the beginning was kept. */
export interface KeptBody {
  body: Buffer
  /** Of the whole body. */
  bodyBytes: number
  /** There was more than is read. */
  truncated: boolean
}

/**
 * `text`: what is kept as text, null where that is too large to be decoded here. `wantsText`: an assertion reads the
 * text, so it is stored although its type says that it isn't text.
 */
export function storedBody(
  { body, bodyBytes, truncated: isCut }: KeptBody,
  text: string | null,
  contentType: string,
  wantsText: boolean,
): StoredBody {
  if (isBinary(contentType) && !wantsText) {
    if (isImage(contentType) && body.length > 0 && bodyBytes <= maxImageBytes && !isCut) {
      return { body: body.toString('base64'), bodyEncoding: 'base64', truncated: false }
    }
    return { body: `[${mediaTypeOf(contentType)}, ${bodyBytes} bytes: not kept]`, truncated: isCut }
  }
  const whole = text ?? beginningOf(body.subarray(0, maxStoredBytes), contentType)
  const cut = cutControls(cutText(whole, maxStoredBytes), maxStoredBytes)
  const isWhole = text !== null && cut.length === whole.length && bodyBytes === body.length
  return { body: cut, truncated: isCut || !isWhole }
}

/** As JSON inside of JSON, which is how results travel, such a character takes seven. */
const controlChars = 7

/** A result full of control characters, NUL above all, would be seven times as large as what it shows. */
function cutControls(text: string, maxChars: number): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is counted
  const controls = /[\0-\x08\x0b\x0c\x0e-\x1f]+/g
  let extra = 0
  for (const { 0: found, index } of text.matchAll(controls)) {
    const room = Math.floor((maxChars - index - extra) / controlChars)
    if (found.length > room) return text.slice(0, index + Math.max(0, room))
    extra += found.length * (controlChars - 1)
  }
  return text.length + extra <= maxChars ? text : text.slice(0, Math.max(0, maxChars - extra))
}

/** As much of a text as fits into so many bytes of UTF-8, no character split. */
export function cutText(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes))
  return text.slice(0, read)
}

const isImage = (contentType: string) =>
  /^image\/(png|jpe?g|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)$/.test(mediaTypeOf(contentType))

const mediaTypeOf = (contentType: string) => (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()

/** Without the character that the end of the bytes cuts in two. */
function beginningOf(bytes: Buffer, contentType: string): string {
  try {
    return new TextDecoder(charsetOf(contentType)).decode(bytes, { stream: true })
  } catch {
    return new TextDecoder().decode(bytes, { stream: true })
  }
}

function charsetOf(contentType: string): string {
  return /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8'
}

function utf8Of(body: Buffer): string {
  // Ten times as fast where there is nothing but ASCII.
  if (isAscii(body)) return body.toString('latin1')
  const hasMark = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf
  return body.toString('utf8', hasMark ? 3 : 0)
}
