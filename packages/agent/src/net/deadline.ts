// A limit of our own on top of the one we were given.

export function deadline(signal: AbortSignal, limitMs: number): { signal: AbortSignal; clear(): void } {
  const controller = new AbortController()
  const follow = () => controller.abort(signal.reason)
  const timer = setTimeout(() => controller.abort(new DOMException('time is up', 'TimeoutError')), limitMs)
  if (signal.aborted) follow()
  else signal.addEventListener('abort', follow, { once: true })
  return {
    signal: controller.signal,
    clear() {
      clearTimeout(timer)
      signal.removeEventListener('abort', follow)
    },
  }
}
