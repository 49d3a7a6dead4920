// Runs a command and returns its exit code. Server and agent are started as processes, never imported.
import type { Command, RunProgram } from './command.ts'
import { agent } from './commands/agent.ts'
import { client } from './commands/client.ts'
import { help } from './commands/help.ts'
import { operate } from './commands/operate.ts'
import { runtime } from './commands/runtime.ts'
import { start } from './commands/start.ts'
import { version } from './commands/version.ts'

const commands: Record<string, Command> = {
  start: { summary: 'start the server', run: start },
  agent: { summary: 'start an agent: runs checks at a location', run: agent },
  runtime: { summary: 'runtimes of an agent: list and install them', run: runtime },
  'setup-link': { summary: 'print a link to choose name, email and password', run: operate },
  accounts: { summary: 'accounts and their plans', run: operate },
  users: { summary: 'users, their roles and links to choose a password', run: operate },
  keys: { summary: 'API keys; replaces a lost one', run: operate },
  'agent-keys': { summary: 'keys of data-center agents', run: operate },
  links: { summary: 'links in messages that open without a login', run: operate },
  pages: { summary: 'status pages as files', run: operate },
  backup: { summary: 'write all data to a file', run: operate },
  restore: { summary: 'read a backup back', run: operate },
  'secret-key': { summary: 'rotate the key that encrypts secrets', run: operate },
  doctor: { summary: 'check the installation and the connection', run: client },
  login: { summary: 'store the address of a server and an API key', run: client },
  logout: { summary: 'remove the stored login', run: client },
  env: { summary: 'variables for the published CLI, Terraform and Pulumi', run: client },
  help: { summary: 'show this text', run: () => help(commands) },
  version: { summary: 'show the version', run: version },
}

const options: Record<string, string> = {
  '--help': 'help',
  '-h': 'help',
  '--version': 'version',
  '-v': 'version',
}

export async function main(argv: string[], runProgram: RunProgram): Promise<number> {
  const [word = 'help'] = argv
  const name = options[word] ?? word
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (!command) {
    console.error(`vedette: there is no command "${word}"; "vedette help" lists them`)
    return 2
  }
  return command.run(argv, runProgram)
}
