// What a command of the operator is: data for the dispatcher in ../operate.ts, and a function.
import type { Config } from '../config.ts'

export interface Command {
  /** After "vedette", such as "accounts set-plan ID PLAN". */
  usage: string
  summary: string
  options?: Record<string, { type: 'string' | 'boolean' }>
  /** How many words stand after the command's name. */
  words?: number
  run(input: Input): Promise<Answer>
}

export interface Input {
  config: Config
  words: string[]
  /** The value of an option, if it was given. */
  text(option: string): string | undefined
  flag(option: string): boolean
}

export interface Answer {
  /** What --json prints. */
  json: unknown
  /** What a person reads. */
  text: string
}

/** Something the operator asked for that can't be: one line on stderr, exit code 1. */
export class OperatorError extends Error {
  override name = 'OperatorError'
}

/** The command was written wrongly: the usage too, exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}
