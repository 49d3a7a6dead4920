// Blobs in a bucket of any service that speaks the S3 protocol.
import type { IncomingMessage } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import type { BlobPlace, ByteRange } from './blob-place.ts'
import { answeredWith, BucketError, readSome, unreachable } from './bucket-error.ts'
import { type BucketCall, type BucketHttpOptions, openBucketHttp } from './bucket-http.ts'
import type { BucketSettings } from './bucket-settings.ts'
import { objectUrl } from './object-url.ts'
import { resumedDownload } from './resumed-download.ts'
import { emptyPayloadHash, signV4 } from './signature-v4.ts'

export interface S3Options extends BucketHttpOptions {
  /** Between tries: a bucket that is busy or out of reach for a moment costs no artifact. */
  pausesMs?: readonly number[]
}

const maxRedirects = 2

export function openS3(settings: BucketSettings, options: S3Options = {}): BlobPlace {
  const { pausesMs = [200, 1_000], ...rest } = options
  const http = openBucketHttp(rest)
  const key = { ...settings, service: 's3' }

  async function call(path: string, wanted: ObjectCall): Promise<IncomingMessage> {
    let url = objectUrl(settings, path)
    for (let [turn, redirects] = [0, 0]; ; ) {
      const answer = await attempt(url, wanted)
      if (!(answer instanceof BucketError)) return answer
      const elsewhere = redirectOf(answer, url)
      if (elsewhere !== null && redirects++ < maxRedirects) {
        url = elsewhere
        continue
      }
      const pause = pausesMs[turn++]
      if (pause === undefined || !answer.isPassing) throw answer
      await wait(pause)
    }
  }

  /** Signed anew for each try: a signature is good for a quarter of an hour. */
  async function attempt(url: URL, wanted: ObjectCall): Promise<IncomingMessage | BucketError> {
    const { payloadHash = emptyPayloadHash, headers = {}, ...rest } = wanted
    const all = { ...headers, 'x-amz-content-sha256': payloadHash }
    const signed = signV4({ method: rest.method, url, headers: all, payloadHash }, key, Date.now())
    try {
      const answer = await http.send({ ...rest, url, headers: signed })
      return isDone(answer) ? answer : await answeredWith(answer, rest.method)
    } catch (error) {
      return unreachable(error as Error, url)
    }
  }

  return {
    async place(accountId, { sha256, sizeBytes, path }) {
      const headers = { 'content-length': String(sizeBytes), 'content-type': 'application/octet-stream' }
      const put = { method: 'PUT', headers, payloadHash: sha256, file: path } as const
      await readSome(await call(pathOf(accountId, sha256), put))
    },
    async open(accountId, { sha256, sizeBytes }, range = { start: 0, end: sizeBytes - 1 }) {
      const get = (part: ByteRange) =>
        call(pathOf(accountId, sha256), { method: 'GET', headers: rangeHeaders(part, sizeBytes) })
      const answer = await get(range).catch(absent)
      if (answer === null) return null
      if (!isPartOf(answer, range, sizeBytes)) {
        answer.destroy()
        return null
      }
      const length = range.end - range.start + 1
      return resumedDownload(answer, length, (from) => get({ start: range.start + from, end: range.end }))
    },
    async delete(accountId, sha256) {
      const answer = await call(pathOf(accountId, sha256), { method: 'DELETE' }).catch(absent)
      if (answer !== null) await readSome(answer)
    },
    async probe() {
      const answer = await call('probe', { method: 'GET' }).catch(absent)
      answer?.destroy()
    },
    close: http.close,
  }
}

type ObjectCall = Pick<BucketCall, 'method' | 'file'> & {
  headers?: Record<string, string>
  payloadHash?: string
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

function isDone({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode < 300
}

/** What a service leaves untold is taken for right: the download counts its bytes. */
function isPartOf({ headers, statusCode }: IncomingMessage, range: ByteRange, sizeBytes: number): boolean {
  if (isWhole(range, sizeBytes)) return Number(headers['content-length'] ?? sizeBytes) === sizeBytes
  if (statusCode !== 206) throw new BucketError('The bucket answers for parts of an object with all of it')
  const told = /^bytes (\d+-\d+)\/(\d+|\*)$/.exec(headers['content-range'] ?? '')
  if (told === null) return true
  return told[1] === `${range.start}-${range.end}` && [String(sizeBytes), '*'].includes(told[2] ?? '')
}

/** A bucket that is not there, or a page that knows nothing, says nothing about the object. */
function absent(error: unknown): null {
  if (error instanceof BucketError && ['NoSuchKey', 'InvalidRange'].includes(error.reason ?? '')) return null
  throw error
}

function redirectOf({ location }: BucketError, from: URL): URL | null {
  if (location === null || !URL.canParse(location, from.href)) return null
  const to = new URL(location, from)
  return to.protocol === from.protocol ? to : null
}
