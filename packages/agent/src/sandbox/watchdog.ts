// Limits that the kernel doesn't enforce here: memory outside V8's heap, and memory and disk of many processes together.
import { readFile } from 'node:fs/promises'

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
  measure(): Promise<number>
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

async function residentBytes(pid: number): Promise<number> {
  try {
    const status = await readFile(`/proc/${pid}/status`, 'utf8')
    const own = Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024
    const children = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8').catch(() => '')
    const below = children.split(' ').filter((child) => /^\d+$/.test(child))
    const sizes = await Promise.all(below.map((child) => residentBytes(Number(child))))
    return sizes.reduce((sum, size) => sum + size, own)
  } catch {
    return 0
  }
}
