// CPU priority: user code yields to the agent, whose timings are the measurements.
import type { ChildProcess } from 'node:child_process'
import { closeSync, openSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'

/** Descendants inherit it and cannot undo it. */
const niceness = 10

export function lowerPriority({ pid }: ChildProcess): void {
  if (pid === undefined) return
  try {
    setPriority(pid, niceness)
  } catch {
    // The process has ended already.
  }
}

/**
 * Linux with autogroups compares whole sessions, whatever their niceness, and code may open as many sessions as it likes:
 * so the agent's own session is raised, which needs root. A session with a terminal is a person's and stays as it is.
 * False: it stays as it was, also where the kernel has no autogroups.
 */
export function raiseOwnSession(): boolean {
  if (hasTerminal()) return false
  try {
    writeFileSync('/proc/self/autogroup', '-20')
    return true
  } catch {
    return false
  }
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}
