// Follows a test session by its stream of events: the states of its runs, and the log of code while it runs.
import { useEffect, useRef, useState } from 'react'
import { basePath } from '../api/base-path.ts'
import { type ResponseTo, requestHeaders } from '../api/call.ts'
import { EventParser } from '../core/event-parser.ts'
import { addProgress, noProgress, type TestProgress } from '../core/test-progress.ts'

const pauseMs = 2_000

/** `onEnd`: the session is over, and everything about it can be read. */
export function useTestProgress(sessionId: string, isOver: boolean, onEnd: () => void): TestProgress {
  const [progress, setProgress] = useState<TestProgress>(noProgress)
  // A new callback doesn't need a new stream.
  const latestOnEnd = useRef(onEnd)
  latestOnEnd.current = onEnd
  useEffect(() => {
    if (isOver) return
    const ended = new AbortController()
    const add = (message: ResponseTo<'GET /v1/test-sessions/{testSessionId}/events'>) =>
      setProgress((before) => addProgress(before, message))
    follow(sessionId, add, ended.signal)
      .then((isEnd) => isEnd && latestOnEnd.current())
      .catch(() => undefined)
    return () => ended.abort()
  }, [sessionId, isOver])
  return progress
}

type Message = ResponseTo<'GET /v1/test-sessions/{testSessionId}/events'>

/** True: the stream said that the session is over. A broken one is resumed after the last line that came. */
async function follow(
  sessionId: string,
  onMessage: (message: Message) => void,
  signal: AbortSignal,
): Promise<boolean> {
  let lastId: string | null = null
  while (!signal.aborted) {
    const parser = new EventParser()
    try {
      const response = await fetch(`${basePath}/v1/test-sessions/${encodeURIComponent(sessionId)}/events`, {
        headers: { ...requestHeaders(), ...(lastId === null ? {} : { 'last-event-id': lastId }) },
        signal,
      })
      if (response.status >= 400 && response.status < 500 && response.status !== 429) return false
      const pieces = response.ok ? response.body?.pipeThrough(new TextDecoderStream()) : undefined
      const reader = pieces?.getReader()
      for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
        for (const { event, data, id } of parser.push(piece.value)) {
          lastId = id ?? lastId
          onMessage(JSON.parse(data))
          if (event === 'end') return true
        }
      }
    } catch (error) {
      if (signal.aborted) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, pauseMs))
  }
  return false
}
