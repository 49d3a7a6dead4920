// Finds the command of a command line, and runs it.

import { parseArgs } from 'node:util'
import { errorMessage } from '@vedette/safeguards/errors'
import { readConfig } from '../config.ts'
import { accountCommands } from './accounts.ts'
import { agentKeyCommands } from './agent-keys.ts'
import { backupCommands } from './backup.ts'
import { capacityCommands } from './capacity/capacity.ts'
import { type Command, type Input, UsageError } from './command.ts'
import { doctorCommands } from './doctor/doctor.ts'
import { keyCommands } from './keys.ts'
import { linkCommands } from './links.ts'
import { migrateCommands } from './migrate.ts'
import { pageCommands } from './pages.ts'
import { quotaCommands } from './quotas.ts'
import { restoreCommands } from './restore.ts'
import { scaleOutCommands } from './scale-out.ts'
import { secretKeyCommands } from './secret-key.ts'
import { setupLinkCommands } from './setup-link.ts'
import { userCommands } from './users.ts'

const commands: Record<string, Command> = {
  ...accountCommands,
  ...setupLinkCommands,
  ...userCommands,
  ...keyCommands,
  ...agentKeyCommands,
  ...quotaCommands,
  ...linkCommands,
  ...pageCommands,
  ...secretKeyCommands,
  ...migrateCommands,
  ...backupCommands,
  ...restoreCommands,
  ...scaleOutCommands,
  ...capacityCommands,
  ...doctorCommands,
}

/** Where a command reads its settings and writes its output. */
export interface Terminal {
  /** Absent: that of this process. */
  environment?: NodeJS.ProcessEnv
  stdout: { write(text: string): unknown }
  stderr: { write(text: string): unknown; isTTY?: boolean }
}

/** Returns the exit code. */
export async function runCommand(argv: string[], terminal: Terminal): Promise<number> {
  const found = findCommand(argv)
  if (found === null) return showGroup(argv, terminal)
  const { command, rest } = found
  if (rest.includes('--help') || rest.includes('-h')) {
    terminal.stdout.write(`${usageOf([command])}\n`)
    return 0
  }
  try {
    const input = readInput(command, rest, terminal)
    const { json, text } = await command.run(input)
    if (input.flag('json')) terminal.stdout.write(`${JSON.stringify(json, null, 2)}\n`)
    else if (text !== '') terminal.stdout.write(`${text}\n`)
    return 0
  } catch (error) {
    terminal.stderr.write(`vedette: ${messageOf(error)}\n`)
    if (!(error instanceof UsageError)) return 1
    terminal.stderr.write(`${usageOf([command])}\n`)
    return 2
  }
}

/** Without the functions. The command `vedette` runs its own doctor, which includes this one. */
export function describeCommands(): Record<string, Omit<Command, 'run'>> {
  const described = Object.entries(commands).map(([name, { usage, summary, options = {}, words = 0 }]) => [
    name,
    { usage, summary, options, words },
  ])
  return Object.fromEntries(described.filter(([name]) => name !== 'doctor'))
}

function findCommand(argv: string[]): { command: Command; rest: string[] } | null {
  for (const length of [2, 1]) {
    const name = argv.slice(0, length).join(' ')
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined
    if (command !== undefined) return { command, rest: argv.slice(length) }
  }
  return null
}

function showGroup([group = '', word = '']: string[], terminal: Terminal): number {
  const inGroup = Object.entries(commands).filter(([name]) => name.startsWith(`${group} `))
  const shown = inGroup.length > 0 ? inGroup : Object.entries(commands)
  const usage = usageOf(shown.map(([, command]) => command))
  if ([group, word].some((text) => text === '--help' || text === '-h')) {
    terminal.stdout.write(`${usage}\n`)
    return 0
  }
  const problem =
    word === '' && inGroup.length > 0
      ? `"${group}" needs a command`
      : `unknown command "${`${group} ${word}`.trim()}"`
  terminal.stderr.write(`vedette: ${problem}\n${usage}\n`)
  return 2
}

function readInput(command: Command, rest: string[], terminal: Terminal): Input {
  const { values, positionals } = parseOptions(command, rest)
  const words = command.words ?? 0
  if (positionals.length !== words) {
    const extra = positionals.slice(words).map((word) => `"${word}"`)
    throw new UsageError(
      extra.length > 0 ? `Unexpected argument: ${extra.join(' ')}.` : 'An argument is missing.',
    )
  }
  return {
    config: readConfig(terminal.environment),
    words: positionals,
    text: (option) => (typeof values[option] === 'string' ? values[option] : undefined),
    flag: (option) => values[option] === true,
    progress: values.json === true ? () => undefined : progressOn(terminal.stderr),
  }
}

function progressOn(stderr: Terminal['stderr']): Input['progress'] {
  let printedAt = Number.NEGATIVE_INFINITY
  return (line) => {
    if (stderr.isTTY !== true || performance.now() - printedAt < 1000) return
    printedAt = performance.now()
    stderr.write(`${line}\n`)
  }
}

function parseOptions(command: Command, args: string[]) {
  const options: NonNullable<Command['options']> = { ...command.options, json: { type: 'boolean' } }
  try {
    return parseArgs({ args, options, allowPositionals: true, strict: true })
  } catch (cause) {
    throw new UsageError(errorMessage(cause), { cause })
  }
}

function usageOf(shown: Command[]): string {
  const lines = shown.map(({ usage, summary }) => `  vedette ${usage}\n      ${summary}`)
  return `Usage:\n${lines.join('\n')}\n  --json prints one JSON value instead of text.`
}

function messageOf(error: unknown): string {
  // A connection that several addresses refuse fails with an AggregateError without a message.
  const cause: unknown = error instanceof AggregateError && error.message === '' ? error.errors[0] : error
  return errorMessage(cause) || String(cause)
}
