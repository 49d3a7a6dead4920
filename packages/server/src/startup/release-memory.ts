// Gives memory back that V8 and the C library keep: of the start, and of what happened since, while little happens.
import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { trimMemory } from '@vedette/safeguards/trim-memory'

const firstMs = 30_000
const everyMs = 120_000
/** A busy process isn't stopped. */
const mostBusy = 0.3
const leastBytes = 4 * 2 ** 20

interface Memory {
  /** Stops the process for about a fifth of a second. */
  collect(): void
  trim(): void
  bytes(): number
}

/** Until the process ends. V8 would let its heap grow to twice what is used before it collects all garbage again. */
export function releaseMemory({ collect, trim, bytes } = ownMemory()): void {
  let before = performance.eventLoopUtilization()
  let keptBytes = 0
  const look = () => {
    const { utilization } = performance.eventLoopUtilization(before)
    before = performance.eventLoopUtilization()
    if (utilization > mostBusy) return
    if (bytes() - keptBytes >= leastBytes) {
      collect()
      keptBytes = bytes()
    }
    trim()
  }
  setTimeout(() => {
    look()
    setInterval(look, everyMs).unref()
  }, firstMs).unref()
}

function ownMemory(): Memory {
  setFlagsFromString('--expose-gc')
  const collectGarbage: NodeJS.GCFunction = runInNewContext('gc')
  return {
    // An ordinary collection doesn't compact the pages of the heap, which takes 12 MB more.
    collect: () => collectGarbage({ type: 'major', execution: 'sync', flavor: 'last-resort' }),
    trim: trimMemory,
    bytes: () => process.memoryUsage().heapTotal,
  }
}
