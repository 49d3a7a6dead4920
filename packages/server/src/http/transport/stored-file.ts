// Sends a file: all of it, a range, or only the headers. The headers keep files that user code wrote from running in our origin:
// browsers download them or show them in a sandbox.
import { Readable } from 'node:stream'
import { ApiError } from '@vedette/contracts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ByteRange } from '../../blobs/blob-backend.ts'
import { BucketError } from '../../blobs/bucket-error.ts'
import { parseRange } from './parse-range.ts'
import { storageUnavailable } from './upload.ts'

/** A handler returns this to send a file. */
export class StoredFile {
  readonly name: string
  readonly contentType: string
  readonly sizeBytes: number
  readonly sha256: string
  /** By pages of other hosts. */
  readonly isEmbeddable: boolean
  /** Null: the bytes no longer exist. */
  readonly open: (range?: ByteRange) => Promise<Readable | null>

  constructor(
    file: Pick<StoredFile, 'name' | 'contentType' | 'sizeBytes' | 'sha256' | 'open'> & {
      isEmbeddable?: boolean
    },
  ) {
    this.name = file.name
    this.contentType = file.contentType
    this.sizeBytes = file.sizeBytes
    this.sha256 = file.sha256
    this.isEmbeddable = file.isEmbeddable ?? false
    this.open = file.open
  }
}

/** Types that browsers may display. SVG isn't among them: it can contain scripts. */
const displayable = /^(image\/(png|jpeg|gif|webp|avif)|video\/(webm|mp4))$/

export async function sendFile(
  request: FastifyRequest,
  reply: FastifyReply,
  file: StoredFile,
): Promise<FastifyReply> {
  const etag = `"${file.sha256}"`
  const headers = { ...safeHeaders(file), etag, 'accept-ranges': 'bytes' }
  if (isKnown(request.headers['if-none-match'], etag)) return reply.code(304).headers(headers).send()
  const range = rangeOf(request, etag, file.sizeBytes)
  if (range === 'unsatisfiable') {
    const headers = { 'content-range': `bytes */${file.sizeBytes}` }
    throw new ApiError('range_not_satisfiable', { headers })
  }
  const length = range === null ? file.sizeBytes : range.end - range.start + 1
  // Opened before the headers are set: an error must not be sent, or cached, as the file.
  const hasBody = request.method !== 'HEAD' && length > 0
  const bytes = hasBody ? await open(file, range ?? undefined) : null
  reply
    .headers(headers)
    .code(range === null ? 200 : 206)
    .header('content-length', length)
  if (range !== null) reply.header('content-range', `bytes ${range.start}-${range.end}/${file.sizeBytes}`)
  // A stream: for any other body Fastify would set its own content-length.
  return reply.send(bytes ?? Readable.from([]))
}

async function open(file: StoredFile, range?: ByteRange): Promise<Readable> {
  const bytes = await file.open(range).catch((error: unknown) => {
    throw error instanceof BucketError ? storageUnavailable(error) : error
  })
  if (bytes === null) throw new ApiError('not_found', { message: 'The file is no longer stored.' })
  return bytes
}

function isKnown(header: string | undefined, etag: string): boolean {
  return header !== undefined && (header.trim() === '*' || header.includes(etag))
}

/** `script-src 'self'` of the app would include them. */
const loadable = /javascript|ecmascript|css|wasm/i

function safeHeaders({ name, contentType, isEmbeddable }: StoredFile): Record<string, string> {
  const isType = /^[\w.+-]+\/[\w.+-]+(; ?charset=[\w-]+)?$/.test(contentType)
  const type = isType && !loadable.test(contentType) ? contentType : 'application/octet-stream'
  return {
    'content-type': type,
    'content-disposition': `${displayable.test(type) ? 'inline' : 'attachment'}; ${filename(name)}`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
    'cross-origin-resource-policy': isEmbeddable ? 'cross-origin' : 'same-origin',
    'cache-control': 'private, max-age=900',
  }
}

/** RFC 6266: an ASCII name for old clients, and the exact name. */
function filename(name: string): string {
  const last = name.split('/').at(-1) ?? ''
  const plain = last.replace(/[^\w .()-]/g, '_')
  const encoded = encodeURIComponent(last).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
  return `filename="${plain}"; filename*=UTF-8''${encoded}`
}

/** If-Range: a range only if the client has the same file. */
function rangeOf({ headers, method }: FastifyRequest, etag: string, size: number) {
  if (headers.range === undefined || method !== 'GET') return null
  if (headers['if-range'] !== undefined && headers['if-range'] !== etag) return null
  return parseRange(headers.range, size)
}
