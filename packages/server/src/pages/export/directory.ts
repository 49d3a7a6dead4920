// Writes a site into a directory. A reader never sees half a file, and files of an earlier export that the site no longer has are
// removed. Other files in the directory are left alone.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorCode } from '@vedette/safeguards/errors'
import { isRecord } from '../../core/is-record.ts'
import type { SiteFile } from './site.ts'

/** The hash of each file of a site, by its path. */
export type Manifest = Record<string, string>

export const manifestName = 'vedette-pages.json'

export async function writeDirectory(folder: string, files: AsyncIterable<SiteFile>): Promise<Manifest> {
  const before = readManifest(folder)
  const manifest: Manifest = {}
  for await (const { path, text } of files) {
    const hash = createHash('sha256').update(text).digest('hex')
    manifest[path] = hash
    const target = join(folder, path)
    if (before[path] !== hash || !existsSync(target)) replaceFile(target, text)
  }
  for (const path of Object.keys(before)) {
    if (!Object.hasOwn(manifest, path)) rmSync(join(folder, path), { force: true })
  }
  replaceFile(join(folder, manifestName), manifestText(manifest))
  return manifest
}

export function manifestText(manifest: Manifest): string {
  return `${JSON.stringify(manifest, null, 1)}\n`
}

/** Only what an export wrote: a path never leaves the site. */
export function parseManifest(text: string): Manifest {
  const value: unknown = JSON.parse(text)
  if (!isRecord(value)) return {}
  const isOwn = (path: string) => !path.split('/').includes('..') && !path.startsWith('/')
  return Object.fromEntries(
    Object.entries(value).flatMap(([path, hash]) =>
      typeof hash === 'string' && isOwn(path) ? [[path, hash]] : [],
    ),
  )
}

function readManifest(folder: string): Manifest {
  try {
    return parseManifest(readFileSync(join(folder, manifestName), 'utf8'))
  } catch (error) {
    // Without a readable one, all files are written.
    if (errorCode(error) === 'ENOENT' || error instanceof SyntaxError) return {}
    throw error
  }
}

function replaceFile(path: string, text: string | Buffer): void {
  mkdirSync(dirname(path), { recursive: true })
  const temporary = `${path}.new`
  writeFileSync(temporary, text)
  renameSync(temporary, path)
}
