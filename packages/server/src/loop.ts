import type { Log } from './log.ts'

export interface Loop {
  stop(): Promise<void>
}

/** Does a piece of work again and again; a failure is logged and the next turn comes all the same. */
export function every(periodMs: number, work: () => Promise<void>, log: Log): Loop {
  let running: Promise<void> = Promise.resolve()
  const timer = setInterval(() => {
    running = running.then(work).catch((error) => log.error({ err: error }, 'loop.failed'))
  }, periodMs)
  timer.unref()
  return {
    async stop() {
      clearInterval(timer)
      await running
    },
  }
}
