// Ends a cell that exceeds its limits. With a control group the kernel limits memory and processes; without one the agent measures the
// memory. A measurement reads at most one file of each process, whose number is limited, and takes a fifth of the time.
import type { CellEnd, CellLimits } from './cell.ts'
import { temporaryFolders } from './cell-root.ts'
import {
  diskUsage,
  folderBytes,
  hiddenBytes,
  residentBytes,
  socketBytes,
  temporaryFiles,
} from './cell-usage.ts'
import type { RunGroup } from './run-groups.ts'
import { type Watch, watchBytes, watchMemory } from './watchdog.ts'

const memoryEveryMs = 100
const hiddenEveryMs = 1_000
const processesEveryMs = 1_000
/** In /tmp and in /dev/shm: an inode takes about 1 kB of kernel memory, even for an empty file. */
const maxTemporaryFiles = 65_536
/** The cost grows with the size of the directory. */
const diskEveryMs = 3_000

interface WatchedCell {
  pid: number
  /** The cell's first process. Null without a namespace: only the descendants of `pid` are measured. */
  first: number | null
  work: string
  limits: CellLimits
  group: RunGroup | null
  onExcess(reason: CellEnd['reason']): void
}

export async function watchCell({ pid, first, work, limits, group, onExcess }: WatchedCell): Promise<Watch> {
  const { memoryBytes, diskBytes } = limits
  const onMemory = { maxBytes: memoryBytes, onExcess: () => onExcess('memory') }
  const onDisk = { maxBytes: diskBytes, onExcess: () => onExcess('disk') }
  let measurements = 0
  const watches = [
    watchBytes({
      ...onDisk,
      everyMs: diskEveryMs,
      measure: () => folderBytes(work, measurements++ % 3 === 2 ? 'files' : 'bytes'),
    }),
  ]
  if (group) watches.push(watchProcesses(group, () => onExcess('processes')))
  else if (first === null) watches.push(watchMemory(pid, memoryBytes, onMemory.onExcess))
  if (first !== null) {
    const root = `/proc/${first}/root`
    const list = `${root}/proc`
    const before = await diskUsage(work)
    const memory = [() => residentBytes(list), () => socketBytes(`/proc/${first}`)]
    watches.push(
      ...(group ? [] : memory.map((measure) => watchBytes({ ...onMemory, everyMs: memoryEveryMs, measure }))),
      ...temporaryFolders.map((folder) =>
        watchBytes({
          ...{ everyMs: memoryEveryMs, maxBytes: maxTemporaryFiles, onExcess: onDisk.onExcess },
          measure: () => temporaryFiles(`${root}${folder}`),
        }),
      ),
      watchBytes({
        ...onDisk,
        everyMs: hiddenEveryMs,
        // Reads every open file of every process only if the disk has become fuller by half the limit.
        async measure() {
          const now = await diskUsage(work).catch(() => before)
          return now - before < diskBytes / 2 ? 0 : hiddenBytes(list, work)
        },
      }),
    )
  }
  return {
    stop() {
      for (const watch of watches) watch.stop()
    },
  }
}

/** The kernel refuses further processes, and the run would go on without them. If its memory is exceeded, the kernel ends it. */
export function watchProcesses(group: RunGroup, onExcess: () => void): Watch {
  const measure = async () => (group.exceeded() === 'processes' ? 1 : 0)
  return watchBytes({ measure, everyMs: processesEveryMs, maxBytes: 0, onExcess })
}
