// A program of this machine that must not outlive the agent, not even one that is killed: the kernel ends it then.
import { systemTool } from './system-tool.ts'

const setpriv = systemTool('setpriv')

/** As `spawn` takes it. Where the system has no way to tie it (not Linux), the program as it is. */
export function endingWithUs(program: string, args: readonly string[]): [string, string[]] {
  if (setpriv === null) return [program, [...args]]
  return [setpriv, ['--pdeathsig', 'KILL', '--', program, ...args]]
}

/** The code of a program that was not found, if it was tied. */
export const notFoundCode = 127
