// The door to the operator's bucket, beside the one to channels: bodies go through it in streams, both ways. The same
// guard stands here; internal networks are open, since only the operator says where the bucket is.
import { createReadStream } from 'node:fs'
import { Agent as HttpAgent, type IncomingMessage, request as requestHttp } from 'node:http'
import { Agent as HttpsAgent, request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { pipeline } from 'node:stream/promises'
import { networkPolicy } from '@vedette/safeguards/address-policy'
import { guardedLookup, RefusedAddress, type Resolve } from '../alerting/channels/transport/guarded-lookup.ts'

export interface BucketCall {
  method: 'GET' | 'PUT' | 'DELETE'
  url: URL
  headers: Record<string, string>
  /** A file to send; its length is in the headers. */
  file?: string
}

export interface BucketHttp {
  /** The answer, with its body still to be read. */
  send(call: BucketCall): Promise<IncomingMessage>
  close(): void
}

export interface BucketHttpOptions {
  /** Without a byte in either direction. */
  idleMs?: number
  resolve?: Resolve
}

export function openBucketHttp({ idleMs = 30_000, resolve }: BucketHttpOptions = {}): BucketHttp {
  const policy = networkPolicy({ mode: 'default' }, 'server')
  const options = { keepAlive: true, maxSockets: 16, timeout: idleMs, lookup: guardedLookup(policy, resolve) }
  const plain = new HttpAgent(options)
  const secure = new HttpsAgent(options)
  return {
    async send({ method, url, headers, file }) {
      const host = url.hostname.replace(/^\[(.*)\]$/, '$1')
      const refusal = isIP(host) === 0 ? null : policy.refusalOf(host)
      if (refusal !== null)
        throw new RefusedAddress(`${url.host} is ${refusal}: this server does not call it`)
      const given = { method, headers }
      const request =
        url.protocol === 'https:'
          ? requestHttps(url, { ...given, agent: secure })
          : requestHttp(url, { ...given, agent: plain })
      request.setTimeout(idleMs, () =>
        request.destroy(new Error(`${url.host} did not go on for ${idleMs / 1000} s`)),
      )
      // Bytes that trickle are no answer either.
      const late = () => request.destroy(new Error(`${url.host} did not come to an answer`))
      let timer: NodeJS.Timeout | undefined
      request.once('finish', () => {
        timer = setTimeout(late, 2 * idleMs)
      })
      request.once('response', () => clearTimeout(timer))
      request.once('close', () => clearTimeout(timer))
      const answer = new Promise<IncomingMessage>((resolve, reject) => {
        request.on('response', resolve)
        request.on('error', reject)
      })
      if (file === undefined) request.end()
      // An answer may come before all is sent: what it says counts, not that sending broke off.
      else pipeline(createReadStream(file), request).catch((error: Error) => request.destroy(error))
      return answer
    },
    close() {
      plain.destroy()
      secure.destroy()
    },
  }
}
