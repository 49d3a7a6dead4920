// Parses the options of a command, runs it, and prints its output.
import { parseArgs } from 'node:util'
import { readSettings, type Settings } from '../config.ts'
import { type ClientCommand, type Input, UsageError } from './client-command.ts'
import { CommandError } from './connection.ts'
import { openTerminal, type Terminal } from './terminal.ts'
import { usageOf } from './usage.ts'

interface Streams {
  stdout: { write(text: string): unknown }
  stderr: { write(text: string): unknown }
}

/** Returns the exit code. Tests replace the settings and the terminal. */
export async function runClientCommand(
  command: ClientCommand,
  args: readonly string[],
  { stdout, stderr }: Streams,
  own: { settings?: Settings; terminal?: Terminal } = {},
): Promise<number> {
  if (args.includes('--help') || args.includes('-h')) {
    stdout.write(`${usageOf([command])}\n`)
    return 0
  }
  try {
    const { values, positionals } = parseOptions(command, args)
    const isJson = values.json === true
    const input: Input = {
      settings: own.settings ?? readSettings(),
      terminal: own.terminal ?? openTerminal({ isQuiet: isJson || process.stderr.isTTY !== true }),
      words: positionals,
      text: (option) => (typeof values[option] === 'string' ? values[option] : undefined),
      flag: (option) => values[option] === true,
    }
    const { json, text, exitCode = 0 } = await command.run(input)
    const printed = isJson ? JSON.stringify(json, null, 2) : text
    if (printed !== '') stdout.write(`${printed}\n`)
    return exitCode
  } catch (error) {
    if (error instanceof UsageError) {
      stderr.write(`vedette: ${error.message}\n${usageOf([command])}\n`)
      return 2
    }
    if (!(error instanceof CommandError) && !isSystemError(error)) throw error
    stderr.write(`vedette: ${error.message}\n`)
    return 1
  }
}

function parseOptions(command: ClientCommand, args: readonly string[]) {
  const options = Object.entries(command.options).map(([name, { type }]) => [name, { type }] as const)
  const json = { json: { type: 'boolean' as const } }
  let parsed: ReturnType<typeof parseArgs>
  try {
    parsed = parseArgs({
      args: [...args],
      options: { ...Object.fromEntries(options), ...json },
      allowPositionals: true,
    })
  } catch (cause) {
    throw new UsageError(cause instanceof Error ? cause.message : String(cause), { cause })
  }
  const { words = 0 } = command
  const [extra] = parsed.positionals.slice(words)
  if (extra !== undefined) throw new UsageError(`Unexpected argument: "${extra}".`)
  if (parsed.positionals.length < words) throw new UsageError('An argument is missing.')
  return parsed
}

/** Such as a file that can't be written: the message names its path. */
function isSystemError(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error
}
