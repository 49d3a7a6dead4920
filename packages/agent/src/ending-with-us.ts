// A program of this machine that must not outlive the agent, not even one that is killed: the kernel ends it then.
import { existsSync } from 'node:fs'

const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((path) => existsSync(path))

/** As `spawn` takes it. Where the system has no way to tie it (not Linux), the program as it is. */
export function endingWithUs(program: string, args: readonly string[]): [string, string[]] {
  if (process.platform !== 'linux' || setpriv === undefined) return [program, [...args]]
  return [setpriv, ['--pdeathsig', 'KILL', '--', program, ...args]]
}

/** The code of a program that was not found, if it was tied. */
export const notFoundCode = 127
