// Which kind of image some bytes are. The content type that a server sends isn't trusted: browsers decide by the bytes too.

const ascii = (text: string) => Buffer.from(text, 'latin1')
const hasAt = (bytes: Buffer, start: number, expected: Buffer) =>
  bytes.subarray(start, start + expected.length).equals(expected)

const rasterTypes: readonly (readonly [type: string, matches: (bytes: Buffer) => boolean])[] = [
  ['image/png', (bytes) => hasAt(bytes, 0, ascii('\x89PNG\r\n\x1a\n'))],
  ['image/jpeg', (bytes) => hasAt(bytes, 0, ascii('\xff\xd8\xff'))],
  ['image/gif', (bytes) => hasAt(bytes, 0, ascii('GIF87a')) || hasAt(bytes, 0, ascii('GIF89a'))],
  ['image/webp', (bytes) => hasAt(bytes, 0, ascii('RIFF')) && hasAt(bytes, 8, ascii('WEBP'))],
  ['image/avif', (bytes) => hasAt(bytes, 4, ascii('ftypavif')) || hasAt(bytes, 4, ascii('ftypavis'))],
  ['image/x-icon', (bytes) => hasAt(bytes, 0, ascii('\0\0\x01\0')) && bytes.length > 22],
]

/** Null: it isn't a raster image that pages show. */
export function rasterTypeOf(bytes: Buffer): string | null {
  return rasterTypes.find(([, matches]) => matches(bytes))?.[0] ?? null
}
