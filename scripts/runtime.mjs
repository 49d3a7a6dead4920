// npm run runtime -- list | install NAME…: the runtimes of this checkout, shared by everything that runs in it.
// Plain JavaScript for Node 20.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ensureInstalled, root, serviceNode } from './install.mjs'

/** Installs the runtime of tests and benchmarks. False: the reason was printed. */
export function ensureRuntimeInstalled(...names) {
  return runRuntime(['install', ...(names.length > 0 ? names : ['2026.04'])], 'ignore') === 0
}

function runRuntime(args, stdout) {
  const program = join(root, 'packages/agent/src/main-runtime.ts')
  const { status, error } = spawnSync(serviceNode(), [program, ...args], {
    cwd: root,
    stdio: ['ignore', stdout, 'inherit'],
  })
  if (error) console.error(error.message)
  return status ?? 1
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  ensureInstalled()
  process.exitCode = runRuntime(process.argv.slice(2), 'inherit')
}
