// npm run drill -- NAME [args]: a fault on purpose, and what the product makes of it. Plain JavaScript for Node 20.
import { fileURLToPath } from 'node:url'
import { runNamed } from './run-named.mjs'

await runNamed({
  kind: 'drill',
  folder: fileURLToPath(new URL('../e2e/drills', import.meta.url)),
  suffix: '.drill.ts',
  codeRunners: ['code-crash', 'fairness', 'upgrade'],
})
