// A client that doesn't read its response is cut off: after a minute without progress, at a rate below 8 kB/s, or when unread
// responses take too much memory.
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'

const mb = 1024 * 1024

export interface ReaderLimits {
  stallMs: number
  minBytesPerMs: number
  /** Smaller responses fit into the buffers of the system, or do no harm. */
  countedBytes: number
  maxUnreadBytes: number
}

const defaults: ReaderLimits = {
  stallMs: 60_000,
  minBytesPerMs: 8,
  countedBytes: 64 * 1024,
  maxUnreadBytes: 256 * mb,
}

export function cutOffSlowReaders(app: FastifyInstance, given: Partial<ReaderLimits> = {}): void {
  const limits = { ...defaults, ...given }
  /** Oldest first. */
  const unread = new Map<Socket, number>()
  let total = 0
  const forget = (socket: Socket) => {
    total -= unread.get(socket) ?? 0
    unread.delete(socket)
  }

  app.addHook('onSend', (_request, reply, payload, done) => {
    done(null, payload)
    const { raw } = reply
    const { socket } = raw
    // Injected requests have no socket.
    if (typeof socket?.setTimeout !== 'function' || socket.destroyed) return
    // Node destroys a connection that times out. Sent bytes count as activity, also within a single large write.
    socket.setTimeout(limits.stallMs)
    const bytes = lengthOf(payload)
    if (bytes < limits.countedBytes) return
    // Cuts off readers that read just enough to avoid the timeout. Rounded so that Node can share timers.
    const timeMs = limits.stallMs + Math.ceil(bytes / limits.minBytesPerMs / 10_000) * 10_000
    const timer = setTimeout(() => socket.destroy(), timeMs)
    unread.set(socket, bytes)
    total += bytes
    raw.once('close', () => {
      clearTimeout(timer)
      forget(socket)
    })
    for (const oldest of unread.keys()) {
      if (total <= limits.maxUnreadBytes) break
      oldest.destroy()
      forget(oldest)
    }
  })
}

/** Streams are read only as fast as the client reads, so they hold almost nothing. */
function lengthOf(payload: unknown): number {
  if (typeof payload === 'string') return payload.length
  return Buffer.isBuffer(payload) ? payload.length : 0
}
