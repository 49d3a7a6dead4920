// Encodes and decodes the messages of gRPC health checks and reflection by their field numbers, which never change. Messages of
// users go through grpc-schema.ts.
import { errorMessage } from '@vedette/safeguards/errors'
import protobuf from 'protobufjs/minimal.js'

const { Reader, Writer } = protobuf

type WireField = { number: number; value: Uint8Array | number }

export class WireError extends Error {
  override name = 'WireError'
}

/** Length-delimited fields and numbers; others aren't used. Throws a WireError if the bytes aren't a message. */
function* readFields(bytes: Uint8Array): Generator<WireField> {
  const reader = Reader.create(bytes)
  try {
    while (reader.pos < reader.len) {
      const tag = reader.uint32()
      const number = tag >>> 3
      if ((tag & 7) === 0) yield { number, value: Number(reader.uint64()) }
      else if ((tag & 7) === 2) yield { number, value: reader.bytes() }
      else reader.skipType(tag & 7)
    }
  } catch (error) {
    throw new WireError(errorMessage(error), { cause: error })
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
  return Buffer.from(
    Writer.create()
      .uint32(number * 8 + 2)
      .bytes(value)
      .finish(),
  )
}

export const healthPath = '/grpc.health.v1.Health/Check'

/** `ServingStatus` of grpc.health.v1, by number. */
export const healthLabels = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const

export const encodeHealthRequest = (service: string): Buffer =>
  service === '' ? Buffer.alloc(0) : textMessage(1, service)

export const decodeHealthResponse = (bytes: Uint8Array): number => numberField(bytes, 1)
