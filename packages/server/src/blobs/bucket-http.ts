// The HTTP client for the operator's bucket: streams bodies in both directions. The address policy applies, but permits internal
// networks, because only the operator configures the bucket.
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
  /** Resolves with the response; its body is unread. */
  send(call: BucketCall): Promise<IncomingMessage>
  close(): void
}

export interface BucketHttpOptions {
  /** Time without a byte in either direction. */
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
        throw new RefusedAddress(`${url.host} is ${refusal}: this server does not connect to it`)
      const options = { method, headers }
      const request =
        url.protocol === 'https:'
          ? requestHttps(url, { ...options, agent: secure })
          : requestHttp(url, { ...options, agent: plain })
      request.setTimeout(idleMs, () =>
        request.destroy(new Error(`${url.host} sent or received no byte for ${idleMs / 1000} s`)),
      )
      // The idle timeout doesn't cover headers that trickle in.
      const late = () => request.destroy(new Error(`${url.host} did not complete the response headers`))
      let timer: NodeJS.Timeout | undefined
      request.once('finish', () => {
        timer = setTimeout(late, 2 * idleMs)
      })
      request.once('response', () => clearTimeout(timer))
      request.once('close', () => clearTimeout(timer))
      const response = new Promise<IncomingMessage>((resolve, reject) => {
        request.on('response', resolve)
        request.on('error', reject)
      })
      if (file === undefined) request.end()
      // A response may arrive before everything is sent: it counts, not the aborted upload.
      else pipeline(createReadStream(file), request).catch((error: Error) => request.destroy(error))
      return response
    },
    close() {
      plain.destroy()
      secure.destroy()
    },
  }
}
