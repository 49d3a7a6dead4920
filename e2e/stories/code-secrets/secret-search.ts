// Searches bytes for a secret: in plain text, encoded, and inside archives and compressed values.
import { gunzipSync, inflateSync, zstdDecompressSync } from 'node:zlib'
import { zipMembers } from '../../archives/zip-members.ts'

/** Written independently of the product: the code that masks secrets must not decide where to search. */
export function formsOf(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1)
  const ascii = json.replace(
    /[\u0080-\uffff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const hex = Buffer.from(secret).toString('hex')
  const url = encodeURIComponent(secret)
  const form = new URLSearchParams({ v: secret }).toString().slice(2)
  return [
    ...new Set([
      secret,
      url,
      url.toLowerCase(),
      form,
      encodeURI(secret),
      json,
      ascii,
      hex,
      hex.toUpperCase(),
    ]),
    ...base64Forms(secret),
  ]
}

/** At each of three offsets in a longer text; characters that depend on their neighbors are left out. */
function base64Forms(secret: string): string[] {
  return [0, 1, 2].flatMap((before) => {
    const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(secret)])
    const whole = bytes.toString('base64').replace(/=+$/, '')
    const sure = whole.slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6))
    return [sure, sure.replaceAll('+', '-').replaceAll('/', '_')]
  })
}

export interface Finding {
  location: string
  form: string
  around: string
}

/** In the bytes, in the name, and in everything that is compressed in them. */
export function findSecrets(location: string, bytes: Buffer, forms: readonly string[]): Finding[] {
  const found: Finding[] = []
  for (const form of forms) {
    if (location.includes(form)) found.push({ location: 'a name', form, around: location })
    const at = bytes.indexOf(form)
    if (at >= 0) found.push({ location, form, around: bytes.toString('utf8', Math.max(0, at - 60), at + 80) })
  }
  for (const { name, content } of unpacked(bytes)) {
    found.push(...findSecrets(`${location} › ${name}`, content, forms))
  }
  return found
}

const startsWith = (bytes: Buffer, ...magic: number[]) => magic.every((byte, index) => bytes[index] === byte)

function unpacked(bytes: Buffer): { name: string; content: Buffer }[] {
  try {
    if (startsWith(bytes, 0x50, 0x4b, 3, 4)) return zipMembers(bytes)
    if (startsWith(bytes, 0x1f, 0x8b)) return [{ name: 'gzip', content: gunzipSync(bytes) }]
    if (startsWith(bytes, 0x28, 0xb5, 0x2f, 0xfd))
      return [{ name: 'zstd', content: zstdDecompressSync(bytes) }]
    if (startsWith(bytes, 0x78)) return [{ name: 'deflate', content: inflateSync(bytes) }]
  } catch {
    // It only resembled one.
  }
  return []
}
