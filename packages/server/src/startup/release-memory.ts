// Gives memory back that V8 keeps: of the start, and of what happened since, while little happens.
import { performance } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const firstMs = 30_000
const everyMs = 120_000
/** Collecting all garbage stops the process for about a tenth of a second: a busy one goes on. */
const mostBusy = 0.3
const leastBytes = 8 * 2 ** 20

interface Heap {
  collect(): void
  bytes(): number
}

/** Until the process ends. V8 would let its heap grow to twice what is used before it collects all garbage again. */
export function releaseMemory({ collect, bytes } = ownHeap()): void {
  let before = performance.eventLoopUtilization()
  let keptBytes = 0
  const look = () => {
    const { utilization } = performance.eventLoopUtilization(before)
    before = performance.eventLoopUtilization()
    if (utilization > mostBusy || bytes() - keptBytes < leastBytes) return
    collect()
    keptBytes = bytes()
  }
  setTimeout(() => {
    look()
    setInterval(look, everyMs).unref()
  }, firstMs).unref()
}

function ownHeap(): Heap {
  setFlagsFromString('--expose-gc')
  return { collect: runInNewContext('gc'), bytes: () => process.memoryUsage().heapTotal }
}
