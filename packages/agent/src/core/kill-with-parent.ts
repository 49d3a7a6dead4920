// For programs that must not outlive the agent: the kernel kills them when the agent ends, even if it is killed.
import { systemTool } from './system-tool.ts'

const setpriv = systemTool('setpriv')

/** Returns arguments for `spawn`. On other systems than Linux the program is unchanged. */
export function killWithParent(program: string, args: readonly string[]): [string, string[]] {
  if (setpriv === null) return [program, [...args]]
  return [setpriv, ['--pdeathsig', 'KILL', '--', program, ...args]]
}

/** The exit code of setpriv if the program isn't found. */
export const notFoundCode = 127
