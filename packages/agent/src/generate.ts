// Writes what is read off the agent: its settings' example file, and the runtimes for the contracts. With --check it
// compares instead, and fails on a difference.
import { readFileSync, writeFileSync } from 'node:fs'
import { runtimeIds } from '@vedette/contracts'
import { environmentExample } from './config.ts'
import { readManifest } from './runtimes/manifest.ts'

const files = {
  'deploy/agent.env.example': environmentExample(),
  'packages/contracts/src/runs/runtimes/manifests.generated.ts': manifests(),
}

for (const [file, text] of Object.entries(files)) {
  const path = new URL(`../../../${file}`, import.meta.url)
  if (!process.argv.includes('--check')) writeFileSync(path, text)
  else if (read(path) !== text) {
    process.stderr.write(`Out of date: ${file}. Run npm run generate.\n`)
    process.exitCode = 1
  }
}

function read(path: URL): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return null
  }
}

function manifests(): string {
  return [
    '// Generated from packages/agent/runtimes by packages/agent/src/generate.ts; do not edit.',
    "import type { RuntimeManifest } from './manifest.ts'",
    '',
    '/** Every runtime, newest first. */',
    `export const runtimes: RuntimeManifest[] = ${JSON.stringify(runtimeIds.map(readManifest), null, 2)}`,
    '',
  ].join('\n')
}
