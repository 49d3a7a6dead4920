// What the system says about files and processes.
import { readFileSync } from 'node:fs'
import { errorCode } from '@vedette/safeguards/errors'

/** Empty if it doesn't exist. */
export function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return errorCode(error) !== 'ESRCH'
  }
}
