// A signal with a time limit of its own, besides the signal of the caller.
import type { AgentWaits } from '../core/agent-waits.ts'

/** With `waits`, the time that the run waits for its agent doesn't count. */
export function deadline(signal: AbortSignal, limitMs: number, waits?: AgentWaits) {
  const controller = new AbortController()
  const follow = () => controller.abort(signal.reason)
  const timeOut = () => controller.abort(new DOMException('the time limit has passed', 'TimeoutError'))
  let leftMs = limitMs
  let startedAt = performance.now()
  let timer: NodeJS.Timeout | null = setTimeout(timeOut, leftMs)
  const unwatch = waits?.watch((isWaiting) => {
    if (isWaiting && timer) {
      clearTimeout(timer)
      timer = null
      leftMs -= performance.now() - startedAt
    } else if (!isWaiting && !timer) {
      startedAt = performance.now()
      timer = setTimeout(timeOut, Math.max(1, leftMs))
    }
  })
  if (signal.aborted) follow()
  else signal.addEventListener('abort', follow, { once: true })
  return {
    signal: controller.signal,
    clear() {
      unwatch?.()
      if (timer) clearTimeout(timer)
      signal.removeEventListener('abort', follow)
    },
  }
}
