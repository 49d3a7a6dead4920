// One stream per browser: over HTTP/1.1 a browser has six connections per host, and every tab would take one. The tab that holds
// a lock reads the stream and passes its events on to the others.
import { notifyFailure } from '../api/connection.ts'
import type { ServerEvent } from '../core/event-parser.ts'
import { type EventStream, openEventStream } from './event-stream.ts'
import { uniteWatched } from './watched-ids.ts'

type Message =
  | { kind: 'watch'; tab: string; ids: readonly string[] }
  | { kind: 'leave'; tab: string }
  | { kind: 'ask' }
  | { kind: 'event'; event: ServerEvent }
  | { kind: 'lost' }
  | { kind: 'ended' }

const settleMs = 300

export interface SharedStream {
  /** The checks that this tab shows. */
  watch(ids: readonly string[]): void
  close(): void
}

interface SharedStreamHandlers {
  onEvent(event: ServerEvent): void
  /** The server has ended the stream, whichever tab reads it. */
  onEnded(): void
}

export function openSharedStream(
  accountId: string,
  { onEvent, onEnded }: SharedStreamHandlers,
): SharedStream {
  const tab = `${Date.now()}-${Math.random()}`
  const channel = new BroadcastChannel(`vedette.live.${accountId}`)
  const byTab = new Map<string, readonly string[]>()
  const ended = new AbortController()
  let own: readonly string[] = []
  let stream: EventStream | null = null
  let settling: ReturnType<typeof setTimeout> | undefined

  const post = (message: Message) => channel.postMessage(message)
  /** Scrolling changes the set many times a second. */
  const renew = () => {
    clearTimeout(settling)
    settling = setTimeout(() => stream?.watch(uniteWatched(byTab)), settleMs)
  }
  const note = (name: string, ids: readonly string[]) => {
    byTab.delete(name)
    byTab.set(name, ids)
    renew()
  }

  channel.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === 'event') onEvent(data.event)
    if (data.kind === 'watch') note(data.tab, data.ids)
    if (data.kind === 'lost') notifyFailure()
    if (data.kind === 'ended') onEnded()
    if (data.kind === 'ask') post({ kind: 'watch', tab, ids: own })
    if (data.kind === 'leave') {
      byTab.delete(data.tab)
      renew()
    }
  }

  const lead = () => {
    stream = openEventStream({
      onEvent(event) {
        post({ kind: 'event', event })
        onEvent(event)
      },
      onLost() {
        post({ kind: 'lost' })
        notifyFailure()
      },
      onEnded() {
        post({ kind: 'ended' })
        onEnded()
      },
    })
    post({ kind: 'ask' })
    renew()
  }

  // Browsers have locks on https and localhost only. Elsewhere each tab has a stream of its own.
  if (!('locks' in navigator)) lead()
  else {
    const untilEnd = () =>
      new Promise<void>((resolve) => {
        if (ended.signal.aborted) return resolve()
        lead()
        ended.signal.addEventListener('abort', () => resolve())
      })
    navigator.locks
      .request(`vedette.live.${accountId}`, { signal: ended.signal }, untilEnd)
      .catch(() => undefined)
  }

  return {
    watch(ids) {
      own = ids
      note(tab, ids)
      post({ kind: 'watch', tab, ids })
    },
    close() {
      post({ kind: 'leave', tab })
      clearTimeout(settling)
      ended.abort()
      stream?.close()
      channel.close()
    },
  }
}
