// A file as an answer: whole, a part of it, or only its headers. What users' code wrote is never run as ours: it is saved,
// or shown where it can do nothing.
import { Readable } from 'node:stream'
import { ApiError } from '@vedette/contracts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { ByteRange } from '../../blobs/blob-place.ts'
import { BucketError } from '../../blobs/bucket-error.ts'
import { parseRange } from './parse-range.ts'
import { storeIsAway } from './upload.ts'

/** What a handler answers with instead of a body. */
export class StoredFile {
  readonly name: string
  readonly contentType: string
  readonly sizeBytes: number
  readonly sha256: string
  /** Null: the bytes are gone. */
  readonly open: (range?: ByteRange) => Promise<Readable | null>

  constructor(file: Pick<StoredFile, 'name' | 'contentType' | 'sizeBytes' | 'sha256' | 'open'>) {
    this.name = file.name
    this.contentType = file.contentType
    this.sizeBytes = file.sizeBytes
    this.sha256 = file.sha256
    this.open = file.open
  }
}

/** Pictures and films show themselves; SVG is a document, and anything else is saved. */
const shown = /^(image\/(png|jpeg|gif|webp|avif)|video\/(webm|mp4))$/

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
  // Opened first: an error must not go out as the file, nor stay in caches as long as it.
  const isAsked = request.method !== 'HEAD' && length > 0
  const bytes = isAsked ? await open(file, range ?? undefined) : null
  reply
    .headers(headers)
    .code(range === null ? 200 : 206)
    .header('content-length', length)
  if (range !== null) reply.header('content-range', `bytes ${range.start}-${range.end}/${file.sizeBytes}`)
  // A stream: of any other body Fastify would tell its own length.
  return reply.send(bytes ?? Readable.from([]))
}

async function open(file: StoredFile, range?: ByteRange): Promise<Readable> {
  const bytes = await file.open(range).catch((error: unknown) => {
    throw error instanceof BucketError ? storeIsAway(error) : error
  })
  if (bytes === null) throw new ApiError('not_found', { message: 'The file is no longer kept.' })
  return bytes
}

function isKnown(header: string | undefined, etag: string): boolean {
  return header !== undefined && (header.trim() === '*' || header.includes(etag))
}

function safeHeaders({ name, contentType }: StoredFile): Record<string, string> {
  const type = /^[\w.+-]+\/[\w.+-]+(; ?charset=[\w-]+)?$/.test(contentType)
    ? contentType
    : 'application/octet-stream'
  return {
    'content-type': type,
    'content-disposition': `${shown.test(type) ? 'inline' : 'attachment'}; ${filename(name)}`,
    'x-content-type-options': 'nosniff',
    'content-security-policy': "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:",
    'cross-origin-resource-policy': 'same-origin',
    'cache-control': 'private, max-age=900',
  }
}

/** RFC 6266: one name for all programs, and the true one for those that read it. */
function filename(name: string): string {
  const last = name.split('/').at(-1) ?? ''
  const plain = last.replace(/[^\w .()-]/g, '_')
  const encoded = encodeURIComponent(last).replace(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16)}`)
  return `filename="${plain}"; filename*=UTF-8''${encoded}`
}

/** If-Range: a part only of what the caller knows already. */
function rangeOf({ headers, method }: FastifyRequest, etag: string, size: number) {
  if (headers.range === undefined || method !== 'GET') return null
  if (headers['if-range'] !== undefined && headers['if-range'] !== etag) return null
  return parseRange(headers.range, size)
}
