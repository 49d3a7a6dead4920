import { fileURLToPath } from 'node:url'
import type { RunProgram } from '../command.ts'

/** The operator's commands are part of the server: they need its configuration and its database. */
export function operate(argv: string[], runProgram: RunProgram): Promise<number> {
  return runProgram(fileURLToPath(import.meta.resolve('@vedette/server/operate')), argv)
}
