import { metrics } from '../prometheus/metrics.ts'
import type { Log } from './log.ts'

export interface Loop {
  stop(): Promise<void>
}

/** Does a piece of work again and again; a failure is logged and the next turn comes all the same. */
export function every(periodMs: number, work: () => Promise<void>, log: Log, name = 'other'): Loop {
  let running: Promise<void> | null = null
  const turn = async () => {
    const began = performance.now()
    try {
      await work()
    } catch (error) {
      metrics.loopFailures.add(1, { loop: name })
      log.error({ err: error, loop: name }, 'loop.failed')
    } finally {
      metrics.loopTurn.observe((performance.now() - began) / 1000, { loop: name })
    }
  }
  const timer = setInterval(() => {
    // A turn that takes longer than its period is not followed by those that it made late.
    running ??= turn().finally(() => {
      running = null
    })
  }, periodMs)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}
