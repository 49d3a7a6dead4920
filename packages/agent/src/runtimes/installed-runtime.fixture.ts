// The runtime of this checkout, which tests, benches and `npm start` share; installed for real where it is not there yet.
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { npmEnvironment, readRuntimesDir } from '../config.ts'
import { ensureRuntime } from './install-runtime.ts'
import type { InstalledRuntime } from './runtime.ts'

export const installPatienceMs = 300_000

export function checkoutRuntime(name = '2026.04'): Promise<InstalledRuntime> {
  return ensureRuntime(name, {
    runtimesDir: readRuntimesDir({}),
    npmEnvironment: npmEnvironment(),
    log: { info: () => undefined },
  })
}

/** Of the names of its packages, and of every file of one of them. */
export function hashRuntime({ folder }: InstalledRuntime): string {
  const modules = join(folder, 'node_modules')
  const hash = createHash('sha256').update(readdirSync(modules).join())
  for (const entry of readdirSync(join(modules, samplePackage), { recursive: true, withFileTypes: true })) {
    hash.update(`${entry.parentPath}/${entry.name}`)
    if (entry.isFile()) hash.update(readFileSync(join(entry.parentPath, entry.name)))
  }
  return hash.digest('hex')
}

/** A package of the runtime that tests try to change. */
export const samplePackage = 'ansi-regex'

/** Jobs that would write into the runtime if the agent let them. */
export const writesIntoRuntime: [
  string,
  { check?: Record<string, unknown>; snippets?: { name: string; script: string }[] },
][] = [
  [
    'a dependency',
    { check: { dependencies: [{ path: `node_modules/${samplePackage}/index.js`, content: 'x' }] } },
  ],
  ['scriptPath', { check: { scriptPath: `./node_modules/${samplePackage}/index.js` } }],
  ['a snippet', { snippets: [{ name: `../node_modules/${samplePackage}/mark`, script: 'x' }] }],
]
