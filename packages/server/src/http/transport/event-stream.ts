// Sends server-sent events (WHATWG HTML, section 9.2).
import { PassThrough } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Log } from '../../core/log.ts'

/** What a client may leave unread before it's cut off. */
const maxUnreadBytes = 1024 * 1024

export interface ServerEvent {
  event: string
  id?: number | string
  /** A text is sent as it is. */
  data: string | object
}

export interface EventSink {
  send(event: ServerEvent): void
  /** A comment, so that neither side takes the connection for dead. */
  sendComment(): void
  close(): void
}

/** A handler returns this to send events. `start` returns what to call at the end. */
export class EventStream {
  readonly #start: (sink: EventSink) => () => void

  constructor(start: (sink: EventSink) => () => void) {
    this.#start = start
  }

  /** Ends when the client disconnects or the server closes. `check` throws if data doesn't fit the contract. */
  send(reply: FastifyReply, check: (data: object) => void): FastifyReply {
    const { closing } = reply.server
    const bytes = new PassThrough({ highWaterMark: maxUnreadBytes })
    const write = (text: string) => {
      if (bytes.writableEnded) return
      bytes.write(text)
      if (bytes.writableLength + bytes.readableLength + reply.raw.writableLength > maxUnreadBytes)
        reply.raw.destroy()
    }
    const finish = () => bytes.end()
    const stop = this.#start({
      send({ event, id, data }) {
        if (typeof data !== 'string') check(data)
        const text = typeof data === 'string' ? data : JSON.stringify(data)
        const lines = [`event: ${event}`, ...(id === undefined ? [] : [`id: ${id}`]), `data: ${text}`]
        write(`${lines.join('\n')}\n\n`)
      },
      sendComment: () => write(':\n\n'),
      close: finish,
    })
    closing.addEventListener('abort', finish)
    reply.raw.once('close', () => {
      closing.removeEventListener('abort', finish)
      stop()
      bytes.destroy()
    })
    // Proxies that buffer would delay events.
    reply.headers({ 'cache-control': 'private, no-store', 'x-accel-buffering': 'no' })
    return reply.type('text/event-stream; charset=utf-8').send(bytes)
  }
}

const allowedEveryMs = 2_000
const aliveEveryMs = 15_000

/** Sends events until they end, or the caller may not read them any more. */
export function streamOf(
  events: AsyncIterable<ServerEvent>,
  { isStillAllowed, log }: { isStillAllowed(): Promise<boolean>; log: Log },
): EventStream {
  return new EventStream((sink) => {
    const iterator = events[Symbol.asyncIterator]()
    const alive = setInterval(() => sink.sendComment(), aliveEveryMs)
    const allowed = setInterval(
      () => void isStillAllowed().then((isAllowed) => isAllowed || sink.close(), sink.close),
      allowedEveryMs,
    )
    const pump = async () => {
      for (let next = await iterator.next(); !next.done; next = await iterator.next()) sink.send(next.value)
    }
    void pump()
      .catch((err: unknown) => log.error({ err }, 'event-stream.failed'))
      .finally(() => sink.close())
    return () => {
      clearInterval(alive)
      clearInterval(allowed)
      void iterator.return?.()
    }
  })
}
