// Stores blobs in a bucket of any S3-compatible service.
import type { IncomingMessage } from 'node:http'
import type { BlobBackend, ByteRange } from './blob-backend.ts'
import { type BucketOptions, nullIfAbsent, openBucket } from './bucket.ts'
import { BucketError, readSome } from './bucket-error.ts'
import type { BucketSettings } from './bucket-settings.ts'
import { resumedDownload } from './resumed-download.ts'

export function openS3(settings: BucketSettings, options: BucketOptions = {}): BlobBackend {
  const { call, close } = openBucket(settings, options)
  return {
    async put(accountId, { sha256, sizeBytes, path }) {
      const headers = { 'content-length': String(sizeBytes), 'content-type': 'application/octet-stream' }
      const put = { method: 'PUT', headers, payloadHash: sha256, file: path } as const
      await readSome(await call(pathOf(accountId, sha256), put))
    },
    async open(accountId, { sha256, sizeBytes }, range = { start: 0, end: sizeBytes - 1 }) {
      const get = (part: ByteRange) =>
        call(pathOf(accountId, sha256), { method: 'GET', headers: rangeHeaders(part, sizeBytes) })
      const response = await get(range).catch(nullIfAbsent)
      if (response === null) return null
      if (!isPartOf(response, range, sizeBytes)) {
        response.destroy()
        return null
      }
      const length = range.end - range.start + 1
      return resumedDownload(response, length, (from) => get({ start: range.start + from, end: range.end }))
    },
    async delete(accountId, sha256) {
      const response = await call(pathOf(accountId, sha256), { method: 'DELETE' }).catch(nullIfAbsent)
      if (response !== null) await readSome(response)
    },
    async probe() {
      const response = await call('probe', { method: 'GET' }).catch(nullIfAbsent)
      response?.destroy()
    },
    close,
  }
}

function pathOf(accountId: string, sha256: string): string {
  return `${accountId}/${sha256.slice(0, 2)}/${sha256}`
}

function isWhole({ start, end }: ByteRange, sizeBytes: number): boolean {
  return start === 0 && end === sizeBytes - 1
}

function rangeHeaders(range: ByteRange, sizeBytes: number): Record<string, string> {
  return isWhole(range, sizeBytes) ? {} : { range: `bytes=${range.start}-${range.end}` }
}

/** Missing headers count as correct, because the download counts its bytes. */
function isPartOf({ headers, statusCode }: IncomingMessage, range: ByteRange, sizeBytes: number): boolean {
  if (isWhole(range, sizeBytes)) return Number(headers['content-length'] ?? sizeBytes) === sizeBytes
  if (statusCode !== 206)
    throw new BucketError('The bucket ignores range requests and sends the whole object')
  const contentRange = /^bytes (\d+-\d+)\/(\d+|\*)$/.exec(headers['content-range'] ?? '')
  if (contentRange === null) return true
  const [, bytes, total = ''] = contentRange
  return bytes === `${range.start}-${range.end}` && [String(sizeBytes), '*'].includes(total)
}
