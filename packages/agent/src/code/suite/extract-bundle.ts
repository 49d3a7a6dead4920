// Unpacks a suite's untrusted tar.gz archive into an empty directory, before any program runs in it. Never writes outside the
// directory or through a link: links are created last.

import { constants, createReadStream } from 'node:fs'
import { chmod, copyFile, lstat, mkdir, open, symlink, writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { maxUnpackedBundleBytes } from '@vedette/contracts/runs'
import { errorCode, errorMessage } from '@vedette/safeguards/errors'
import { type Extract, extract } from 'tar-stream'
import { SuiteError } from './suite-error.ts'

const bundleLimits = {
  archiveBytes: 500 * 1024 * 1024,
  unpackedBytes: maxUnpackedBundleBytes,
  entries: 100_000,
}

/** By path with slashes, relative to the directory. */
export type Bundle = ReadonlyMap<string, 'file' | 'directory' | 'symlink'>

export async function extractBundle(
  archive: string,
  into: string,
  signal: AbortSignal,
  limits = bundleLimits,
): Promise<Bundle> {
  const entries = new Map<string, 'file' | 'directory' | 'symlink'>()
  const links = new Map<string, string>()
  let unpackedBytes = 0
  const count = (bytes: number, name: string) => {
    unpackedBytes += bytes
    if (unpackedBytes > limits.unpackedBytes)
      throw new SuiteError(
        `${tooLarge(limits.unpackedBytes, ' when it is unpacked')} The limit was reached at ${name}.`,
      )
  }
  const makeParents = async (path: string) => {
    const parents = path.split('/').slice(0, -1)
    for (let depth = 1; depth <= parents.length; depth++) {
      const parent = parents.slice(0, depth).join('/')
      const kind = entries.get(parent)
      if (kind === 'directory') continue
      if (kind) throw entryError(path, `is below ${parent}, which isn't a directory`)
      await makeFolder(join(into, parent))
      entries.set(parent, 'directory')
    }
  }
  const unpack = async (entry: Entry) => {
    const { name, type, linkname, size } = entry.header
    // tar-stream waits forever for the content of an entry without a size.
    if (!Number.isSafeInteger(size) || size < 0)
      throw new SuiteError(
        'The bundle has an entry without a valid size. Create the archive again and upload it.',
      )
    const path = safePath(name)
    if (path === '') return
    if (type === 'directory' && entries.get(path) === 'directory') return
    if (entries.has(path)) throw entryError(path, 'is in the archive twice')
    await makeParents(path)
    const target = join(into, path)
    if (type === 'directory') await makeFolder(target)
    else if (type === 'symlink') links.set(path, linkname ?? '')
    else if (type === 'link') {
      const original = safePath(linkname ?? '')
      if (entries.get(original) !== 'file')
        throw entryError(path, `is a hard link to ${printable(linkname ?? '')}, which isn't an earlier file`)
      const { size, mode } = await lstat(join(into, original))
      count(size, path)
      await copyFile(join(into, original), target, constants.COPYFILE_EXCL)
      await chmod(target, mode & 0o777)
    } else if (type === 'file' || type === 'contiguous-file') {
      count(size, path)
      await writeNew(target, entry)
    } else throw entryError(path, "isn't a file, a directory or a link")
    entries.set(path, type === 'directory' || type === 'symlink' ? type : 'file')
  }
  const tar = extract(tarOptions)
  // Contents, names and padding: decompression bombs are stopped while they are unpacked.
  const most = limits.unpackedBytes + limits.entries * 2048
  const reading = pipeline(
    createReadStream(archive, { signal }),
    atMost(limits.archiveBytes, ''),
    createGunzip(),
    atMost(most, ' when it is unpacked'),
    tar,
  )
  reading.catch(() => undefined)
  try {
    let seen = 0
    for await (const entry of tar) {
      signal.throwIfAborted()
      if (++seen > limits.entries || entries.size > limits.entries)
        throw new SuiteError(
          `The bundle has more than ${limits.entries} entries. Remove files that the suite doesn't need. The limit was reached at ${printable(entry.header.name)}.`,
        )
      await unpack(entry)
      entry.resume()
    }
    await reading
  } catch (error) {
    signal.throwIfAborted()
    // A loop that ends by its own error closes the streams.
    const first: unknown = await reading.then(() => error).catch((reason) => reason)
    throw readError(errorCode(first) === 'ERR_STREAM_PREMATURE_CLOSE' ? error : first)
  }
  if (entries.size === 0)
    throw new SuiteError('The bundle is empty. Upload an archive that contains the files of the suite.')
  for (const [path, to] of links) checkLink(path, to, links)
  for (const [path, to] of links) await symlink(to, join(into, path))
  return entries
}

/** Archives of old tar programs have no magic bytes. */
const tarOptions = { highWaterMark: 64 * 1024, allowUnknownFormat: true }

type Entry = Extract extends AsyncIterable<infer E> ? E : never

function atMost(limit: number, when: string): Transform {
  let bytes = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      if (bytes > limit) done(new SuiteError(tooLarge(limit, when)))
      else done(null, chunk)
    },
  })
}

