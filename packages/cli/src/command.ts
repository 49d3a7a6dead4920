/** Runs a module of ours as a process of its own on this terminal; resolves to its exit code. */
export type RunProgram = (file: string, args: string[]) => Promise<number>

export type Command = {
  summary: string
  run: (argv: string[], runProgram: RunProgram) => Promise<number> | number
}
