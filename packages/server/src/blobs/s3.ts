// Blobs in a bucket of any service that speaks the S3 protocol, addressed by path.
import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { BlobPlace, ByteRange } from './blob-place.ts'
import { type BucketCall, openBucketHttp } from './bucket-http.ts'
import type { BucketSettings } from './bucket-settings.ts'
import { emptyPayloadHash, signV4 } from './signature-v4.ts'

/** Between tries: a bucket that is busy or out of reach for a moment costs no artifact. */
const pausesMs = [200, 1_000]

export function openS3(settings: BucketSettings, pauses: readonly number[] = pausesMs): BlobPlace {
  const http = openBucketHttp()
  const key = { ...settings, service: 's3' }

  async function call(
    path: string,
    { payloadHash = emptyPayloadHash, headers = {}, ...rest }: ObjectCall,
  ): Promise<IncomingMessage> {
    const url = new URL(`${settings.url}/${settings.bucket}/${settings.prefix}${path}`)
    for (let turn = 0; ; turn++) {
      // Signed anew for each try: a signature is good for a quarter of an hour.
      const all = { ...headers, 'x-amz-content-sha256': payloadHash }
      const signed = signV4({ method: rest.method, url, headers: all, payloadHash }, key, Date.now())
      const pause = pauses[turn]
      try {
        const answer = await http.send({ ...rest, url, headers: signed })
        if (pause === undefined || !isPassing(answer)) return answer
        answer.resume()
      } catch (error) {
        if (pause === undefined) throw error
      }
      await wait(pause)
    }
  }

  return {
    async place(accountId, { sha256, sizeBytes, path }) {
      const headers = { 'content-length': String(sizeBytes), 'content-type': 'application/octet-stream' }
      const put = { method: 'PUT', headers, payloadHash: sha256, file: path } as const
      await expectDone(await call(pathOf(accountId, sha256), put), 'PUT')
    },
    async open(accountId, sha256, range) {
      const answer = await call(pathOf(accountId, sha256), { method: 'GET', headers: rangeHeaders(range) })
      if (answer.statusCode === 404) {
        answer.resume()
        return null
      }
      if (answer.statusCode !== (range === undefined ? 200 : 206)) throw await failure(answer, 'GET')
      return answer as Readable
    },
    async delete(accountId, sha256) {
      const answer = await call(pathOf(accountId, sha256), { method: 'DELETE' })
      if (answer.statusCode === 404) answer.resume()
      else await expectDone(answer, 'DELETE')
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

function rangeHeaders(range: ByteRange | undefined): Record<string, string> {
  return range === undefined ? {} : { range: `bytes=${range.start}-${range.end}` }
}

function isPassing({ statusCode = 0 }: IncomingMessage): boolean {
  return statusCode >= 500 || statusCode === 429
}

async function expectDone(answer: IncomingMessage, method: string): Promise<void> {
  if ((answer.statusCode ?? 0) >= 300) throw await failure(answer, method)
  answer.resume()
}

const readBytes = 16 * 1024

/** With the service's own code for it (AccessDenied, NoSuchBucket, …): the operator has to mend it. */
async function failure(answer: IncomingMessage, method: string): Promise<Error> {
  let text = ''
  for await (const chunk of answer) {
    text += String(chunk)
    if (text.length > readBytes) break
  }
  const code = /<Code>([\w.-]{1,100})<\/Code>/.exec(text)?.[1]
  return new Error(`The bucket answered ${method} with ${answer.statusCode}${code ? ` ${code}` : ''}`)
}
