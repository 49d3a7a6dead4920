// Stores blobs in a bucket of any S3-compatible service.
import type { IncomingMessage } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { toError } from '@vedette/safeguards/errors'
import type { BlobBackend, ByteRange } from './blob-backend.ts'
import { BucketError, connectionError, readSome, responseError } from './bucket-error.ts'
import { type BucketCall, type BucketHttpOptions, openBucketHttp } from './bucket-http.ts'
import type { BucketSettings } from './bucket-settings.ts'
import { resumedDownload } from './resumed-download.ts'
import { emptyPayloadHash, encodeUnreserved, signV4 } from './signature-v4.ts'

export interface S3Options extends BucketHttpOptions {
  /** Pauses between attempts. */
  pausesMs?: readonly number[]
}

const maxRedirects = 2

export function openS3(settings: BucketSettings, options: S3Options = {}): BlobBackend {
  const { pausesMs = [200, 1_000], ...rest } = options
  const http = openBucketHttp(rest)
  const key = { ...settings, service: 's3' }

  async function call(path: string, request: ObjectCall): Promise<IncomingMessage> {
    let url = objectUrl(settings, path)
    for (let [attempts, redirects] = [0, 0]; ; ) {
      const outcome = await attempt(url, request)
      if (!(outcome instanceof BucketError)) return outcome
      const redirect = redirectOf(outcome, url)
      if (redirect !== null && redirects++ < maxRedirects) {
        url = redirect
        continue
      }
      const pause = pausesMs[attempts++]
      if (pause === undefined || !outcome.isTransient) throw outcome
      await wait(pause)
    }
  }

  /** Signs each attempt, because a signature expires after 15 minutes. */
  async function attempt(url: URL, request: ObjectCall): Promise<IncomingMessage | BucketError> {
    const { payloadHash = emptyPayloadHash, headers = {}, ...rest } = request
    const all = { ...headers, 'x-amz-content-sha256': payloadHash }
    const signed = signV4({ method: rest.method, url, headers: all, payloadHash }, key, Date.now())
    try {
      const response = await http.send({ ...rest, url, headers: signed })
      return isSuccess(response) ? response : await responseError(response, rest.method)
    } catch (error) {
      return connectionError(toError(error), url)
    }
  }

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
    close: http.close,
  }
}

type ObjectCall = Pick<BucketCall, 'method' | 'file'> & {
  headers?: Record<string, string>
  payloadHash?: string
}

/** `path` is relative to the prefix. Encoded like the signature: URL encodes some characters differently. */
export function objectUrl(
  { url, bucket, addressing, prefix }: Pick<BucketSettings, 'url' | 'bucket' | 'addressing' | 'prefix'>,
  path: string,
): URL {
  const base = new URL(url)
  if (addressing === 'host') base.hostname = `${bucket}.${base.hostname}`
  const folders = [base.pathname.replace(/\/+$/, ''), ...(addressing === 'path' ? [bucket] : [])]
  const key = `${prefix}${path}`.split('/').map(encodeUnreserved).join('/')
  return new URL(`${base.origin}${folders.join('/')}/${key}`)
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

function isSuccess({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode < 300
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

/** Other errors, such as a missing bucket, don't show that the object is missing. */
function nullIfAbsent(error: unknown): null {
  if (error instanceof BucketError && ['NoSuchKey', 'InvalidRange'].includes(error.reason ?? '')) return null
  throw error
}

function redirectOf({ location }: BucketError, from: URL): URL | null {
  if (location === null || !URL.canParse(location, from.href)) return null
  const to = new URL(location, from)
  return to.protocol === from.protocol ? to : null
}
