// Unpacks a suite's archive, made by strangers, into an empty folder that no program runs in yet. Comes in: the tar.gz;
// goes out: files, folders and links below the folder. Never writes outside, never through a link: links are made last.
import { constants, createReadStream } from 'node:fs'
import { chmod, copyFile, mkdir, open, symlink } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { pipeline, Transform } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { BundleError } from './bundle-error.ts'
import { resolveLink } from './resolve-link.ts'
import { readTar, type TarEntry } from './tar-reader.ts'

interface BundleLimits {
  archiveBytes: number
  unpackedBytes: number
  entries: number
}

/** choice: what a repository with its test data has, with room above. */
const bundleLimits: BundleLimits = {
  archiveBytes: 500 * 1024 * 1024,
  unpackedBytes: 2 * 1024 * 1024 * 1024,
  entries: 100_000,
}

export interface Bundle {
  /** By path with slashes, relative to the folder. */
  entries: ReadonlyMap<string, 'file' | 'directory' | 'symlink'>
  unpackedBytes: number
}

export async function extractBundle(
  archive: string,
  into: string,
  signal: AbortSignal,
  limits: BundleLimits = bundleLimits,
): Promise<Bundle> {
  const entries = new Map<string, 'file' | 'directory' | 'symlink'>()
  const links = new Map<string, string>()
  let unpackedBytes = 0
  const count = (bytes: number, name: string) => {
    unpackedBytes += bytes
    if (unpackedBytes > limits.unpackedBytes)
      throw new BundleError(`${name}: the bundle is larger than ${megabytes(limits.unpackedBytes)} unpacked`)
  }
  const makeParents = async (path: string) => {
    const parents = path.split('/').slice(0, -1)
    for (let depth = 1; depth <= parents.length; depth++) {
      const parent = parents.slice(0, depth).join('/')
      const kind = entries.get(parent)
      if (kind === 'directory') continue
      if (kind) throw new BundleError(`${path}: ${parent} is no folder in this bundle`)
      await makeFolder(join(into, parent))
      entries.set(parent, 'directory')
    }
  }
  let seen = 0
  for await (const entry of readTar(unpacked(archive, limits, signal))) {
    signal.throwIfAborted()
    if (++seen > limits.entries || entries.size > limits.entries)
      throw new BundleError(`${shown(entry.name)}: the bundle has more than ${limits.entries} entries`)
    const path = safePath(entry.name)
    if (path === '') continue
    if (entry.kind === 'directory' && entries.get(path) === 'directory') continue
    if (entries.has(path)) throw new BundleError(`${path}: is in the bundle twice`)
    await makeParents(path)
    const target = join(into, path)
    if (entry.kind === 'directory') {
      await makeFolder(target)
      entries.set(path, 'directory')
    } else if (entry.kind === 'symlink') {
      links.set(path, entry.linkName)
      entries.set(path, 'symlink')
    } else if (entry.kind === 'hardlink') {
      const original = safePath(entry.linkName)
      if (entries.get(original) !== 'file')
        throw new BundleError(
          `${path}: is a hard link to ${shown(entry.linkName)}, which is no file before it`,
        )
      count(await copyWhole(join(into, original), target), path)
      entries.set(path, 'file')
    } else if (entry.kind === 'file') {
      count(entry.size, path)
      await writeFile(target, entry)
      entries.set(path, 'file')
    } else throw new BundleError(`${path}: is neither file, folder nor link`)
  }
  if (entries.size === 0) throw new BundleError('the bundle is empty')
  for (const [path, to] of links) resolveLink(path, to, links)
  for (const [path, to] of links) await symlink(to, join(into, path))
  return { entries, unpackedBytes }
}

async function* unpacked(archive: string, limits: BundleLimits, signal: AbortSignal): AsyncGenerator<Buffer> {
  const read = atMost(
    limits.archiveBytes,
    () => `the bundle is larger than ${megabytes(limits.archiveBytes)}`,
  )
  // Names, padding and what entries are said to hold: bombs are cut off while they are unpacked.
  const most = limits.unpackedBytes + limits.entries * 2048
  const inflated = atMost(most, () => `the bundle is larger than ${megabytes(most)} unpacked`)
  const source = pipeline(
    createReadStream(archive, { signal }),
    read,
    createGunzip(),
    inflated,
    () => undefined,
  )
  try {
    for await (const chunk of source) yield chunk as Buffer
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code?.startsWith('Z_'))
      throw new BundleError(`the bundle is no gzip archive, or damaged (${(error as Error).message})`)
    throw error
  } finally {
    source.destroy()
  }
}

function atMost(limit: number, message: () => string): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > limit) done(new BundleError(message()))
      else done(null, chunk)
    },
  })
}

const maxPathBytes = 2000
const maxDepth = 64

/** Empty: the folder itself. */
function safePath(name: string): string {
  if (name.includes('\0') || name.includes('\\'))
    throw new BundleError(`${shown(name)}: has a name that is not allowed`)
  if (posix.isAbsolute(name)) throw new BundleError(`${shown(name)}: an absolute path is not allowed`)
  const parts = name.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..')) throw new BundleError(`${shown(name)}: leads out of the bundle`)
  const isLong = Buffer.byteLength(name) > maxPathBytes || parts.some((part) => Buffer.byteLength(part) > 255)
  if (isLong || parts.length > maxDepth) throw new BundleError(`${shown(name)}: has a name that is too long`)
  return parts.join('/')
}

const folderMode = 0o755
const fileMode = 0o644
const programMode = 0o755

async function makeFolder(path: string): Promise<void> {
  await mkdir(path)
  await chmod(path, folderMode)
}

const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

async function writeFile(path: string, { body, mode }: TarEntry): Promise<void> {
  const file = await open(path, newFile)
  try {
    for await (const chunk of body) await file.writeFile(chunk)
    await file.chmod((mode & 0o111) === 0 ? fileMode : programMode)
  } finally {
    await file.close()
  }
}

async function copyWhole(from: string, to: string): Promise<number> {
  await copyFile(from, to, constants.COPYFILE_EXCL)
  const file = await open(from, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    const { size, mode } = await file.stat()
    await chmod(to, mode & 0o777)
    return size
  } finally {
    await file.close()
  }
}

const shown = (name: string) => JSON.stringify(name.slice(0, 200)).slice(1, -1)
const megabytes = (bytes: number) => `${Math.round(bytes / (1024 * 1024))} MB`
