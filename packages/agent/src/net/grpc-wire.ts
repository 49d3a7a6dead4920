// Encodes and decodes the messages of gRPC health checks and reflection by their field numbers, which never change. Messages of
// users go through grpc-schema.ts.
import { errorMessage } from '@vedette/safeguards/errors'
import protobuf from 'protobufjs/minimal.js'

const { Reader, Writer } = protobuf

export class WireError extends Error {
  override name = 'WireError'
}

/** Numbers and length-delimited values of a field; others aren't used. Throws a WireError if the bytes aren't a message. */
function valuesOf(bytes: Uint8Array, wanted: number): (Uint8Array | number)[] {
  const reader = Reader.create(bytes)
  const values: (Uint8Array | number)[] = []
  try {
    while (reader.pos < reader.len) {
      const tag = reader.uint32()
      const type = tag & 7
      const value = type === 0 ? Number(reader.uint64()) : type === 2 ? reader.bytes() : null
      if (value === null) reader.skipType(type)
      else if (tag >>> 3 === wanted) values.push(value)
    }
    return values
  } catch (error) {
    throw new WireError(errorMessage(error), { cause: error })
  }
}

export function bytesFields(bytes: Uint8Array, number: number): Uint8Array[] {
  return valuesOf(bytes, number).filter((value) => value instanceof Uint8Array)
}

/** Protobuf: the last one counts. */
export function numberField(bytes: Uint8Array, number: number): number {
  return valuesOf(bytes, number).findLast((value) => typeof value === 'number') ?? 0
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
