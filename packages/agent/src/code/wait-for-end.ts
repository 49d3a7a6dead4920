import type { Cell, CellEnd, RunningProgram } from '../sandbox/cell.ts'

export interface LimitedEnd extends CellEnd {
  isTimedOut: boolean
}

/** At the limit, or when the signal is aborted, the whole cell is ended. */
export async function waitForEnd(
  cell: Cell,
  program: RunningProgram,
  limitMs: number,
  signal: AbortSignal,
): Promise<LimitedEnd> {
  let isTimedOut = false
  const stop = () => void cell.end().catch(() => undefined)
  const timer = setTimeout(() => {
    isTimedOut = !signal.aborted
    stop()
  }, limitMs)
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    return { ...(await program.ended), isTimedOut }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', stop)
  }
}

/** Why the cell ended a program; null: it ended by itself. */
export const endings: Record<CellEnd['reason'], string | null> = {
  exited: null,
  memory: 'used more memory than allowed',
  processes: 'started more processes than allowed',
  disk: 'wrote more to its disk than allowed',
  output: 'wrote more output than allowed',
  killed: 'was ended before it finished',
  cell: 'was ended before it finished',
}
