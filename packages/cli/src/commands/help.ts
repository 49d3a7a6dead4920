import type { Command } from '../command.ts'

export function help(commands: Record<string, Command>): number {
  const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(12)}${summary}`)
  console.log(
    `Usage: vedette COMMAND [options]\n\n${lines.join('\n')}\n\n  vedette COMMAND --help shows its options.`,
  )
  return 0
}
