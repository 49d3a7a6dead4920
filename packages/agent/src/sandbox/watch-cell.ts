// Ends a cell that exceeds its limits.
import type { CellEnd, CellLimits } from './cell.ts'
import { temporaryFolders } from './cell-root.ts'
import {
  folderBytes,
  hiddenBytes,
  machineUsage,
  type ProcessList,
  residentBytes,
  temporaryFiles,
} from './cell-usage.ts'
import { type Watch, watchBytes, watchMemory } from './watchdog.ts'

const memoryEveryMs = 100
const hiddenEveryMs = 1_000
/** In /tmp and in /dev/shm: an inode takes about 1 kB of kernel memory, even for an empty file. */
const maxTemporaryFiles = 65_536
/** The cost grows with the size of the directory. */
const diskEveryMs = 3_000

interface WatchedCell {
  pid: number
  /** The path of the cell's root. Null without a namespace: only the descendants of `pid` are measured. */
  root: string | null
  work: string
  limits: CellLimits
  onExcess(reason: CellEnd['reason']): void
}

export async function watchCell({ pid, root, work, limits, onExcess }: WatchedCell): Promise<Watch> {
  const list = root === null ? null : `${root}/proc`
  const { memoryBytes, diskBytes } = limits
  const onMemory = { maxBytes: memoryBytes, onExcess: () => onExcess('memory') }
  const onDisk = { maxBytes: diskBytes, onExcess: () => onExcess('disk') }
  const hidden = list === null ? null : await hiddenSince(list, work, limits)
  let measurements = 0
  const watches = [
    list === null
      ? watchMemory(pid, memoryBytes, onMemory.onExcess)
      : watchBytes({ ...onMemory, everyMs: memoryEveryMs, measure: () => residentBytes(list) }),
    watchBytes({
      ...onDisk,
      everyMs: diskEveryMs,
      measure: () => folderBytes(work, measurements++ % 3 === 2 ? 'files' : 'bytes'),
    }),
    ...(root === null
      ? []
      : temporaryFolders.map((folder) =>
          watchBytes({
            everyMs: memoryEveryMs,
            maxBytes: maxTemporaryFiles,
            onExcess: onDisk.onExcess,
            measure: () => temporaryFiles(`${root}${folder}`),
          }),
        )),
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

/** Reads every open file of every process only if the usage of the whole machine has grown by half the limit. */
async function hiddenSince(list: ProcessList, work: string, { memoryBytes, diskBytes }: CellLimits) {
  const before = await machineUsage(work)
  const measure = (kind: 'disk' | 'memory', suspicious: number) => async () => {
    const now = await machineUsage(work).catch(() => null)
    if (now !== null && now[kind] - before[kind] < suspicious) return 0
    return (await hiddenBytes(list, work))[kind]
  }
  return { memory: measure('memory', memoryBytes / 2), disk: measure('disk', diskBytes / 2) }
}
