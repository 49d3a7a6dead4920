// The archives of Playwright suites: downloaded, and unpacked in memory.
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { gunzip } from 'node:zlib'
import type { AccountResources } from '@vedette/as-code/account-resources'
import { type Client, ClientError, downloadFileForCli } from '@vedette/contracts'
import { extract } from 'tar-stream'
import { CommandError } from '../core/connection.ts'

/** By the path that checks refer to them by. Those that don't exist anymore are absent. */
export async function readArchives(
  client: Client,
  checks: AccountResources['checks'],
  progress: (line: string) => void,
): Promise<Map<string, Uint8Array>> {
  const keys = checks.flatMap((check) => (check.checkType === 'PLAYWRIGHT' ? [check.codeBundlePath] : []))
  const archives = new Map<string, Uint8Array>()
  for (const key of new Set(keys)) {
    const archive = await client.call(downloadFileForCli, { body: { key } }).catch(undefinedIfGone)
    if (archive !== undefined) archives.set(key, archive)
  }
  if (keys.length > 0) progress(`Read ${archives.size} archives of suites.`)
  return archives
}

function undefinedIfGone(error: unknown): undefined {
  if (!(error instanceof ClientError) || error.status !== 404) throw error
}

/** Archives of old tar programs have no magic bytes. */
const tarOptions = { highWaterMark: 64 * 1024, allowUnknownFormat: true }

/** choice: more than the files of a suite need; all of them are in memory. */
const archiveLimits = { unpackedBytes: 512 * 1024 * 1024, entries: 50_000 }

/** Files by their path. Links are left out. Throws a CommandError for names that lead out of a directory. */
export async function unpackArchive(
  archive: Uint8Array,
  name: string,
  limits = archiveLimits,
): Promise<Map<string, Uint8Array>> {
  const files = new Map<string, Uint8Array>()
  const directories = new Set<string>()
  try {
    const tar = extract(tarOptions)
    Readable.from([await promisify(gunzip)(archive, { maxOutputLength: limits.unpackedBytes })]).pipe(tar)
    let entries = 0
    for await (const entry of tar) {
      entries += 1
      const { type, name: path, size } = entry.header
      if (entries > limits.entries) throw new Error(`it has more than ${limits.entries} entries`)
      // tar-stream waits forever for the content of an entry without a size.
      if (!Number.isSafeInteger(size)) throw new Error(`${JSON.stringify(path)} has no size`)
      if (type === 'file' || type === 'contiguous-file') files.set(pathOf(path), await readEntry(entry))
      entry.resume()
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandError(
      `The archive ${name} of a suite can't be exported: ${reason}. Deploy the suite again, or delete it.`,
      { cause: error },
    )
  }
  return files

  function pathOf(entry: string): string {
    const parts = entry.split('/').filter((part) => part !== '' && part !== '.')
    const isHostile = entry.startsWith('/') || /[\\\0\ufffd]/.test(entry) || parts.includes('..')
    if (isHostile || parts.length === 0) throw new Error(`the name ${JSON.stringify(entry)} isn't allowed`)
    const path = parts.join('/')
    const parents = parts.slice(1).map((_, index) => parts.slice(0, index + 1).join('/'))
    if (files.has(path) || directories.has(path) || parents.some((parent) => files.has(parent)))
      throw new Error(`${JSON.stringify(entry)} is in it twice`)
    for (const parent of parents) directories.add(parent)
    return path
  }
}

async function readEntry(entry: AsyncIterable<unknown>): Promise<Uint8Array> {
  const chunks: Buffer[] = []
  for await (const chunk of entry) if (Buffer.isBuffer(chunk)) chunks.push(chunk)
  return Buffer.concat(chunks)
}
