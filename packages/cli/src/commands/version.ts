import { readFileSync } from 'node:fs'

export function version(): number {
  const manifest = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  console.log(manifest.version)
  return 0
}
