// How long a run has waited for a resource of this agent: memory, a thread, its turn. The target isn't responsible for these
// waits, so response times exclude them and time limits pause.

export type AgentWaits = ReturnType<typeof agentWaits>

export function agentWaits(monotonic: () => number) {
  let open = 0
  let began = 0
  let endedMs = 0
  let watchers: ((isWaiting: boolean) => void)[] = []
  const notify = () => {
    for (const watcher of watchers) watcher(open > 0)
  }
  return {
    /** Starts a wait. The returned function ends it. Overlapping waits count once. */
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
    get totalMs(): number {
      return endedMs + (open > 0 ? monotonic() - began : 0)
    },
    /** Calls back when waiting starts and ends. */
    watch(onChange: (isWaiting: boolean) => void) {
      watchers.push(onChange)
      return () => {
        watchers = watchers.filter((watcher) => watcher !== onChange)
      }
    },
  }
}
