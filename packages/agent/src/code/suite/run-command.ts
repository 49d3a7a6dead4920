import type { Cell } from '../../sandbox/cell.ts'
import { waitForEnd } from '../wait-for-end.ts'
import type { SuiteRun } from './suite-deps.ts'

export type CommandEnd = Awaited<ReturnType<typeof runCommand>>

/** Runs a command to its end. */
export async function runCommand(
  { log, context: { signal, clock } }: SuiteRun,
  cell: Cell,
  command: { line: string; cwd: string; env: Readonly<Record<string, string>>; limitMs: number },
) {
  const { line, cwd, env, limitMs } = command
  signal.throwIfAborted()
  log.note(`$ ${line}`)
  const begin = clock.monotonic()
  const program = cell.start({ argv: ['/bin/sh', '-c', line], env, cwd, onOutput: log.write })
  program.closeInput()
  const end = await waitForEnd(cell, program, limitMs, signal)
  signal.throwIfAborted()
  return { ...end, durationMs: clock.monotonic() - begin }
}
