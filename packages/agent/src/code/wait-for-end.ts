import { addAbortListener } from 'node:events'
import type { Cell, CellEnd, RunningProgram } from '../sandbox/cell.ts'

/** At the limit, or when the signal is aborted, the whole cell is ended. */
export async function waitForEnd(cell: Cell, program: RunningProgram, limitMs: number, signal: AbortSignal) {
  const limit = AbortSignal.timeout(limitMs)
  const over = AbortSignal.any([signal, limit])
  using _ = addAbortListener(over, () => void cell.end().catch(() => undefined))
  const end = await program.ended
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
