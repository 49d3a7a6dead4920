// All commands: the only description that help, completion and the launcher use.
import type { CommandDescription } from '../core/command-description.ts'
import { clientCommands } from './client-commands.generated.ts'
import { operateCommands } from './operate-commands.generated.ts'
import { runtimeCommands } from './runtime-commands.generated.ts'

/** Which program runs a command. */
export type Program = 'launcher' | 'operate' | 'client' | 'runtime'

export interface Group {
  summary: string
  program: Program
  /** By name without that of the group; the only one of a group without further words has the name ''. */
  commands: Readonly<Record<string, CommandDescription>>
}

const shells = ['bash', 'zsh', 'fish']

const launcherCommands: Readonly<Record<string, CommandDescription>> = {
  start: { usage: 'start', summary: 'starts the server', options: {} },
  agent: {
    usage: 'agent [--uptime]',
    summary: 'starts an agent, which runs checks at a location',
    options: { uptime: { type: 'boolean', summary: 'only monitors that run no code' } },
  },
  ...Object.fromEntries(
    shells.map((shell) => [
      `completion ${shell}`,
      { usage: `completion ${shell}`, summary: `prints the script for ${shell}`, options: {} },
    ]),
  ),
  help: { usage: 'help', summary: 'shows all commands', options: {} },
  version: { usage: 'version [--json]', summary: 'shows the version', options: {} },
}

/** In the order of help. Groups without a summary here have that of their only command. */
const groups: Readonly<Record<string, { summary?: string; program: Program }>> = {
  start: { program: 'launcher' },
  agent: { program: 'launcher' },
  runtime: { summary: 'runtimes of an agent: list and install them', program: 'runtime' },
  doctor: { summary: 'checks the installation and the connection', program: 'client' },
  'setup-link': { summary: 'prints a link to choose name, email and password', program: 'operate' },
  accounts: { summary: 'accounts and their plans', program: 'operate' },
  users: { summary: 'users, their roles and links to choose a password', program: 'operate' },
  keys: { summary: 'API keys; replaces a lost one', program: 'operate' },
  quotas: { summary: 'limits of runs and files of accounts', program: 'operate' },
  'agent-keys': { summary: 'keys of data-center agents', program: 'operate' },
  links: { summary: 'links in messages that open without a login', program: 'operate' },
  pages: { summary: 'status pages as files', program: 'operate' },
  migrate: { summary: 'brings the schema up to date', program: 'operate' },
  backup: { summary: 'writes all data to a file', program: 'operate' },
  restore: { summary: 'reads a backup back', program: 'operate' },
  'secret-key': { summary: 'rotates the key that encrypts secrets', program: 'operate' },
  'scale-out': { summary: 'distributes history over several machines', program: 'operate' },
  capacity: { summary: 'what a number of checks needs: cores, memory, disk, network', program: 'operate' },
  login: { summary: 'stores the address of a server and an API key', program: 'client' },
  logout: { summary: 'removes the stored login', program: 'client' },
  env: { summary: 'variables for the published CLI, Terraform and Pulumi', program: 'client' },
  export: { summary: 'resources of an account as code', program: 'client' },
  completion: { summary: `completion of commands in ${shells.join(', ')}`, program: 'launcher' },
  help: { program: 'launcher' },
  version: { program: 'launcher' },
}

const ofProgram: Record<Program, Readonly<Record<string, CommandDescription>>> = {
  launcher: launcherCommands,
  operate: operateCommands,
  client: clientCommands,
  runtime: runtimeCommands,
}

export const commandTable: ReadonlyMap<string, Group> = new Map(
  Object.entries(groups).map(([name, { summary, program }]) => {
    const commands = Object.entries(ofProgram[program])
      .filter(([key]) => key === name || key.startsWith(`${name} `))
      .map(([key, description]) => [key.slice(name.length + 1), description] as const)
    return [
      name,
      { summary: summary ?? commands[0]?.[1].summary ?? '', program, commands: Object.fromEntries(commands) },
    ]
  }),
)

/** Those that print data. */
export function hasJson(name: string): boolean {
  return !['start', 'agent', 'completion', 'help'].includes(name)
}
