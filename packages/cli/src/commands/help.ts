import { commandTable } from '../table/command-table.ts'

export function help(): number {
  const width = Math.max(...[...commandTable.keys()].map((name) => name.length)) + 2
  const lines = [...commandTable].map(([name, { summary }]) => `  ${name.padEnd(width)}${summary}`)
  console.log(
    `Usage: vedette COMMAND [options]\n\n${lines.join('\n')}\n\n  vedette COMMAND --help shows its options.`,
  )
  return 0
}
