import { readFileSync } from 'node:fs'

export function version(argv: string[]): number {
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  const facts = { version, node: process.versions.node }
  console.log(argv.includes('--json') ? JSON.stringify(facts, null, 2) : version)
  return 0
}
