import { fileURLToPath } from 'node:url'
import type { RunProgram } from '../command.ts'

/** Part of the agent, which installs and finds runtimes. */
export function runtime(argv: string[], runProgram: RunProgram): Promise<number> {
  return runProgram(fileURLToPath(import.meta.resolve('@vedette/agent/runtime')), argv.slice(1))
}
