// A command that talks to a server over HTTP: data for run-client-command.ts, and a function.
import type { Settings } from '../config.ts'
import type { CommandDescription } from './command-description.ts'
import type { Terminal } from './terminal.ts'

export interface ClientCommand extends CommandDescription {
  run(input: Input): Promise<Output> | Output
}

export interface Input {
  settings: Settings
  terminal: Terminal
  words: readonly string[]
  /** The value of an option; undefined if it's absent. */
  text(option: string): string | undefined
  flag(option: string): boolean
}

export interface Output {
  /** Printed with --json. */
  json: unknown
  /** Printed without --json. */
  text: string
  exitCode?: number
}

/** The command line is wrong: also prints the usage, exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}
