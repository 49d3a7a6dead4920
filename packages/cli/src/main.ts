// Runs a command and returns its exit code. Server and agent are started as processes, never imported.
import type { RunCommand, RunProgram } from './command.ts'
import { agent } from './commands/agent.ts'
import { client } from './commands/client.ts'
import { completion } from './commands/completion.ts'
import { help } from './commands/help.ts'
import { operate } from './commands/operate.ts'
import { runtime } from './commands/runtime.ts'
import { start } from './commands/start.ts'
import { version } from './commands/version.ts'
import { commandTable, type Program } from './table/command-table.ts'

const programs: Record<Program, RunCommand> = { launcher: runOwn, operate, client, runtime }

const own: Record<string, RunCommand> = { start, agent, completion, help, version }

const options: Record<string, string> = {
  '--help': 'help',
  '-h': 'help',
  '--version': 'version',
  '-v': 'version',
}

export async function main(argv: string[], runProgram: RunProgram): Promise<number> {
  const [word = 'help', ...rest] = argv
  const name = options[word] ?? word
  const group = commandTable.get(name)
  if (group === undefined) {
    console.error(`vedette: there is no command "${word}"; "vedette help" lists them`)
    return 2
  }
  return programs[group.program]([name, ...rest], runProgram)
}

function runOwn(argv: string[], runProgram: RunProgram): Promise<number> | number {
  const run = own[argv[0] ?? '']
  if (run === undefined) throw new Error(`The launcher has no command "${argv[0]}".`)
  return run(argv, runProgram)
}
