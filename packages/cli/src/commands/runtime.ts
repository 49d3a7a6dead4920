import { fileURLToPath } from 'node:url'
import type { RunProgram } from '../command.ts'

/** Lives with the agent: it knows what a runtime is, and where its own are. */
export function runtime(argv: string[], runProgram: RunProgram): Promise<number> {
  return runProgram(fileURLToPath(import.meta.resolve('@vedette/agent/runtime')), argv.slice(1))
}
