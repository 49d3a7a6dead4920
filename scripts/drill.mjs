// npm run drill -- NAME [args]: runs a fault-injection test. Plain JavaScript for Node 20.
import { fileURLToPath } from 'node:url'
import { runNamed } from './run-named.mjs'

await runNamed({
  kind: 'drill',
  folder: fileURLToPath(new URL('../e2e/drills', import.meta.url)),
  suffix: '.drill.ts',
  codeRunners: ['code-crash', 'containers', 'fairness', 'upgrade'],
})
