import { fileURLToPath } from 'node:url'
import type { RunProgram } from '../command.ts'

/** Commands that talk to a server over HTTP, as a program of their own: see client.ts. */
export function client(argv: string[], runProgram: RunProgram): Promise<number> {
  return runProgram(fileURLToPath(import.meta.resolve('vedette/client')), argv)
}
