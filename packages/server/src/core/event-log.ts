// Logs events of checks, alerts and agents, with a rate limit: a thousand checks that fail at once write a few lines and a count.
import type { Log } from './log.ts'

export interface EventLog {
  info(event: string, fields: Record<string, unknown>, message: string): void
}

/** Per event and second; lines beyond it are counted, and the count is logged within a second. */
const linesPerSecond = 20
const windowMs = 1_000

export function createEventLog(log: Pick<Log, 'info'>): EventLog {
  const windows = new Map<string, { written: number; omitted: number }>()

  const open = (event: string) => {
    const window = { written: 0, omitted: 0 }
    windows.set(event, window)
    setTimeout(() => {
      windows.delete(event)
      if (window.omitted > 0) {
        log.info(
          { event, count: window.omitted },
          `${window.omitted} more lines of this kind (${event}) were omitted.`,
        )
      }
    }, windowMs).unref()
    return window
  }

  return {
    info(event, fields, message) {
      const window = windows.get(event) ?? open(event)
      if (window.written >= linesPerSecond) {
        window.omitted += 1
        return
      }
      window.written += 1
      log.info({ event, ...fields }, message)
    },
  }
}
