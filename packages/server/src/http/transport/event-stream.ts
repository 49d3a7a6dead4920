// Responds with server-sent events. A slow reader is not sent more than it reads, and is cut off when it stops reading
// (slow-readers.ts).
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'

export interface ServerEvent<T> {
  event: string
  id: string
  data: T
}

/** A handler returns this to send events until they end or the client disconnects. */
export class EventStream<T> {
  readonly events: AsyncIterable<ServerEvent<T>>

  constructor(events: AsyncIterable<ServerEvent<T>>) {
    this.events = events
  }
}

interface StreamRules {
  /** Whether the caller may still read: its key may be revoked, or its role lowered. */
  isAllowed(): Promise<boolean>
  /** Throws if the data doesn't fit the contract. */
  check(data: unknown): void
}

const allowedEveryMs = 2_000
const aliveEveryMs = 15_000

export function sendEvents(
  reply: FastifyReply,
  { events }: EventStream<unknown>,
  rules: StreamRules,
): FastifyReply {
  return (
    reply
      // For proxies that buffer responses.
      .headers({ 'cache-control': 'no-store', 'x-accel-buffering': 'no' })
      .type('text/event-stream; charset=utf-8')
      .send(Readable.from(framesOf(events[Symbol.asyncIterator](), rules)))
  )
}

async function* framesOf(
  events: AsyncIterator<ServerEvent<unknown>>,
  { isAllowed, check }: StreamRules,
): AsyncGenerator<string> {
  let [sentAt, allowedAt] = [performance.now(), performance.now()]
  let next = events.next()
  try {
    for (;;) {
      const result = await withinTick(next)
      if (performance.now() - allowedAt >= allowedEveryMs) {
        if (!(await isAllowed())) return
        allowedAt = performance.now()
      }
      if (result?.done) return
      if (result !== null) {
        check(result.value.data)
        next = events.next()
        yield frameOf(result.value)
      } else if (performance.now() - sentAt >= aliveEveryMs) yield ': alive\n\n'
      else continue
      sentAt = performance.now()
    }
  } finally {
    next.catch(() => undefined)
    void events.return?.()
  }
}

/** Null: not within the time. */
async function withinTick<T>(promise: Promise<T>): Promise<T | null> {
  const timer = new AbortController()
  const tick = sleep(allowedEveryMs, null, { signal: timer.signal }).catch(() => null)
  try {
    return await Promise.race([promise, tick])
  } finally {
    timer.abort()
  }
}

function frameOf({ event, id, data }: ServerEvent<unknown>): string {
  return `event: ${event}\nid: ${id}\ndata: ${JSON.stringify(data)}\n\n`
}
