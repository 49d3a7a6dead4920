// Limits that the kernel doesn't enforce here: memory outside V8's heap, and memory and disk of many processes together.
import { readProc, residentBytesOf } from './read-proc.ts'

const everyMs = 100

export interface Watch {
  stop(): void
}

/** Measures the process and its descendants until `stop`. Needs /proc. */
export function watchMemory(pid: number, maxBytes: number, onExcess: () => void): Watch {
  return watchBytes({ measure: () => residentBytes(pid), everyMs, maxBytes, onExcess })
}

export interface Watched {
  /** Never rejects. */
  measure(): number | Promise<number>
  everyMs: number
  maxBytes: number
  onExcess(): void
}

/** A measurement takes at most this share of the time: code with many processes must not keep the agent busy. */
const maxShare = 0.2

/** Calls `onExcess` at most once. Measurements don't overlap. */
export function watchBytes({ measure, everyMs: ms, maxBytes, onExcess }: Watched): Watch {
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

function residentBytes(pid: number): number {
  const own = residentBytesOf(`/proc/${pid}`)
  const children = readProc(`/proc/${pid}/task/${pid}/children`)
    .split(' ')
    .filter((child) => /^\d+$/.test(child))
  return children.reduce((sum, child) => sum + residentBytes(Number(child)), own)
}
