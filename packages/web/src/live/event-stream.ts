// The stream of events of one account, resumed when it breaks.
import { basePath } from '../api/base-path.ts'
import { requestHeaders } from '../api/call.ts'
import { notifyResponse, sessionEnded } from '../api/connection.ts'
import { EventParser, type ServerEvent } from '../core/event-parser.ts'

const longestPauseMs = 30_000

export interface EventStream {
  watch(checkIds: readonly string[]): void
  close(): void
}

interface StreamHandlers {
  onEvent(event: ServerEvent): void
  /** There is no connection. */
  onLost(): void
  /** The server has ended it, or refuses it: the role of the user may have changed. */
  onEnded(): void
}

export function openEventStream({ onEvent, onLost, onEnded }: StreamHandlers): EventStream {
  let checkIds: readonly string[] = []
  let lastId: string | null = null
  let isClosed = false
  let current = new AbortController()
  let wake = () => {}

  async function read(signal: AbortSignal): Promise<void> {
    const search = new URLSearchParams(checkIds.map((id) => ['checkIds[]', id]))
    const response = await fetch(`${basePath}/v1/events?${search}`, {
      headers: {
        ...requestHeaders(),
        accept: 'text/event-stream',
        ...(lastId === null ? {} : { 'last-event-id': lastId }),
      },
      signal,
    }).catch((error: unknown) => {
      if (!signal.aborted) onLost()
      throw error
    })
    notifyResponse(response.status)
    if (response.status === 401) sessionEnded.set(true)
    if (response.status === 403 || response.status === 404) onEnded()
    if (!response.ok || response.body === null)
      throw new Error(`The stream of events responded with ${response.status}`)
    const parser = new EventParser()
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader()
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      for (const event of parser.push(part.value)) {
        lastId = event.id ?? lastId
        onEvent(event)
      }
    }
  }

  async function run(): Promise<void> {
    for (let failures = 0; !isClosed; ) {
      current = new AbortController()
      const startedAt = Date.now()
      try {
        await read(current.signal)
        if (!isClosed) onEnded()
      } catch {
        if (isClosed) return
        // Another set of checks, not a failure.
        if (current.signal.aborted) continue
      }
      failures = Date.now() - startedAt > 60_000 ? 0 : failures + 1
      await pause(Math.min(longestPauseMs, 500 * 2 ** failures) * (0.5 + Math.random() / 2))
    }
  }

  function pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }

  // After signing in again, or when the network is back.
  const unsubscribe = sessionEnded.subscribe(() => wake())
  const wakeUp = () => wake()
  addEventListener('online', wakeUp)
  run()
  return {
    watch(ids) {
      if (ids.join() === checkIds.join()) return
      checkIds = ids
      current.abort()
    },
    close() {
      isClosed = true
      unsubscribe()
      removeEventListener('online', wakeUp)
      current.abort()
      wake()
    },
  }
}
