// Runs the operator's commands on the server's machine: accounts, users, keys, agent keys, links, pages, the secret key,
// migration, backup, restore, scale-out and capacity.
// In: words of the command line. Out: text or, with --json, one JSON value on stdout; errors on stderr.
import { runCommand } from './operate/run-command.ts'

process.exitCode = await runCommand(process.argv.slice(2), process)
