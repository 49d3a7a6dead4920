// How long a run has waited for a resource of this agent: memory, a thread, its turn. A target isn't charged for that:
// response times leave it out, and time limits stand still meanwhile.

export interface AgentWaits {
  /** A wait begins; call what is returned when it is over. Waits that overlap count once. */
  begin(): () => void
  readonly totalMs: number
  /** Called when waiting begins and when it ends. */
  watch(onChange: (isWaiting: boolean) => void): () => void
}

export function agentWaits(monotonic: () => number): AgentWaits {
  let open = 0
  let began = 0
  let endedMs = 0
  const watchers = new Set<(isWaiting: boolean) => void>()
  const notify = () => {
    for (const watcher of watchers) watcher(open > 0)
  }
  return {
    begin() {
      let isOver = false
      if (open++ === 0) {
        began = monotonic()
        notify()
      }
      return () => {
        if (isOver) return
        isOver = true
        if (--open > 0) return
        endedMs += monotonic() - began
        notify()
      }
    },
    get totalMs() {
      return endedMs + (open > 0 ? monotonic() - began : 0)
    },
    watch(onChange) {
      watchers.add(onChange)
      return () => void watchers.delete(onChange)
    },
  }
}
