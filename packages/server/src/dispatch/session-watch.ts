// Who waits for a session. All waiters of a process share one question to the store; while there is none, nothing is
// asked. A session that ends in this process is looked at at once, one that ends elsewhere within half a second.
import { EventEmitter } from 'node:events'

const ended = new EventEmitter().setMaxListeners(0)

/** Told before its transaction commits: a hint to look, not the news itself. */
export function announceEnd(sessionId: string): void {
  ended.emit('end', sessionId)
}

const shortestMs = 20
const longestMs = 500

interface Waiter {
  sessionId: string
  finish(isOver: boolean): void
  fail(error: unknown): void
}

export class SessionWatch {
  private readonly waiters = new Set<Waiter>()
  private readonly listRunning: (ids: string[]) => Promise<Set<string>>
  private timer: NodeJS.Timeout | null = null
  private isAsking = false
  private delayMs = shortestMs

  constructor(listRunning: (ids: string[]) => Promise<Set<string>>) {
    this.listRunning = listRunning
  }

  /** True once the session runs no more; false when the wait is over, or nobody waits any longer. */
  wait(sessionId: string, maxWaitMs: number, signal: AbortSignal): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const giveUp = () => waiter.finish(false)
      const limit = setTimeout(giveUp, maxWaitMs)
      const leave = () => {
        clearTimeout(limit)
        signal.removeEventListener('abort', giveUp)
        this.leave(waiter)
      }
      const waiter: Waiter = {
        sessionId,
        finish(isOver) {
          leave()
          resolve(isOver)
        },
        fail(error) {
          leave()
          reject(error)
        },
      }
      if (signal.aborted) return giveUp()
      signal.addEventListener('abort', giveUp)
      this.join(waiter)
    })
  }

  private readonly onEnd = (sessionId: string) => {
    for (const waiter of this.waiters) if (waiter.sessionId === sessionId) return this.hurry()
  }

  private join(waiter: Waiter): void {
    if (this.waiters.size === 0) ended.on('end', this.onEnd)
    this.waiters.add(waiter)
    this.hurry()
  }

  private leave(waiter: Waiter): void {
    if (!this.waiters.delete(waiter) || this.waiters.size > 0) return
    ended.off('end', this.onEnd)
    if (this.timer !== null) clearTimeout(this.timer)
    this.timer = null
  }

  private hurry(): void {
    this.delayMs = shortestMs
    this.plan()
  }

  private plan(): void {
    if (this.isAsking || this.waiters.size === 0) return
    if (this.timer !== null) clearTimeout(this.timer)
    this.timer = setTimeout(() => this.ask(), this.delayMs)
  }

  private async ask(): Promise<void> {
    this.timer = null
    this.isAsking = true
    this.delayMs = Math.min(longestMs, this.delayMs * 2)
    const asked = [...this.waiters]
    try {
      const running = await this.listRunning([...new Set(asked.map(({ sessionId }) => sessionId))])
      for (const waiter of asked) if (!running.has(waiter.sessionId)) waiter.finish(true)
    } catch (error) {
      for (const waiter of asked) waiter.fail(error)
    } finally {
      this.isAsking = false
      this.plan()
    }
  }
}
