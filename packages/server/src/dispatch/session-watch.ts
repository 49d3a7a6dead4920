// Waits for sessions to end. All waiters of a process share one query, which runs only while there are waiters. The end of a
// session in this process triggers the query at once; one in another process is noticed within half a second.
import { EventEmitter } from 'node:events'

const events = new EventEmitter().setMaxListeners(0)

/** A hint to query: it comes before the transaction commits. */
export function announceEnd(sessionId: string): void {
  events.emit('end', sessionId)
}

const minDelayMs = 20
const maxDelayMs = 500

interface Waiter {
  sessionId: string
  finish(isOver: boolean): void
  fail(error: unknown): void
}

export class SessionWatch {
  private readonly waiters = new Set<Waiter>()
  private readonly listRunning: (ids: string[]) => Promise<Set<string>>
  private timer: NodeJS.Timeout | null = null
  private isQuerying = false
  private delayMs = minDelayMs

  constructor(listRunning: (ids: string[]) => Promise<Set<string>>) {
    this.listRunning = listRunning
  }

  /** True when the session has ended; false after maxWaitMs, or when the signal aborts. */
  wait(sessionId: string, maxWaitMs: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const giveUp = () => waiter.finish(false)
      const limit = setTimeout(giveUp, maxWaitMs)
      const cleanUp = () => {
        clearTimeout(limit)
        signal.removeEventListener('abort', giveUp)
        this.remove(waiter)
      }
      const waiter: Waiter = {
        sessionId,
        finish(isOver) {
          cleanUp()
          resolve(isOver)
        },
        fail(error) {
          cleanUp()
          reject(error)
        },
      }
      if (signal.aborted) return giveUp()
      signal.addEventListener('abort', giveUp)
      this.add(waiter)
    })
  }

  private readonly onEnd = (sessionId: string) => {
    for (const waiter of this.waiters) if (waiter.sessionId === sessionId) return this.querySoon()
  }

  private add(waiter: Waiter): void {
    if (this.waiters.size === 0) events.on('end', this.onEnd)
    this.waiters.add(waiter)
    this.querySoon()
  }

  private remove(waiter: Waiter): void {
    if (!this.waiters.delete(waiter) || this.waiters.size > 0) return
    events.off('end', this.onEnd)
    if (this.timer !== null) clearTimeout(this.timer)
    this.timer = null
  }

  private querySoon(): void {
    this.delayMs = minDelayMs
    this.startTimer()
  }

  private startTimer(): void {
    if (this.isQuerying || this.waiters.size === 0) return
    if (this.timer !== null) clearTimeout(this.timer)
    this.timer = setTimeout(() => this.query(), this.delayMs)
  }

  private async query(): Promise<void> {
    this.timer = null
    this.isQuerying = true
    this.delayMs = Math.min(maxDelayMs, this.delayMs * 2)
    const queried = [...this.waiters]
    try {
      const running = await this.listRunning([...new Set(queried.map(({ sessionId }) => sessionId))])
      for (const waiter of queried) if (!running.has(waiter.sessionId)) waiter.finish(true)
    } catch (error) {
      for (const waiter of queried) waiter.fail(error)
    } finally {
      this.isQuerying = false
      this.startTimer()
    }
  }
}
