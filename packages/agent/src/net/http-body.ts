// A response's body as text for assertions and as evidence for the result. Pure.

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
  const charset = /;\s*charset\s*=\s*"?([^\s;"]+)/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8'
  if (charset === 'utf-8' || charset === 'utf8' || charset === 'us-ascii') return utf8Of(body)
  try {
    return new TextDecoder(charset).decode(body)
  } catch {
    return utf8Of(body)
  }
}

/** `wantsText`: someone asserts on the text, so it is kept even where the type says that it is none. */
export function storedBody(
  body: Buffer,
  text: string | null,
  contentType: string,
  isCut: boolean,
  wantsText: boolean,
): StoredBody {
  if (isBinary(contentType) && !wantsText) {
    if (isImage(contentType) && body.length > 0 && body.length <= maxImageBytes && !isCut) {
      return { body: body.toString('base64'), bodyEncoding: 'base64', truncated: false }
    }
    return { body: `[${mediaTypeOf(contentType)}, ${body.length} bytes: not kept]`, truncated: isCut }
  }
  const whole = text ?? textOf(body.subarray(0, maxStoredBytes), contentType)
  const cut = cutText(whole, maxStoredBytes)
  return {
    body: cut,
    truncated: isCut || cut.length < whole.length || (text === null && body.length > maxStoredBytes),
  }
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

function utf8Of(body: Buffer): string {
  const hasMark = body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf
  return body.toString('utf8', hasMark ? 3 : 0)
}
