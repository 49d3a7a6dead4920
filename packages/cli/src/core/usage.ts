import type { CommandDescription, OptionDescription } from './command-description.ts'

export function usageOf(commands: readonly CommandDescription[]): string {
  const lines = commands.map(
    ({ usage, summary, options }) => `  vedette ${usage}\n      ${summary}${optionLines(options)}`,
  )
  return `Usage:\n${lines.join('\n')}\n  --json prints one JSON value instead of text.`
}

function optionLines(options: CommandDescription['options']): string {
  const described = Object.entries(options).filter(([, { summary }]) => summary !== undefined)
  const width = Math.max(0, ...described.map(([name]) => name.length))
  return described.map(([name, option]) => `\n      --${name.padEnd(width)}  ${describe(option)}`).join('')
}

function describe({ summary, values }: OptionDescription): string {
  return values === undefined ? `${summary}` : `${summary}: ${values.join(', ')}`
}
