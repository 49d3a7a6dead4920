// npm run verify: all checks that aren't tests. Plain JavaScript for Node 20.
// Every step runs, also after a failed one; the summary comes last.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { ensureInstalled, serviceNode } from './install.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

const steps = [
  ['format and lint', 'node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings'],
  ['zones', 'scripts/check-zones.mjs'],
  ['casts', 'scripts/check-casts.mjs'],
  ['types', 'node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'],
  ['types of the web app', 'node_modules/typescript/bin/tsc', '-p', 'packages/web/tsconfig.json'],
  ['unused code', 'node_modules/knip/bin/knip.js'],
  ['code that only tests use', 'node_modules/knip/bin/knip.js', '--production'],
  [
    'generated files (OpenAPI, schema.sql, .env.example, client)',
    'packages/server/src/generate.ts',
    '--check',
  ],
  ['generated settings of the agent', 'packages/agent/src/generate.ts', '--check'],
  ['generated table of commands', 'packages/cli/src/generate.ts', '--check'],
  ['generated table of screens', 'scripts/screens.mjs', '--check'],
  ['size of the web app', 'scripts/check-web-size.mjs'],
  ['no addresses or machine paths', 'scripts/check-leaks.mjs'],
]

await ensureInstalled()
const results = steps.map(([name, ...command]) => {
  console.log(`\n== ${name}`)
  const { status, error } = spawnSync(serviceNode(), command, { cwd: root, stdio: 'inherit' })
  if (error) console.error(error.message)
  return { name, passed: status === 0 }
})

console.log('\n== verify')
for (const { name, passed } of results) console.log(`${passed ? 'ok    ' : 'FAILED'}  ${name}`)
process.exitCode = results.every(({ passed }) => passed) ? 0 : 1
