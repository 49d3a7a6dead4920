// A body that is handed on as it comes. Nobody waits for ever for the next byte of it, and whoever is refused in the
// middle of sending is told so before the connection ends.
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { ApiError } from '@vedette/contracts'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { askForBody } from './http-server.ts'

const drainMs = 3_000

/** A sender that is slower than this over a window is cut off. */
export interface SenderLimits {
  windowMs: number
  minBytesPerMs: number
}

const defaults: SenderLimits = { windowMs: 60_000, minBytesPerMs: 4 }

/** Throws when the sender goes away, or sends too slowly. */
export async function* streamedBody(
  { raw, headers }: Pick<FastifyRequest, 'raw' | 'headers'>,
  { windowMs, minBytesPerMs }: SenderLimits = defaults,
): AsyncGenerator<Buffer> {
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') {
    const message = 'Send the file as it is, without a Content-Encoding.'
    throw new ApiError('unsupported_media_type', { message })
  }
  askForBody(raw)
  // Only the time in which the sender is waited for counts: a slow store isn't its fault.
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

/** Its connection outlives a reader that stops early: the answer goes out on it. */
async function* chunksOf(raw: IncomingMessage): AsyncGenerator<Buffer> {
  const chunks = raw.iterator({ destroyOnReturn: false })
  for (;;) {
    const { done, value } = await chunks.next().catch(() => brokeOff())
    if (done) break
    yield value as Buffer
  }
  if (!raw.complete) brokeOff()
}

function brokeOff(): never {
  throw new ApiError('body_broken_off')
}

/** After a refusal: what is still sent is thrown away for a moment, so that the sender comes to read the answer. */
export async function leaveRest({ raw }: FastifyRequest, reply: FastifyReply): Promise<void> {
  if (raw.complete || raw.destroyed) return
  reply.header('connection', 'close')
  raw.resume()
  await once(raw, 'end', { signal: AbortSignal.timeout(drainMs) }).catch(() => undefined)
}
