import { readFileSync, statSync } from 'node:fs'

/** Boot and start tick: with the pid, this names one process for ever, however often pids are reused. */
export function processBirth(pid: number): string | null {
  const fields = statFields(pid)
  if (!fields || fields[0] === 'Z' || fields[0] === 'X') return null
  const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  return `${boot}:${fields[19]}`
}

export function isRunning(pid: number): boolean {
  return processBirth(pid) !== null
}

export function commandLine(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, -1)
  } catch {
    return []
  }
}

/** Null if the kernel hides it (another user's process in a container without CAP_SYS_PTRACE). */
export function hasWorkingDirectory(pid: number, dir: string): boolean | null {
  try {
    const cwd = statSync(`/proc/${pid}/cwd`)
    const wanted = statSync(dir)
    return cwd.dev === wanted.dev && cwd.ino === wanted.ino
  } catch {
    return null
  }
}

export async function waitUntilGone(pid: number, timeoutMs: number): Promise<boolean> {
  const deadline = Date.now() + timeoutMs
  while (isRunning(pid)) {
    if (Date.now() > deadline) return false
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return true
}

function statFields(pid: number): string[] | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The second field, the program's name, may itself hold spaces and brackets.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}
