// Signed requests to a bucket of any S3-compatible service.
import type { IncomingMessage } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { toError } from '@vedette/safeguards/errors'
import { BucketError, connectionError, responseError } from './bucket-error.ts'
import { type BucketCall, type BucketHttpOptions, openBucketHttp } from './bucket-http.ts'
import type { BucketSettings } from './bucket-settings.ts'
import { emptyPayloadHash, encodeUnreserved, signV4 } from './signature-v4.ts'

export interface BucketOptions extends BucketHttpOptions {
  /** Pauses between attempts. */
  pausesMs?: readonly number[]
}

export interface Bucket {
  /** `path` is relative to the prefix. Resolves with a successful response; its body is unread. */
  call(path: string, request: ObjectCall): Promise<IncomingMessage>
  close(): void
}

const maxRedirects = 2

export function openBucket(settings: BucketSettings, options: BucketOptions = {}): Bucket {
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

  return { call, close: http.close }
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

function isSuccess({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 200 && statusCode < 300
}

/** Other errors, such as a missing bucket, don't show that the object is missing. */
export function nullIfAbsent(error: unknown): null {
  if (error instanceof BucketError && ['NoSuchKey', 'InvalidRange'].includes(error.reason ?? '')) return null
  throw error
}

function redirectOf({ location }: BucketError, from: URL): URL | null {
  if (location === null || !URL.canParse(location, from.href)) return null
  const to = new URL(location, from)
  return to.protocol === from.protocol ? to : null
}
