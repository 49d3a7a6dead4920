import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { lockFileNames, type PackageManager } from './package-manager.ts'
import type { Engine } from './toolbox.ts'

/** Files that determine the packages of a suite, besides the lock file. */
const settingFiles = [
  'package.json',
  '.npmrc',
  '.yarnrc',
  '.yarnrc.yml',
  'pnpm-workspace.yaml',
  'bunfig.toml',
]
const keyFiles: ReadonlySet<string> = new Set([...lockFileNames, ...settingFiles])

/** Identifies the packages that an install of this bundle creates, with this engine on this platform. */
export async function cacheKey(
  folder: string,
  entries: ReadonlyMap<string, string>,
  suite: { installCommand: string; workingDir: string; engine: Engine; manager: PackageManager },
): Promise<string> {
  const { installCommand, workingDir, engine, manager } = suite
  const hash = createHash('sha256')
  const platform = [process.platform, process.arch]
  const parts = [
    installCommand,
    workingDir,
    engine.name,
    engine.version,
    manager.name,
    manager.version,
    ...platform,
  ]
  hash.update(`${JSON.stringify(parts)}\n`)
  const files = [...entries]
    .filter(([path, kind]) => kind === 'file' && keyFiles.has(posix.basename(path)))
    .map(([path]) => path)
    .filter((path) => !path.split('/').includes('node_modules'))
    .sort()
  for (const path of files) hash.update(`${JSON.stringify([path, await sha256Of(join(folder, path))])}\n`)
  return hash.digest('hex')
}

async function sha256Of(path: string): Promise<string> {
  const hash = createHash('sha256')
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
  for await (const chunk of file.createReadStream()) hash.update(chunk)
  return hash.digest('hex')
}
