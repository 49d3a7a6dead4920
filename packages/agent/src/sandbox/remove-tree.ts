// Removes directories that user code wrote, even with missing permissions or paths beyond the length limit. By the system's rm:
// Node's own took 850 MB of the agent's memory for 300,000 files, and blocked it for 2 s.
import { spawn, spawnSync } from 'node:child_process'
import { withLowPriority } from './priority.ts'

/** Neither program follows links. */
const script = 'rm -rf -- "$0" && exit; chmod -R u+rwx -- "$0"; exec rm -rf -- "$0"'
const command = (path: string) => withLowPriority(['/bin/sh', '-c', script, path])

export function removeTree(path: string): Promise<void> {
  const [program = '', ...args] = command(path)
  return new Promise((settle, fail) => {
    const failure = new Error(`${path} couldn't be removed`)
    spawn(program, args, { stdio: 'ignore' })
      .on('error', () => fail(failure))
      .on('close', (code) => (code === 0 ? settle() : fail(failure)))
  })
}

/** For the end of the process. Best effort. */
export function removeTreeSync(path: string): void {
  const [program = '', ...args] = command(path)
  spawnSync(program, args, { stdio: 'ignore' })
}
