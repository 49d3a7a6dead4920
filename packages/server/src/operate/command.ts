// An operator command: data for run-command.ts, and a function.
import type { Config } from '../config.ts'

export interface Command {
  /** After "vedette", such as "accounts set-plan ID PLAN". */
  usage: string
  summary: string
  /** `values`: all that are accepted, for completion. */
  options?: Record<string, { type: 'string' | 'boolean'; values?: readonly string[] }>
  /** The number of arguments after the name of the command. */
  words?: number
  run(input: Input): Promise<Output>
}

export interface Input {
  config: Config
  words: string[]
  /** The value of an option; undefined if it's absent. */
  text(option: string): string | undefined
  flag(option: string): boolean
  /** A line for a person who waits: at most one per second, on a terminal, without --json. */
  progress(line: string): void
}

export interface Output {
  /** Printed with --json. */
  json: unknown
  /** Printed without --json. */
  text: string
}

/** The command can't be done: one line on stderr, exit code 1. */
export class OperatorError extends Error {
  override name = 'OperatorError'
}

/** The command line is wrong: also prints the usage, exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}
