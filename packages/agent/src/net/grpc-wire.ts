// Encodes and decodes the messages of gRPC health checks and reflection by hand: they never change, and a small parser is
// safer against hostile servers. Messages of users go through grpc-schema.ts.

interface WireField {
  number: number
  /** The bytes of a length-delimited field or the value of a varint; null for other wire types, which aren't used. */
  value: Uint8Array | number | null
}

export class WireError extends Error {
  override name = 'WireError'
}

/** Throws a WireError if the bytes aren't a message. */
function* readFields(bytes: Uint8Array): Generator<WireField> {
  let offset = 0
  /** Exact up to 2^53, which is enough for the fields that are read. */
  const readVarint = () => {
    let value = 0
    for (let count = 0; count < 10; count++) {
      const byte = bytes[offset++]
      if (byte === undefined) throw new WireError('it ends in the middle of a number')
      value += (byte & 0x7f) * 2 ** (7 * count)
      if (byte < 0x80) return value
    }
    throw new WireError('it has a number of more than 10 bytes')
  }
  const readBytes = (length: number) => {
    if (length > bytes.length - offset) throw new WireError('it ends in the middle of a field')
    offset += length
    return bytes.subarray(offset - length, offset)
  }
  while (offset < bytes.length) {
    const tag = readVarint()
    const number = Math.floor(tag / 8)
    switch (tag % 8) {
      case 0:
        yield { number, value: readVarint() }
        break
      case 1:
        readBytes(8)
        yield { number, value: null }
        break
      case 2:
        yield { number, value: readBytes(readVarint()) }
        break
      case 5:
        readBytes(4)
        yield { number, value: null }
        break
      default:
        throw new WireError(`it has a field of the unknown wire type ${tag % 8}`)
    }
  }
}

export function bytesFields(bytes: Uint8Array, number: number): Uint8Array[] {
  const values: Uint8Array[] = []
  for (const field of readFields(bytes)) {
    if (field.number === number && field.value instanceof Uint8Array) values.push(field.value)
  }
  return values
}

/** Protobuf: the last one counts. */
export function numberField(bytes: Uint8Array, number: number): number {
  let last = 0
  for (const field of readFields(bytes)) {
    if (field.number === number && typeof field.value === 'number') last = field.value
  }
  return last
}

export function textFields(bytes: Uint8Array, number: number): string[] {
  return bytesFields(bytes, number).map((value) => Buffer.from(value).toString('utf8'))
}

/** A message with one text field. */
export const textMessage = (number: number, text: string): Buffer => bytesMessage(number, Buffer.from(text))

export function bytesMessage(number: number, value: Uint8Array): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(value.length), value])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) + 0x80)
    rest = Math.floor(rest / 0x80)
  }
  return Buffer.from([...bytes, rest])
}

export const healthPath = '/grpc.health.v1.Health/Check'

/** `ServingStatus` of grpc.health.v1, by number. */
export const healthLabels = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const

export const encodeHealthRequest = (service: string): Buffer =>
  service === '' ? Buffer.alloc(0) : textMessage(1, service)

export const decodeHealthResponse = (bytes: Uint8Array): number => numberField(bytes, 1)
