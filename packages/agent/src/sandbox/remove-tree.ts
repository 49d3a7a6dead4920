// Removes what strangers left, however they left it: folders that may not be entered, paths longer than a path may be.
import { execFile, execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Neither follows links. */
const openUp = (path: string) => ['chmod', ['-R', 'u+rwx', '--', path]] as const
const remove = (path: string) => ['rm', ['-rf', '--', path]] as const

export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    await run(...openUp(path)).catch(() => {})
    await run(...remove(path))
  }
}

/** For the end of the process. What can not be removed stays. */
export function removeTreeSync(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    for (const [command, args] of [openUp(path), remove(path)]) {
      try {
        execFileSync(command, args, { stdio: 'ignore' })
      } catch {
        // It told what it could not do; the rest is done.
      }
    }
  }
}
