// Metadata of a gRPC call: HTTP/2 headers with additional rules.
import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2'
import type { Failure } from '@vedette/contracts'

export interface MetadataItem {
  key: string
  /** Of keys that end with `-bin`: base64. */
  value: string
}

/** The call sets them itself, or HTTP/2 doesn't allow them. */
const reserved = new Set([
  'connection',
  'content-length',
  'content-type',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'transfer-encoding',
  'upgrade',
  'user-agent',
])

export function requestMetadata(items: readonly MetadataItem[]): OutgoingHttpHeaders | Failure {
  const headers: Record<string, string[]> = Object.create(null)
  for (const item of items) {
    const key = item.key.trim().toLowerCase()
    const value = item.value.trim()
    const problem = problemOf(key, value)
    if (problem !== null) {
      return { kind: 'protocol', message: problem, phase: 'setup', code: 'INVALID_METADATA' }
    }
    headers[key] = [...(headers[key] ?? []), value]
  }
  return headers
}

function problemOf(key: string, value: string): string | null {
  const name = `"${key.slice(0, 100)}"`
  if (!/^[0-9a-z_.-]+$/.test(key)) {
    return `The metadata key ${name} isn't valid: use letters, digits, "_", "-" and ".".`
  }
  if (key.startsWith('grpc-') || reserved.has(key)) {
    return `The metadata key ${name} is reserved for gRPC itself: remove it.`
  }
  if (key.endsWith('-bin')) {
    if (/^[A-Za-z0-9+/]*={0,2}$/.test(value)) return null
    return `The value of the metadata key ${name} isn't base64, which keys ending with "-bin" need.`
  }
  if (/^[\x20-\x7e]*$/.test(value)) return null
  return `The value of the metadata key ${name} has characters other than printable ASCII. Use a key that ends with "-bin" and a base64 value.`
}

/** The headers and trailers of a response without those of HTTP/2 and gRPC. */
export function responseMetadata(...blocks: (IncomingHttpHeaders | null)[]): MetadataItem[] {
  return blocks.flatMap((block) =>
    Object.entries(block ?? {}).flatMap(([key, value]) =>
      key.startsWith(':') || key === 'grpc-status' || key === 'grpc-message'
        ? []
        : [value].flat().map((one) => ({ key, value: String(one) })),
    ),
  )
}
