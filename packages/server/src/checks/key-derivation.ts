// Limits the work of decrypting a private key. The key itself names the number of iterations, and OpenSSL would block the event
// loop for them, so they are read first.

const maxIterations = 1_000_000
const integer = 0x02
const objectId = 0x06
const constructed = 0x20
const scrypt = Buffer.from('2b06010401da47040b', 'hex')

export function derivationIsBounded(pem: string): boolean {
  // OpenSSL ignores the label: it decrypts an encrypted key under the plain label too.
  for (const [, base64 = ''] of pem.matchAll(/-----BEGIN (?:ENCRYPTED )?PRIVATE KEY-----([^-]*)/g)) {
    try {
      if (!algorithmIsBounded(Buffer.from(base64, 'base64'))) return false
    } catch {
      return false
    }
  }
  return true
}

/** An encrypted key begins with the sequence of its encryption algorithm, a plain one with its version. */
function algorithmIsBounded(der: Buffer): boolean {
  const first = elementAt(elementAt(der, 0).content, 0)
  return first.tag === integer || isBounded(first.content)
}

function isBounded(der: Buffer): boolean {
  for (let offset = 0; offset < der.length; ) {
    const { tag, content, next } = elementAt(der, offset)
    if (tag === integer && (content.length > 6 || content.readUIntBE(0, content.length) > maxIterations))
      return false
    if (tag === objectId && content.equals(scrypt)) return false
    if ((tag & constructed) !== 0 && !isBounded(content)) return false
    offset = next
  }
  return true
}

interface Element {
  tag: number
  content: Buffer
  next: number
}

function elementAt(der: Buffer, offset: number): Element {
  const tag = der.readUInt8(offset)
  const short = der.readUInt8(offset + 1)
  const lengthBytes = short < 0x80 ? 0 : short & 0x7f
  // DER doesn't allow indefinite lengths.
  if (short === 0x80 || lengthBytes > 4) throw new RangeError('not DER')
  const length = lengthBytes === 0 ? short : der.readUIntBE(offset + 2, lengthBytes)
  const start = offset + 2 + lengthBytes
  if (start + length > der.length) throw new RangeError('not DER')
  return { tag, content: der.subarray(start, start + length), next: start + length }
}