/** Errors of tar-stream have no code. */
function readError(error: unknown): unknown {
  const code = errorCode(error)
  const message = errorMessage(error)
  if (code?.startsWith('Z_'))
    return new SuiteError(
      `The bundle isn't a gzip archive, or it is damaged (${message}). Upload it again as a tar.gz archive.`,
    )
  if (error instanceof SuiteError || code !== undefined) return error
  return new SuiteError(
    message === 'Unexpected end of data'
      ? 'The bundle ends in the middle of an entry. Create the archive again and upload it.'
      : `The bundle isn't a tar archive, or it is damaged (${message}). Upload it again as a tar.gz archive.`,
  )
}

function entryError(path: string, why: string): SuiteError {
  const shown = JSON.stringify(path.slice(0, 200))
  return new SuiteError(`The bundle's entry ${shown} ${why}. Correct the archive and upload it again.`)
}

const maxPathBytes = 2000
const maxDepth = 64

/** Empty: the directory itself. */
function safePath(name: string): string {
  // Invalid UTF-8 is decoded to the replacement character.
  if (name.includes('\ufffd')) throw entryError(name, "has a name that isn't valid UTF-8")
  if (name.includes('\0') || name.includes('\\'))
    throw entryError(name, 'has a name with characters that are not allowed')
  if (posix.isAbsolute(name)) throw entryError(name, 'has an absolute path, which is not allowed')
  const parts = name.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..')) throw entryError(name, 'leads out of the bundle')
  const isLong = Buffer.byteLength(name) > maxPathBytes || parts.some((part) => Buffer.byteLength(part) > 255)
  if (isLong || parts.length > maxDepth) throw entryError(name, 'has a name that is too long')
  return parts.join('/')
}

async function makeFolder(path: string): Promise<void> {
  await mkdir(path)
  await chmod(path, 0o755)
}

const newFile = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

async function writeNew(path: string, entry: Entry): Promise<void> {
  await using file = await open(path, newFile)
  // The library's types don't declare its chunks.
  await writeFile(file, entry as AsyncIterable<Buffer>)
  await file.chmod((entry.header.mode & 0o111) === 0 ? 0o644 : 0o755)
}

const tooLarge = (limit: number, when: string) =>
  `The bundle is larger than ${Math.round(limit / (1024 * 1024))} MB${when}. Remove files that the suite doesn't need.`
const printable = (name: string) => JSON.stringify(name.slice(0, 200)).slice(1, -1)

const maxHops = 40

/**
 * Throws if a link leads out of the bundle. Other links on the way are resolved like the kernel does: if `a` is a link, `a/..`
 * isn't the directory of `a`.
 */
function checkLink(path: string, target: string, links: ReadonlyMap<string, string>): void {
  const refuse = (why: string) =>
    entryError(path, `is a link to ${JSON.stringify(target.slice(0, 200))}, ${why}`)
  let hops = 0
  const resolve = (from: readonly string[], to: string): string[] => {
    if (++hops > maxHops) throw refuse('which leads in a circle')
    if (to === '' || to.includes('\0') || to.includes('\\')) throw refuse('which is not allowed')
    if (to.startsWith('/')) throw refuse('which is an absolute path')
    let at = [...from]
    for (const part of to.split('/')) {
      if (part === '' || part === '.') continue
      if (part === '..') {
        if (at.length === 0) throw refuse('which leads out of the bundle')
        at = at.slice(0, -1)
        continue
      }
      const next = links.get([...at, part].join('/'))
      at = next === undefined ? [...at, part] : resolve(at, next)
    }
    return at
  }
  resolve(path.split('/').slice(0, -1), target)
}
