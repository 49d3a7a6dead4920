// What a bucket did wrong, in words for whoever has to mend it: with the service's own code (AccessDenied, NoSuchBucket, …).

import type { IncomingMessage } from 'node:http'
import { errorCode } from '@vedette/safeguards/errors'
import { RefusedAddress } from '../alerting/channels/transport/guarded-lookup.ts'

export class BucketError extends Error {
  override name = 'BucketError'
  /** What the service calls it; null: it said nothing that we understand. */
  readonly reason: string | null
  /** Said about this moment: the same again may work. */
  readonly isPassing: boolean
  /** Where the service says that the object is asked for instead. */
  readonly location: string | null

  constructor(
    message: string,
    { reason = null, isPassing = false, location = null, cause }: Partial<BucketError> = {},
  ) {
    super(message, cause === undefined ? {} : { cause })
    this.reason = reason
    this.isPassing = isPassing
    this.location = location
  }
}

const hints: Record<string, string> = {
  NoSuchBucket: 'S3_BUCKET names none of this service',
  InvalidAccessKeyId: 'see S3_ACCESS_KEY_ID',
  SignatureDoesNotMatch: 'see S3_SECRET_ACCESS_KEY',
  AccessDenied: 'the key must be allowed to get, put and delete objects, and to list the bucket',
  RequestTimeTooSkewed: "this machine's clock is wrong",
  ExpiredToken: 'S3_SESSION_TOKEN has expired',
  PermanentRedirect: 'see S3_URL',
}

/** Codes that come with a status of 400, and pass. */
const passing = new Set(['RequestTimeout', 'SlowDown', 'InternalError', 'ServiceUnavailable'])

export async function answeredWith(answer: IncomingMessage, method: string): Promise<BucketError> {
  const text = await readSome(answer)
  const { statusCode: status = 0, headers } = answer
  const reason = /<Code>([\w.-]{1,100})<\/Code>/.exec(text)?.[1] ?? null
  const region = headers['x-amz-bucket-region'] ?? /<Region>([\w-]{1,100})<\/Region>/.exec(text)?.[1]
  const endpoint = /<Endpoint>([\w.:-]{1,300})<\/Endpoint>/.exec(text)?.[1]
  const told = [
    reason === null ? undefined : hints[reason],
    region && `it lies in the region ${region} (S3_REGION)`,
    endpoint && `it answers at ${endpoint}`,
  ].filter(Boolean)
  const said = `The bucket answered ${method} with ${status}${reason ? ` ${reason}` : ''}`
  return new BucketError(told.length > 0 ? `${said}: ${told.join('; ')}` : said, {
    reason,
    isPassing: status >= 500 || status === 429 || status === 408 || passing.has(reason ?? ''),
    location: status === 307 ? (headers.location ?? null) : null,
  })
}

export function unreachable(cause: Error, { host }: URL): BucketError {
  if (cause instanceof RefusedAddress) return new BucketError(cause.message, { cause })
  const code = errorCode(cause)
  const why =
    code === undefined || cause.message.includes(code) ? cause.message : `${cause.message} (${code})`
  return new BucketError(`The bucket does not answer at ${host}: ${why}`, { isPassing: true, cause })
}

const someBytes = 16 * 1024
const someMs = 3_000

/** Of an answer that may have no end; its connection is free afterwards, or closed. */
export async function readSome(answer: IncomingMessage): Promise<string> {
  const timer = setTimeout(() => answer.destroy(), someMs)
  let text = ''
  try {
    for await (const chunk of answer) {
      text += String(chunk)
      if (text.length > someBytes) break
    }
  } catch {
    // What it said until then counts.
  } finally {
    clearTimeout(timer)
  }
  return text
}
