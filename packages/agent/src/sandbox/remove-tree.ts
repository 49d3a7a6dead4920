// Removes directories that user code wrote, even with missing permissions or paths beyond the length limit.
import { execFile, execFileSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Neither follows links. */
const makeAccessible = (path: string) => ['chmod', ['-R', 'u+rwx', '--', path]] as const
const remove = (path: string) => ['rm', ['-rf', '--', path]] as const

export async function removeTree(path: string): Promise<void> {
  try {
    await rm(path, { recursive: true, force: true, maxRetries: 3 })
  } catch {
    await run(...makeAccessible(path)).catch(() => {})
    await run(...remove(path))
  }
}

/** For the end of the process. Best effort. */
export function removeTreeSync(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true })
  } catch {
    for (const [command, args] of [makeAccessible(path), remove(path)]) {
      try {
        execFileSync(command, args, { stdio: 'ignore' })
      } catch {
        // Best effort.
      }
    }
  }
}
