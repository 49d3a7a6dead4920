// Errors of the bucket, worded for the operator, with the code of the service (AccessDenied, NoSuchBucket, …).
import type { IncomingMessage } from 'node:http'
import { errorCode } from '@vedette/safeguards/errors'
import { RefusedAddress } from '../alerting/channels/transport/guarded-lookup.ts'

export class BucketError extends Error {
  override name = 'BucketError'
  /** The error code of the service; null if the response has none. */
  readonly reason: string | null
  /** A retry may succeed. */
  readonly isTransient: boolean
  /** The redirect target. */
  readonly location: string | null

  constructor(
    message: string,
    { reason = null, isTransient = false, location = null, cause }: Partial<BucketError> = {},
  ) {
    super(message, cause === undefined ? {} : { cause })
    this.reason = reason
    this.isTransient = isTransient
    this.location = location
  }
}

const hints: Record<string, string> = {
  NoSuchBucket: 'the service has no bucket with the name in S3_BUCKET',
  InvalidAccessKeyId: 'check S3_ACCESS_KEY_ID',
  SignatureDoesNotMatch: 'check S3_SECRET_ACCESS_KEY',
  AccessDenied: 'the key must be allowed to get, put and delete objects, and to list the bucket',
  RequestTimeTooSkewed: "this machine's clock is wrong",
  ExpiredToken: 'S3_SESSION_TOKEN has expired',
  PermanentRedirect: 'check S3_URL',
}

/** Transient errors with status 400. */
const transientCodes = new Set(['RequestTimeout', 'SlowDown', 'InternalError', 'ServiceUnavailable'])

export async function responseError(response: IncomingMessage, method: string): Promise<BucketError> {
  const text = await readSome(response)
  const { statusCode: status = 0, headers } = response
  const reason = /<Code>([\w.-]{1,100})<\/Code>/.exec(text)?.[1] ?? null
  const region = headers['x-amz-bucket-region'] ?? /<Region>([\w-]{1,100})<\/Region>/.exec(text)?.[1]
  const endpoint = /<Endpoint>([\w.:-]{1,300})<\/Endpoint>/.exec(text)?.[1]
  const details = [
    reason === null ? undefined : hints[reason],
    region && `its region is ${region} (S3_REGION)`,
    endpoint && `its endpoint is ${endpoint}`,
  ].filter(Boolean)
  const message = `The bucket responded to ${method} with ${status}${reason ? ` ${reason}` : ''}`
  return new BucketError(details.length > 0 ? `${message}: ${details.join('; ')}` : message, {
    reason,
    isTransient: status >= 500 || status === 429 || status === 408 || transientCodes.has(reason ?? ''),
    location: status === 307 ? (headers.location ?? null) : null,
  })
}

export function connectionError(cause: Error, { host }: URL): BucketError {
  if (cause instanceof RefusedAddress) return new BucketError(cause.message, { cause })
  const code = errorCode(cause)
  const why =
    code === undefined || cause.message.includes(code) ? cause.message : `${cause.message} (${code})`
  return new BucketError(`The bucket does not respond at ${host}: ${why}`, { isTransient: true, cause })
}

const someBytes = 16 * 1024
const someMs = 3_000

/** Reads the first part of a response that may be endless; its connection is free or closed afterwards. */
export async function readSome(response: IncomingMessage): Promise<string> {
  const timer = setTimeout(() => response.destroy(), someMs)
  let text = ''
  try {
    for await (const chunk of response) {
      text += String(chunk)
      if (text.length > someBytes) break
    }
  } catch {
    // The text until then counts.
  } finally {
    clearTimeout(timer)
  }
  return text
}
