// CPU priority: user code yields to the agent, whose timings are the measurements.
import { readFileSync, writeFileSync } from 'node:fs'
import { systemTool } from '../core/system-tool.ts'

const nice = systemTool('nice')

/**
 * The same command at a lower priority. Set before the program runs, since descendants inherit it: a process that is already
 * running may have started others.
 */
export function withLowPriority(command: readonly string[]): string[] {
  return nice === null ? [...command] : [nice, '-n', '10', ...command]
}

/**
 * Linux with autogroups compares whole sessions, whatever their niceness, and code may open as many sessions as it likes:
 * so the agent's session is raised, which needs root. Only one that the agent leads: in a session with a busy server or a
 * test runner, everything else would starve user code. False: it stays as it was, also where the kernel has no autogroups.
 */
export function raiseOwnSession(): boolean {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8')
    const [, , , session] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (Number(session) !== process.pid) return false
    writeFileSync('/proc/self/autogroup', '-20')
    return true
  } catch {
    return false
  }
}
