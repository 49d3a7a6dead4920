import type { Cell, CellEnd } from '../../sandbox/cell.ts'
import type { OutputLog } from '../output-log.ts'

export interface CommandEnd extends CellEnd {
  durationMs: number
  /** Why the agent ended it: its time was up, or the run was canceled. */
  stoppedBy: 'limit' | 'signal' | null
}

/** Runs a command to its end. Stopping it ends the whole cell. */
export async function runCommand(
  cell: Cell,
  command: { line: string; cwd: string; env: Readonly<Record<string, string>> },
  options: { limitMs: number; signal: AbortSignal; log: OutputLog; monotonic(): number },
): Promise<CommandEnd> {
  const { limitMs, signal, log, monotonic } = options
  const begin = monotonic()
  let stoppedBy: CommandEnd['stoppedBy'] = null
  signal.throwIfAborted()
  const program = cell.start({
    argv: ['/bin/sh', '-c', command.line],
    env: command.env,
    cwd: command.cwd,
    onOutput: log.write,
  })
  program.closeInput()
  const stop = (by: 'limit' | 'signal') => {
    if (stoppedBy === null) stoppedBy = by
    program.kill()
    cell.end().catch(() => undefined)
  }
  const onAbort = () => stop('signal')
  const timer = setTimeout(() => stop('limit'), limitMs)
  signal.addEventListener('abort', onAbort, { once: true })
  try {
    const end = await program.ended
    return { ...end, durationMs: monotonic() - begin, stoppedBy }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', onAbort)
  }
}
