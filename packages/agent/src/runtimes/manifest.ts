// The manifests of runtimes: a directory each, with the packages and their lock file. `GET /v1/runtimes` is generated from
// them.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { runtimes } from '@vedette/contracts'
import { runtimeIds } from '@vedette/contracts/runtime-ids'

type RuntimeManifest = (typeof runtimes)[number]
export type RuntimeName = RuntimeManifest['name']

/** The package.json of a runtime's directory. */
interface RuntimePackage {
  description: string
  vedette: Pick<RuntimeManifest, 'stage' | 'runtimeEndOfLife' | 'nodeJsVersion' | 'multiStepSupport'> & {
    /** Names that scripts import without a package of that name: Node's own modules, or parts of a package. */
    standsFor: Record<string, string>
  }
  dependencies: Record<string, string>
}

const home = fileURLToPath(new URL('../../runtimes', import.meta.url))

/** Our own package for scripts, which isn't on npm: it is copied beside the others. */
export const helpers = { name: '@vedette/playwright-helpers', folder: join(home, 'helpers') }

export function isRuntime(name: string): name is RuntimeName {
  const names: readonly string[] = runtimeIds
  return names.includes(name)
}

export function manifestFolder(name: RuntimeName): string {
  return join(home, name)
}

export function readManifest(name: RuntimeName): RuntimeManifest {
  const manifest: RuntimePackage = JSON.parse(
    readFileSync(join(manifestFolder(name), 'package.json'), 'utf8'),
  )
  const { description, vedette, dependencies } = manifest
  const { standsFor, ...facts } = vedette
  const versions: Record<string, string> = { ...dependencies, node: facts.nodeJsVersion.slice(1) }
  const aliases = Object.entries(standsFor).map(([alias, of]) => [alias, versions[of] ?? ''] as const)
  const all = [...Object.entries(dependencies), ...aliases]
  return {
    name,
    description,
    ...facts,
    dependencies: Object.fromEntries(all.toSorted(([a], [b]) => (a < b ? -1 : 1))),
  }
}

const keys = new Map<RuntimeName, string>()

/** Installations with the same key are identical. */
export function installationKey(name: RuntimeName): string {
  const key = keys.get(name) ?? makeKey(name)
  keys.set(name, key)
  return key
}

function makeKey(name: RuntimeName): string {
  const hash = createHash('sha256').update(readFileSync(join(manifestFolder(name), 'package-lock.json')))
  hash.update(`\n${helpers.name} ${readPackage(helpers.folder).version}\n`)
  return `${hash.digest('hex').slice(0, 12)}-${process.platform}-${process.arch}`
}

export function readPackage(folder: string): { name: string; version: string } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}
