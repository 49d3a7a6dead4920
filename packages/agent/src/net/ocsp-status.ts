// Reads the certificate's status from a stapled OCSP response (RFC 6960). The signature isn't verified: the response is
// evidence for the result, not a reason to trust the connection.

type OcspStatus = 'good' | 'revoked' | 'unknown' | 'invalid'

const contextTag = (number: number) => 0xa0 + number

/** `invalid`: the responder reported an error, or the bytes aren't an OCSP response. */
export function ocspStatus(response: Buffer): OcspStatus {
  try {
    const [status, bytes] = elementsOf(only(response, 0x30))
    if (status?.tag !== 0x0a || status.content[0] !== 0 || bytes?.tag !== contextTag(0)) return 'invalid'
    const [, basic] = elementsOf(only(bytes.content, 0x30))
    const [data] = elementsOf(only(basic?.content ?? Buffer.alloc(0), 0x30))
    // Optional version, responder, time, then the list of responses.
    const responses = elementsOf(data?.content ?? Buffer.alloc(0)).find(({ tag }) => tag === 0x30)
    const [single] = elementsOf(responses?.content ?? Buffer.alloc(0))
    const [, certificateStatus] = elementsOf(single?.content ?? Buffer.alloc(0))
    return statuses[(certificateStatus?.tag ?? 0) & 0x1f] ?? 'invalid'
  } catch (error) {
    if (error instanceof RangeError) return 'invalid'
    throw error
  }
}

const statuses: Record<number, OcspStatus> = { 0: 'good', 1: 'revoked', 2: 'unknown' }

function only(bytes: Buffer, tag: number): Buffer {
  const [element] = elementsOf(bytes)
  if (element?.tag !== tag) throw new RangeError(`expected the DER tag ${tag}`)
  return element.content
}

/** Throws a RangeError if a length exceeds the bytes. */
function elementsOf(bytes: Buffer) {
  const elements: { tag: number; content: Buffer }[] = []
  for (let offset = 0; offset < bytes.length; ) {
    const tag = bytes.readUInt8(offset)
    const first = bytes.readUInt8(offset + 1)
    const lengthBytes = first < 0x80 ? 0 : first & 0x7f
    const length = lengthBytes === 0 ? first : bytes.readUIntBE(offset + 2, lengthBytes)
    const start = offset + 2 + lengthBytes
    if (start + length > bytes.length) throw new RangeError('the DER element is truncated')
    elements.push({ tag, content: bytes.subarray(start, start + length) })
    offset = start + length
  }
  return elements
}
