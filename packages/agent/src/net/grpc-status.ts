// Status codes of gRPC, and how headers carry them.
import { percentDecode } from './basic-auth.ts'

/** By number. */
const grpcStatusNames = [
  'OK',
  'CANCELLED',
  'UNKNOWN',
  'INVALID_ARGUMENT',
  'DEADLINE_EXCEEDED',
  'NOT_FOUND',
  'ALREADY_EXISTS',
  'PERMISSION_DENIED',
  'RESOURCE_EXHAUSTED',
  'FAILED_PRECONDITION',
  'ABORTED',
  'OUT_OF_RANGE',
  'UNIMPLEMENTED',
  'INTERNAL',
  'UNAVAILABLE',
  'DATA_LOSS',
  'UNAUTHENTICATED',
] as const

export interface GrpcStatus {
  code: number
  message: string
}

/** `5 NOT_FOUND: no such user`. */
export function describeStatus({ code, message }: GrpcStatus): string {
  const name = grpcStatusNames[code]
  const named = name === undefined ? `${code}` : `${code} ${name}`
  return message === '' ? named : `${named}: ${message}`
}

const maxMessageChars = 4_000

/** Null: the headers have no status. */
export function readStatus(headers: Readonly<Record<string, unknown>>): GrpcStatus | null {
  const code = headers['grpc-status']
  if (typeof code !== 'string' || !/^\d{1,9}$/.test(code)) return null
  const message = headers['grpc-message']
  return {
    code: Number(code),
    message: percentDecode(typeof message === 'string' ? message : '').slice(0, maxMessageChars),
  }
}
