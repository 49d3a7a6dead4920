// Ends a cell that uses more than it may.
import type { CellEnd, CellLimits } from './cell.ts'
import { folderBytes, hiddenBytes, machineUse, type ProcessList, residentBytes } from './cell-usage.ts'
import { type Watch, watchBytes, watchMemory } from './watchdog.ts'

const memoryEveryMs = 100
const hiddenEveryMs = 1_000
/** A look at the whole folder costs what the folder is large. */
const diskEveryMs = 3_000

interface WatchedCell {
  pid: number
  /** Null without a namespace: then only the descendants of `pid` are seen. */
  list: ProcessList | null
  work: string
  limits: CellLimits
  end(reason: CellEnd['reason']): void
}

export async function watchCell({ pid, list, work, limits, end }: WatchedCell): Promise<Watch> {
  const { memoryBytes, diskBytes } = limits
  const onMemory = { maxBytes: memoryBytes, onExcess: () => end('memory') }
  const onDisk = { maxBytes: diskBytes, onExcess: () => end('disk') }
  const hidden = list === null ? null : await hiddenSince(list, work, limits)
  let looks = 0
  const watches = [
    list === null
      ? watchMemory(pid, memoryBytes, onMemory.onExcess)
      : watchBytes({ ...onMemory, everyMs: memoryEveryMs, measure: () => residentBytes(list) }),
    watchBytes({
      ...onDisk,
      everyMs: diskEveryMs,
      measure: () => folderBytes(work, looks++ % 3 === 2 ? 'files' : 'bytes'),
    }),
    ...(hidden
      ? [
          watchBytes({ ...onMemory, everyMs: hiddenEveryMs, measure: hidden.memory }),
          watchBytes({ ...onDisk, everyMs: hiddenEveryMs, measure: hidden.disk }),
        ]
      : []),
  ]
  return {
    stop() {
      for (const watch of watches) watch.stop()
    },
  }
}

/** Every open file of every process is looked at only when the machine as a whole has lost so much. */
async function hiddenSince(list: ProcessList, work: string, { memoryBytes, diskBytes }: CellLimits) {
  const before = await machineUse(work)
  const measure = (kind: 'disk' | 'memory', suspicious: number) => async () => {
    const now = await machineUse(work).catch(() => null)
    if (now !== null && now[kind] - before[kind] < suspicious) return 0
    return (await hiddenBytes(list, work))[kind]
  }
  return { memory: measure('memory', memoryBytes / 2), disk: measure('disk', diskBytes / 2) }
}
