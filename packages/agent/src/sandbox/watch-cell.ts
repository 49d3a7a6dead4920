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
import { readProc, residentBytesOf } from './processes.ts'
import type { RunGroup } from './run-groups.ts'

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

export interface Watch {
  stop(): void
}

export async function watchCell({ pid, first, work, limits, group, onExcess }: WatchedCell): Promise<Watch> {
  const { memoryBytes, diskBytes } = limits
  const onMemory = { everyMs: memoryEveryMs, maxBytes: memoryBytes, onExcess: () => onExcess('memory') }
  const onDisk = { maxBytes: diskBytes, onExcess: () => onExcess('disk') }
  let measurements = 0
  const watched: Watched[] = [
    {
      ...{ ...onDisk, everyMs: diskEveryMs },
      measure: () => folderBytes(work, measurements++ % 3 === 2 ? 'files' : 'bytes'),
    },
  ]
  if (first !== null) {
    const root = `/proc/${first}/root`
    const list = `${root}/proc`
    const before = await diskUsage(work)
    const memory = [() => residentBytes(list), () => socketBytes(`/proc/${first}`)]
    watched.push(
      ...(group ? [] : memory.map((measure) => ({ ...onMemory, measure }))),
      ...temporaryFolders.map((folder) => ({
        ...{ ...onDisk, everyMs: memoryEveryMs, maxBytes: maxTemporaryFiles },
        measure: () => temporaryFiles(`${root}${folder}`),
      })),
      {
        ...{ ...onDisk, everyMs: hiddenEveryMs },
        // Reads every open file of every process only if the disk has become fuller by half the limit.
        async measure() {
          const now = await diskUsage(work).catch(() => before)
          return now - before < diskBytes / 2 ? 0 : hiddenBytes(list, work)
        },
      },
    )
  }
  const watches = watched.map(watchBytes)
  if (group) watches.push(watchProcesses(group, () => onExcess('processes')))
  else if (first === null) watches.push(watchMemory(pid, memoryBytes, onMemory.onExcess))
  return {
    stop() {
      for (const watch of watches) watch.stop()
    },
  }
}

/** The kernel refuses further processes, and the run would go on without them. If its memory is exceeded, the kernel ends it. */
export function watchProcesses(group: RunGroup, onExcess: () => void): Watch {
  const measure = () => (group.exceeded() === 'processes' ? 1 : 0)
  return watchBytes({ measure, everyMs: processesEveryMs, maxBytes: 0, onExcess })
}

/** Measures the process and its descendants. */
export function watchMemory(pid: number, maxBytes: number, onExcess: () => void): Watch {
  return watchBytes({ measure: () => residentBytesBelow(pid), everyMs: memoryEveryMs, maxBytes, onExcess })
}

function residentBytesBelow(pid: number): number {
  const own = residentBytesOf(`/proc/${pid}`)
  const children = readProc(`/proc/${pid}/task/${pid}/children`).match(/\d+/g) ?? []
  return children.reduce((sum, child) => sum + residentBytesBelow(Number(child)), own)
}

interface Watched {
  /** Never rejects. */
  measure(): number | Promise<number>
  everyMs: number
  maxBytes: number
  onExcess(): void
}

/** A measurement takes at most this share of the time: code with many processes must not keep the agent busy. */
const maxShare = 0.2

/** Calls `onExcess` at most once. Measurements don't overlap. */
function watchBytes({ measure, everyMs: ms, maxBytes, onExcess }: Watched): Watch {
  let isStopped = false
  let timer: NodeJS.Timeout
  const check = async () => {
    const started = performance.now()
    const bytes = await measure()
    if (isStopped) return
    const tookMs = performance.now() - started
    if (bytes > maxBytes) onExcess()
    else timer = setTimeout(check, Math.max(ms, tookMs / maxShare)).unref()
  }
  timer = setTimeout(check, ms).unref()
  return {
    stop() {
      isStopped = true
      clearTimeout(timer)
    },
  }
}
