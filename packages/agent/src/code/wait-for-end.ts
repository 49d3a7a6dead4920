import type { Cell, CellEnd, RunningProgram } from '../sandbox/cell.ts'

/** At the limit, or when the signal is aborted, the whole cell is ended. */
export async function waitForEnd(
  cell: Cell,
  program: RunningProgram,
  limitMs: number,
  signal: AbortSignal,
): Promise<CellEnd & { isTimedOut: boolean }> {
  const limit = AbortSignal.timeout(limitMs)
  const over = AbortSignal.any([signal, limit])
  const stop = () => void cell.end().catch(() => undefined)
  over.addEventListener('abort', stop, { once: true })
  if (over.aborted) stop()
  const end = await program.ended
  over.removeEventListener('abort', stop)
  return { ...end, isTimedOut: over.aborted && over.reason === limit.reason }
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
