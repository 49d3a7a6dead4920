// Lines about what happens to checks, alerts and agents. A thousand checks that fail at once write a few lines and a count.
import type { Log } from './log.ts'

export interface EventLog {
  info(event: string, fields: Record<string, unknown>, message: string): void
}

/** Per event and second; what exceeds it is counted, and the count follows within a second. */
const linesPerSecond = 20
const windowMs = 1_000

export function createEventLog(log: Pick<Log, 'info'>): EventLog {
  const windows = new Map<string, { written: number; left: number }>()

  const open = (event: string) => {
    const window = { written: 0, left: 0 }
    windows.set(event, window)
    setTimeout(() => {
      windows.delete(event)
      if (window.left > 0) {
        log.info(
          { event, count: window.left },
          `${window.left} more lines of this kind (${event}) were left out.`,
        )
      }
    }, windowMs).unref()
    return window
  }

  return {
    info(event, fields, message) {
      const window = windows.get(event) ?? open(event)
      if (window.written >= linesPerSecond) {
        window.left += 1
        return
      }
      window.written += 1
      log.info({ event, ...fields }, message)
    },
  }
}
