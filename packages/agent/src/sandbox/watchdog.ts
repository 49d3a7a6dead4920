// Memory that no limit of the system's catches: Buffers outside of V8's heap, on hosts where limits differ.
import { readFile } from 'node:fs/promises'

const everyMs = 100

/** Looks at the process and its descendants; ends with `stop`. Where there is no /proc it sees nothing. */
export function watchMemory(pid: number, maxBytes: number, onExcess: () => void): { stop(): void } {
  let isStopped = false
  let timer: NodeJS.Timeout
  const look = async () => {
    const bytes = await residentBytes(pid)
    if (isStopped) return
    if (bytes > maxBytes) onExcess()
    else timer = setTimeout(look, everyMs)
  }
  timer = setTimeout(look, everyMs)
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
