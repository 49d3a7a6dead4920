// The body of a response: as text for assertions, and as evidence for the result.
import { isAscii } from 'node:buffer'
import type { ReadBody } from './read-body.ts'

export interface StoredBody {
  body: string
  bodyEncoding?: 'base64'
  truncated: boolean
}

/** The most that is read from the network. */
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
  const isUtf8 = charset === 'utf-8' || charset === 'utf8' || charset === 'us-ascii'
  return isUtf8 ? utf8Of(body) : decoderOf(charset).decode(body)
}

/**
 * `text`: the decoded body; null if it is too large to be decoded here. `wantsText`: an assertion reads the text, so it is
 * stored although its content type is binary.
 */
export function toStoredBody(
  { body, bodyBytes, truncated: isCut }: ReadBody,
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
  // As a stream, since a character may be split at the end.
  const whole =
    text ?? decoderOf(charsetOf(contentType)).decode(body.subarray(0, maxStoredBytes), { stream: true })
  const cut = cutControls(cutText(whole, maxStoredBytes), maxStoredBytes)
  const isWhole = text !== null && cut.length === whole.length && bodyBytes === body.length
  return { body: cut, truncated: isCut || !isWhole }
}

/** Results are JSON inside JSON, where an escaped control character takes seven characters. */
const controlChars = 7

/** A body of control characters would make the result seven times as large. */
function cutControls(text: string, maxChars: number): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is counted
  const controls = /[\0-\x08\x0b\x0c\x0e-\x1f]+/g
  let extra = 0
  for (const { 0: match, index } of text.matchAll(controls)) {
    const fitting = Math.floor((maxChars - index - extra) / controlChars)
    if (match.length > fitting) return text.slice(0, index + Math.max(0, fitting))
    extra += match.length * (controlChars - 1)
  }
  return text.length + extra <= maxChars ? text : text.slice(0, Math.max(0, maxChars - extra))
}

/** Truncates to a number of bytes in UTF-8, without splitting a character. */
export function cutText(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(maxBytes))
  return text.slice(0, read)
}

const isImage = (contentType: string) =>
  /^image\/(png|jpe?g|gif|webp|avif|bmp|x-icon|vnd\.microsoft\.icon)$/.test(mediaTypeOf(contentType))

const mediaTypeOf = (contentType: string) => (contentType.split(';', 1)[0] ?? '').trim().toLowerCase()

/** UTF-8 if the charset isn't known. */
function decoderOf(charset: string) {
  try {
    return new TextDecoder(charset)
  } catch {
    return new TextDecoder()
  }
}

function charsetOf(contentType: string): string {
  return /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8'
}

function utf8Of(body: Buffer): string {
  // Ten times as fast for ASCII.
  if (isAscii(body)) return body.toString('latin1')
  const hasByteOrderMark = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf
  return body.toString('utf8', hasByteOrderMark ? 3 : 0)
}
