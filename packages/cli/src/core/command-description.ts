// What help and completion say about a command.
export interface OptionDescription {
  type: 'string' | 'boolean'
  summary?: string
  /** All that are accepted. */
  values?: readonly string[]
}

export interface CommandDescription {
  /** After "vedette", such as "env [--shell SHELL]". */
  usage: string
  summary: string
  options: Readonly<Record<string, OptionDescription>>
  /** The number of arguments after the name of the command. */
  words?: number
}
