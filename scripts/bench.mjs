// npm run bench -- NAME [args]: runs a benchmark. Plain JavaScript for Node 20.
import { fileURLToPath } from 'node:url'
import { runNamed } from './run-named.mjs'

await runNamed({
  kind: 'bench',
  folder: fileURLToPath(new URL('../bench', import.meta.url)),
  suffix: '.bench.ts',
  codeRunners: ['browser', 'capacity'],
})
