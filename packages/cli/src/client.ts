// The commands that talk to a server over HTTP. A process of their own: `vedette start` stays resident beside the server, and
// the contracts would add 80 MB to it.
import { clientCommands } from './client/client-commands.ts'
import { runClientCommand } from './core/run-client-command.ts'

const [name = '', ...args] = process.argv.slice(2)
const command = Object.hasOwn(clientCommands, name) ? clientCommands[name] : undefined
if (command === undefined) throw new Error(`There is no command "${name}".`)
process.exitCode = await runClientCommand(command, args, process)
