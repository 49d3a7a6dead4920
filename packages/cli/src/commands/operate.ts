import { fileURLToPath } from 'node:url'
import type { RunProgram } from '../command.ts'

/** The operator's commands live with the server: they need its configuration and its store. */
export function operate(argv: string[], runProgram: RunProgram): Promise<number> {
  return runProgram(fileURLToPath(import.meta.resolve('@vedette/server/operate')), argv)
}
