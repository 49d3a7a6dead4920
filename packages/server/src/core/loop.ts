import { metrics } from '../prometheus/metrics.ts'
import type { Log } from './log.ts'
import type { ServerTurns } from './server-turns.ts'

export interface Loop {
  stop(): Promise<void>
}

/** Loops start at different moments: in step, each would open a connection to PostgreSQL (7 MB), where a few serve all. */
const staggerMs = 83
let loopCount = 0

/**
 * Repeats the work every period. A failure is logged and doesn't stop the loop. With `turns`, servers take turns; one that returns
 * true has more to do, and takes the next turn too.
 */
export function every(
  periodMs: number,
  work: () => Promise<unknown>,
  log: Log,
  name = 'other',
  turns?: Pick<ServerTurns, 'isOwn'>,
): Loop {
  let running: Promise<void> | null = null
  let hasMore = false
  const turn = async () => {
    if (turns !== undefined && !hasMore && !turns.isOwn(periodMs)) return
    const startedAt = performance.now()
    hasMore = false
    try {
      hasMore = (await work()) === true
    } catch (error) {
      metrics.loopFailures.add(1, { loop: name })
      log.error({ err: error, loop: name }, 'loop.failed')
    } finally {
      metrics.loopTurn.observe((performance.now() - startedAt) / 1000, { loop: name })
    }
  }
  const start = () => {
    // Turns that would overlap with a slow one are skipped.
    running ??= turn().finally(() => {
      running = null
    })
  }
  let timer: NodeJS.Timeout = setTimeout(
    () => {
      timer = setInterval(start, periodMs).unref()
    },
    (loopCount++ * staggerMs) % Math.min(periodMs, 1_000),
  ).unref()
  return {
    async stop() {
      clearTimeout(timer)
      await running
    },
  }
}
