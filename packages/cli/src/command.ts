/**
 * Runs a module of ours as a process of its own on this terminal; resolves to its exit code. `defaults` are variables of
 * its environment where the user's has none.
 */
export type RunProgram = (file: string, args: string[], defaults?: Record<string, string>) => Promise<number>

export type Command = {
  summary: string
  run: (argv: string[], runProgram: RunProgram) => Promise<number> | number
}
