// Request bodies: JSON only, plain or compressed. Fastify calls the parser after onRequest, so the route, the key and the role
// are known before a byte is read, inflated or parsed. Limits apply to the decompressed size.

import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate } from 'node:zlib'
import { type AnyRoute, ApiError, defaultBodyLimitBytes } from '@vedette/contracts'
import { errorCode } from '@vedette/safeguards/errors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { openSemaphore } from '../../core/semaphore.ts'
import { BodyMemory } from './body-memory.ts'
import { findExcess } from './json-limits.ts'

type Inflate = (bytes: Buffer, options: { maxOutputLength: number }) => Promise<Buffer>

const inflaters: Record<string, Inflate> = {
  gzip: promisify(gunzip),
  'x-gzip': promisify(gunzip),
  deflate: promisify(inflate),
  br: promisify(brotliDecompress),
}

/** Bodies of agents hold the results of many runs. */
const maxValues = { agent: 1_000_000, project: 1_000_000, others: 250_000 }

export interface BodyLimits {
  /** Of routes whose limit is a setting; no other route allows more, except for projects. */
  setting: number
  project: number
}

export function readBodies(app: FastifyInstance, limits: BodyLimits): void {
  const memory = new BodyMemory()
  // Inflating runs in Node's thread pool of four, which files and name lookups need too.
  const inflating = openSemaphore(2, 30_000)

  async function decode(request: FastifyRequest, bytes: Buffer, limitBytes: number): Promise<Buffer> {
    const unpack = inflaterOf(request)
    if (unpack === undefined) return bytes
    const release = await inflating.acquire()
    if (release === null) throw new ApiError('unavailable', { headers: { 'retry-after': '1' } })
    try {
      return await unpack(bytes, { maxOutputLength: limitBytes })
    } catch (error) {
      if (errorCode(error) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limitBytes)
      throw new ApiError('malformed_encoding')
    } finally {
      release()
    }
  }

  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    /^application\/(json|[\w.+-]+\+json)(;|$)/i,
    async (request: FastifyRequest, payload: IncomingMessage) => {
      const { contract } = request.routeOptions.config
      const limitBytes = bodyLimitOf(contract, limits)
      // Before the body is read: the sender may still be waiting for 100 Continue.
      inflaterOf(request)
      if (Number(request.headers['content-length'] ?? 0) > limitBytes) throw tooLarge(limitBytes)
      const held = holdFor(request, memory)
      try {
        const received = await receive(payload, limitBytes, held.add)
        return parse(await decode(request, received, limitBytes), contract)
      } finally {
        held.release()
      }
    },
  )
  // Some clients name a form as the type of the body that they don't send.
  app.addContentTypeParser('*', async ({ routeOptions, headers }: FastifyRequest) => {
    const isAbsent = headers['content-length'] === '0' && routeOptions.config.contract?.bodyOptional
    if (!isAbsent) throw new ApiError('unsupported_media_type')
    return undefined
  })
}

export function bodyLimitOf(contract: AnyRoute | undefined, limits: BodyLimits): number {
  const limit = contract?.bodyLimit ?? defaultBodyLimitBytes
  return typeof limit === 'number' ? Math.min(limit, limits.setting) : limits[limit]
}

function inflaterOf(request: FastifyRequest): Inflate | undefined {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase()
  if (encoding === undefined || encoding === '' || encoding === 'identity') return undefined
  const inflater = inflaters[encoding]
  if (inflater === undefined) throw new ApiError('unsupported_media_type')
  return inflater
}

function holdFor({ headers, ip }: FastifyRequest, memory: BodyMemory) {
  const caller = headers.authorization ?? ip
  let bytes = 0
  return {
    add(count: number) {
      memory.hold(caller, count)
      bytes += count
    },
    release: () => memory.release(caller, bytes),
  }
}

/** Uses events: leaving an async iterator early would destroy the connection that the response needs. */
function receive(
  payload: IncomingMessage,
  limitBytes: number,
  hold: (bytes: number) => void,
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    const stop = (error: unknown) => {
      payload.off('data', onData)
      // Node discards the rest once the response is sent.
      payload.resume()
      reject(error)
    }
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size > limitBytes) return stop(tooLarge(limitBytes))
      try {
        hold(chunk.length)
      } catch (error) {
        return stop(error)
      }
      chunks.push(chunk)
    }
    payload.on('data', onData)
    payload.once('end', () => {
      const [first] = chunks
      resolve(first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks))
    })
    payload.once('error', () => stop(new ApiError('body_broken_off')))
    payload.once('close', () => {
      if (!payload.complete) stop(new ApiError('body_broken_off'))
    })
  })
}

function parse(bytes: Buffer, contract: AnyRoute | undefined): unknown {
  if (bytes.length === 0) return undefined
  // Decoding would silently turn invalid bytes into replacement characters.
  if (!isUtf8(bytes)) throw new ApiError('malformed_json')
  const excess = findExcess(bytes, maxValuesOf(contract))
  if (excess !== null) {
    throw new ApiError('invalid_input', {
      message: `The request body ${excess}.`,
      attributes: { body: excess },
    })
  }
  try {
    return JSON.parse(bytes.toString())
  } catch {
    throw new ApiError('malformed_json')
  }
}

function maxValuesOf(contract: AnyRoute | undefined): number {
  if (contract?.access === 'agent') return maxValues.agent
  return contract?.bodyLimit === 'project' ? maxValues.project : maxValues.others
}

function tooLarge(limitBytes: number): ApiError {
  return new ApiError('body_too_large', {
    message: `The request body is larger than ${limitBytes.toLocaleString('en')} bytes, the limit of this route.`,
    attributes: { maxBytes: limitBytes },
  })
}
