// CPU priority: user code yields to the agent, whose timings are the measurements.
import { writeFileSync } from 'node:fs'
import { systemTool } from '../core/system-tool.ts'
import { statOf } from './processes.ts'

const nice = systemTool('nice')

/** The command at a lower priority. Set before the program runs, so that its descendants inherit it. */
export function withLowPriority(command: readonly string[]): string[] {
  return nice === null ? [...command] : [nice, '-n', '10', ...command]
}

/**
 * With autogroups, Linux compares whole sessions regardless of niceness, and code may open any number of sessions. So the
 * priority of the agent's session is raised, which needs root. Only if the agent leads its session: otherwise a server or a
 * test runner in the same session would starve user code. False: nothing changed, or the kernel has no autogroups.
 */
export function raiseOwnSession(): boolean {
  try {
    const [, , , session] = statOf('self')
    if (Number(session) !== process.pid) return false
    writeFileSync('/proc/self/autogroup', '-20')
    return true
  } catch {
    return false
  }
}
