import { fileURLToPath } from 'node:url'
import type { RunProgram } from '../command.ts'

export function start(argv: string[], runProgram: RunProgram): Promise<number> {
  return runProgram(fileURLToPath(import.meta.resolve('@vedette/server/main')), argv.slice(1))
}
