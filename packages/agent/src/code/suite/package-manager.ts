// Determines the package manager of a suite from its lock file and its package.json.
import { posix } from 'node:path'
import { z } from 'zod'
import { parseJson } from '../../core/parse-json.ts'
import { readInside } from '../inside-folder.ts'

const managerNames = ['npm', 'pnpm', 'yarn', 'bun'] as const

export type PackageManagerName = (typeof managerNames)[number]

export interface PackageManager {
  name: PackageManagerName
  /** Exact if the suite specifies it, otherwise the major version that reads its lock file. */
  version: string
  /** Its npm package. */
  packageName: string
  /** The directory of the lock file, relative to the bundle; '': the bundle itself. */
  folder: string
  command: string
}

const lockFiles: Record<string, PackageManagerName> = {
  'package-lock.json': 'npm',
  'npm-shrinkwrap.json': 'npm',
  'pnpm-lock.yaml': 'pnpm',
  'yarn.lock': 'yarn',
  'bun.lock': 'bun',
  'bun.lockb': 'bun',
}

export const lockFileNames = Object.keys(lockFiles)

const maxManifestBytes = 2_000_000
const maxLockBytes = 100_000_000

/** From the working directory upward: the nearest lock file decides, and `packageManager` between several. */
export async function findPackageManager(
  root: string,
  workingDir: string,
  entries: ReadonlyMap<string, string>,
): Promise<PackageManager> {
  const folders = upward(workingDir)
  const named = await nearestName(root, folders, entries)
  for (const folder of folders) {
    const locks = Object.entries(lockFiles).filter(([file]) => entries.has(posix.join(folder, file)))
    const [lock, name] = locks.find(([, manager]) => manager === named?.name) ?? locks[0] ?? []
    if (lock === undefined || name === undefined) continue
    const isText = name === 'pnpm' || name === 'yarn'
    const text = isText ? await readInside(root, posix.join(folder, lock), '/', maxLockBytes) : null
    const version = named?.name === name && named.version ? named.version : versionByLock(name, text ?? '')
    return managerFor(name, version, true, folder)
  }
  const folder = folders.find((one) => entries.has(posix.join(one, 'package.json'))) ?? workingDir
  const name = named?.name ?? 'npm'
  return managerFor(name, named?.version ?? defaultVersions[name], false, folder)
}

const defaultVersions: Record<PackageManagerName, string> = { npm: '11', pnpm: '10', yarn: '1', bun: '1' }

function versionByLock(name: PackageManagerName, lock: string): string {
  if (name === 'pnpm') {
    const format = Number(/^lockfileVersion:\s*['"]?(\d+)/m.exec(lock)?.[1] ?? 9)
    return format >= 9 ? '10' : format >= 6 ? '8' : '7'
  }
  if (name === 'yarn') {
    const format = /^__metadata:\s*\n\s+version:\s*(\d+)/m.exec(lock)?.[1]
    if (format === undefined) return '1'
    return Number(format) >= 7 ? '4' : '3'
  }
  return defaultVersions[name]
}

function managerFor(name: PackageManagerName, version: string, hasLock: boolean, folder: string) {
  const isClassic = name === 'yarn' && /^1(\.|$)/.test(version)
  const commands: Record<PackageManagerName, string> = {
    npm: hasLock ? 'npm ci' : 'npm install',
    pnpm: `pnpm install ${hasLock ? '--frozen-lockfile' : '--no-frozen-lockfile'}`,
    yarn: isClassic
      ? `yarn install --non-interactive${hasLock ? ' --frozen-lockfile' : ''}`
      : `yarn install${hasLock ? ' --immutable' : ' --no-immutable'}`,
    bun: `bun install${hasLock ? ' --frozen-lockfile' : ''}`,
  }
  const packageName = name === 'yarn' && !isClassic ? '@yarnpkg/cli-dist' : name
  return { name, version, packageName, folder, command: commands[name] }
}

const Manifest = z.looseObject({ packageManager: z.string().optional().catch(undefined) })

/** npm@10.2.0, pnpm@9.1.0+sha512.…; other forms of versions are ignored. */
const managerPattern = /^(npm|pnpm|yarn|bun)(?:@(\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?))?(?:\+\S*)?$/

async function nearestName(root: string, folders: readonly string[], entries: ReadonlyMap<string, string>) {
  for (const folder of folders) {
    const path = posix.join(folder, 'package.json')
    if (!entries.has(path)) continue
    const manifest = Manifest.safeParse(
      parseJson((await readInside(root, path, '/', maxManifestBytes)) ?? ''),
    )
    const [, given, version] = managerPattern.exec(manifest.data?.packageManager ?? '') ?? []
    const name = managerNames.find((one) => one === given)
    if (name) return { name, version }
  }
  return null
}

/** The directory itself, then its parents, the bundle ('') last. */
export function upward(folder: string): string[] {
  const parts = folder.split('/').filter((part) => part !== '' && part !== '.')
  return [...parts.map((_part, index) => parts.slice(0, parts.length - index).join('/')), '']
}
