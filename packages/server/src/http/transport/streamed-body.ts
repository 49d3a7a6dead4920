// Streams a body to its handler. Slow senders are cut off, and a client that is refused while it sends receives the response
// before the connection closes.
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { ApiError } from '@vedette/contracts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { askForBody } from './http-server.ts'

/** How long the rest of a refused body is read, at most and without data. */
const drain = { maxMs: 30_000, idleMs: 5_000 }

/** A sender that is slower over a window is cut off. */
export interface SenderLimits {
  windowMs: number
  minBytesPerMs: number
}

const defaults: SenderLimits = { windowMs: 60_000, minBytesPerMs: 4 }

/** Throws if the sender disconnects or is too slow. */
export async function* streamedBody(
  { raw, headers }: Pick<FastifyRequest, 'raw' | 'headers'>,
  { windowMs, minBytesPerMs }: SenderLimits = defaults,
): AsyncGenerator<Buffer> {
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    const message = 'Send the file as it is, without a Content-Encoding.'
    throw new ApiError('unsupported_media_type', { message })
  }
  askForBody(raw)
  // Only the time spent waiting for the sender counts: slow storage isn't its fault.
  let received = 0
  const timer = setTimeout(() => {
    if (received < windowMs * minBytesPerMs) raw.destroy()
    received = 0
    timer.refresh()
  }, windowMs)
  try {
    for await (const chunk of chunksOf(raw)) {
      received += chunk.length
      const before = performance.now()
      yield chunk
      received += (performance.now() - before) * minBytesPerMs
    }
  } finally {
    clearTimeout(timer)
  }
}

/** If the reader stops early, the connection stays open for the response. */
async function* chunksOf(raw: IncomingMessage): AsyncGenerator<Buffer> {
  const chunks = raw.iterator({ destroyOnReturn: false })
  for (;;) {
    const { done, value } = await chunks.next().catch(throwBrokenOff)
    if (done) break
    yield value
  }
  if (!raw.complete) throwBrokenOff()
}

function throwBrokenOff(): never {
  throw new ApiError('body_broken_off')
}

/**
 * After a refusal, reads and discards the rest of the body. If the connection were closed while data is under way, the sender would
 * lose the response.
 */
export async function drainRest({ raw }: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (raw.complete || raw.destroyed) return
  reply.header('connection', 'close')
  const idle = new AbortController()
  const timer = setTimeout(() => idle.abort(), drain.idleMs)
  raw.on('data', () => timer.refresh())
  const signal = AbortSignal.any([idle.signal, AbortSignal.timeout(drain.maxMs)])
  await once(raw, 'end', { signal }).catch(() => undefined)
  clearTimeout(timer)
}
