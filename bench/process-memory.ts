// Memory of processes as reported by Linux.
import { readFileSync } from 'node:fs'

export interface Memory {
  /** Resident memory, shared pages counted in full. */
  rssMb: number
  /** Proportional set size: those of several processes add up. */
  pssMb: number
}

export function memoryOf(pids: number[]): Memory {
  const sum = { rssMb: 0, pssMb: 0 }
  for (const pid of pids) {
    try {
      const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
      const mb = (name: string) =>
        (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(text)?.[1] ?? 0) * 1024) / 1e6
      sum.rssMb += mb('Rss')
      sum.pssMb += mb('Pss')
    } catch {
      // Ended meanwhile.
    }
  }
  return sum
}

/** The peak. */
export function peakRssMb(pid: number): number {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8')
  return (Number(/^VmHWM:\s+(\d+) kB/m.exec(text)?.[1] ?? 0) * 1024) / 1e6
}

export function memoryText({ rssMb, pssMb }: Memory): string {
  return `${rssMb.toFixed(0)} MB RSS, ${pssMb.toFixed(0)} MB PSS`
}
