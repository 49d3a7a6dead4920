// Writes the descriptions of the commands in client/ for help and completion, which run without loading them. With --check it
// compares instead, and fails on a difference.
import { readFileSync, writeFileSync } from 'node:fs'
import { clientCommands } from './client/client-commands.ts'

const path = new URL('table/client-commands.generated.ts', import.meta.url)
const described = Object.entries(clientCommands).map(([name, { run: _run, ...description }]) => [
  name,
  description,
])
const text = [
  '// Generated from packages/cli/src/client; do not edit.',
  "import type { CommandDescription } from '../core/command-description.ts'",
  '',
  `export const clientCommands: Readonly<Record<string, CommandDescription>> = ${JSON.stringify(Object.fromEntries(described), null, 2)}`,
  '',
].join('\n')

if (!process.argv.includes('--check')) writeFileSync(path, text)
else if (readFileSync(path, 'utf8') !== text) {
  process.stderr.write(
    'Out of date: packages/cli/src/table/client-commands.generated.ts. Run npm run generate.\n',
  )
  process.exitCode = 1
}
