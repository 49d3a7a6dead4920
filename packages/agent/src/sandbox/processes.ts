// Processes of this machine and of cells, by their files in /proc. Read synchronously: the kernel responds within microseconds, and a
// read by Node's threads takes ten times the CPU.
import { closeSync, constants, openSync, readdirSync, readSync } from 'node:fs'

const { O_NONBLOCK, O_RDONLY } = constants
/** More than the files have that are read. */
const buffer = Buffer.allocUnsafe(16_384)

/** Empty: the process has ended. */
export function readProc(path: string): string {
  try {
    const fd = openSync(path, O_RDONLY | O_NONBLOCK)
    try {
      return buffer.toString('latin1', 0, readSync(fd, buffer))
    } finally {
      closeSync(fd)
    }
  } catch {
    return ''
  }
}

/** `list`: /proc, or that of a cell. */
export function pidsOf(list: string): string[] {
  try {
    return readdirSync(list).filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

/** The fields of /proc/<pid>/stat from the third one on, the state; empty: the process has ended. */
export function statOf(pid: number | string): string[] {
  const stat = readProc(`/proc/${pid}/stat`)
  // The second field is the name of the program, which may contain spaces and parentheses.
  return stat === '' ? [] : stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

/** Of a process. Without the page cache: programs and libraries that many processes share. */
export function residentBytesOf(process: string): number {
  const status = readProc(`${process}/status`)
  const kilobytes = (line: RegExp) => Number(line.exec(status)?.[1] ?? 0)
  return (kilobytes(/^RssAnon:\s+(\d+) kB/m) + kilobytes(/^RssShmem:\s+(\d+) kB/m)) * 1024
}

/** A negative id: the process group. */
export function killNow(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}
