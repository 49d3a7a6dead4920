// The operator's commands on the server's machine: accounts, users, keys, agent keys, links, the secret key, backup and restore.
// In: words of the command line. Out: text or, with --json, one JSON value on stdout; errors on stderr.
import { parseArgs } from 'node:util'
import { readConfig } from './config.ts'
import { accountCommands } from './operate/accounts.ts'
import { agentKeyCommands } from './operate/agent-keys.ts'
import { backupCommands } from './operate/backup.ts'
import { type Command, type Input, UsageError } from './operate/command.ts'
import { keyCommands } from './operate/keys.ts'
import { linkCommands } from './operate/links.ts'
import { restoreCommands } from './operate/restore.ts'
import { secretKeyCommands } from './operate/secret-key.ts'
import { userCommands } from './operate/users.ts'

const commands: Record<string, Command> = {
  ...accountCommands,
  ...userCommands,
  ...keyCommands,
  ...agentKeyCommands,
  ...linkCommands,
  ...secretKeyCommands,
  ...backupCommands,
  ...restoreCommands,
}

async function main(argv: string[]): Promise<number> {
  const found = findCommand(argv)
  if (found === null) return showGroup(argv)
  const { command, rest } = found
  if (rest.includes('--help') || rest.includes('-h')) {
    process.stdout.write(`${usageOf([command])}\n`)
    return 0
  }
  try {
    const input = readInput(command, rest)
    const { json, text } = await command.run(input)
    if (input.flag('json')) process.stdout.write(`${JSON.stringify(json, null, 2)}\n`)
    else if (text !== '') process.stdout.write(`${text}\n`)
    return 0
  } catch (error) {
    process.stderr.write(`vedette: ${messageOf(error)}\n`)
    if (!(error instanceof UsageError)) return 1
    process.stderr.write(`${usageOf([command])}\n`)
    return 2
  }
}

function findCommand(argv: string[]): { command: Command; rest: string[] } | null {
  for (const length of [2, 1]) {
    const name = argv.slice(0, length).join(' ')
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined
    if (command !== undefined) return { command, rest: argv.slice(length) }
  }
  return null
}

function showGroup([group = '', word = '']: string[]): number {
  const ofGroup = Object.entries(commands).filter(([name]) => name.startsWith(`${group} `))
  const shown = ofGroup.length > 0 ? ofGroup : Object.entries(commands)
  const usage = usageOf(shown.map(([, command]) => command))
  if ([group, word].some((text) => text === '--help' || text === '-h')) {
    process.stdout.write(`${usage}\n`)
    return 0
  }
  const problem =
    word === '' && ofGroup.length > 0
      ? `"${group}" needs a command`
      : `unknown command "${`${group} ${word}`.trim()}"`
  process.stderr.write(`vedette: ${problem}\n${usage}\n`)
  return 2
}

function readInput(command: Command, rest: string[]): Input {
  let parsed: { values: Record<string, string | boolean | undefined>; positionals: string[] }
  try {
    const options = { ...command.options, json: { type: 'boolean' as const } }
    parsed = parseArgs({ args: rest, options, allowPositionals: true, strict: true }) as typeof parsed
  } catch (cause) {
    throw new UsageError((cause as Error).message, { cause })
  }
  const { values, positionals } = parsed
  const words = command.words ?? 0
  if (positionals.length !== words) {
    const extra = positionals.slice(words).map((word) => `"${word}"`)
    throw new UsageError(
      extra.length > 0 ? `Unexpected argument: ${extra.join(' ')}.` : 'An argument is missing.',
    )
  }
  return {
    config: readConfig(),
    words: positionals,
    text: (option) => (typeof values[option] === 'string' ? values[option] : undefined),
    flag: (option) => values[option] === true,
  }
}

function usageOf(shown: Command[]): string {
  const lines = shown.map(({ usage, summary }) => `  vedette ${usage}\n      ${summary}`)
  return `Usage:\n${lines.join('\n')}\n  --json prints one JSON value instead of text.`
}

function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  // A refused connection to several addresses comes as a bundle without a text of its own.
  const first = error instanceof AggregateError ? (error.errors[0] as Error | undefined) : undefined
  return error.message || first?.message || error.name
}

process.exitCode = await main(process.argv.slice(2))
