/**
 * Runs a module as a separate process on this terminal; resolves to its exit code. `defaults` are environment variables
 * that apply if the user doesn't set them.
 */
export type RunProgram = (file: string, args: string[], defaults?: Record<string, string>) => Promise<number>

/** `argv` begins with the name of the command. */
export type RunCommand = (argv: string[], runProgram: RunProgram) => Promise<number> | number
