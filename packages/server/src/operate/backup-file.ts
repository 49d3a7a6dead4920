// The format of a backup: a tar (gzipped or not) of tables/NAME/PART, artifacts/…, secret-key, manifest.json and, last, the
// checksum of everything before it. Without the checksum a file isn't complete.

import { createHash, type Hash } from 'node:crypto'
import { closeSync, createReadStream, openSync, readSync } from 'node:fs'
import { pipeline } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { errorMessage } from '@vedette/safeguards/errors'
import { z } from 'zod'
import { OperatorError } from './command.ts'
import { readTar, type TarEntry, writeTar } from './tar.ts'

/** As PostgreSQL prints it. The bound becomes part of a statement, so nothing else is accepted. */
const partitionBound = /^(DEFAULT|FOR VALUES (FROM|IN|WITH) \([^;]*\))$/

export const Manifest = z.object({
  format: z.literal(1),
  createdAt: z.iso.datetime(),
  migrations: z.array(z.object({ number: z.int(), name: z.string(), checksum: z.string() })),
  tables: z.array(
    z.object({
      name: z.string(),
      columns: z.array(z.string()),
      rows: z.int().min(0),
      partition: z.object({ of: z.string(), bound: z.string().regex(partitionBound) }).optional(),
    }),
  ),
  sequences: z.array(
    z.object({ table: z.string(), column: z.string(), lastValue: z.int(), isCalled: z.boolean() }),
  ),
  artifacts: z.int().min(0),
  secretKeyFingerprint: z.string().nullable(),
})

export type Manifest = z.output<typeof Manifest>

export const names = {
  tables: 'tables/',
  artifacts: 'artifacts/',
  secretKey: 'secret-key',
  manifest: 'manifest.json',
  checksum: 'sha256',
} as const

export function packBackup(entries: AsyncIterable<TarEntry>): AsyncIterable<Buffer> {
  return writeTar(withChecksum(entries))
}

async function* withChecksum(entries: AsyncIterable<TarEntry>): AsyncGenerator<TarEntry> {
  const hash = createHash('sha256')
  for await (const entry of entries) yield { ...entry, content: hashContent(entry, hash) }
  yield entryOf(names.checksum, Buffer.from(`${hash.digest('hex')}\n`))
}

/** Calls `visit` with every entry except the manifest. Throws if the file isn't complete and unchanged. */
export async function readBackup(
  file: string,
  visit: (entry: TarEntry) => Promise<void> = async () => undefined,
): Promise<Manifest> {
  const hash = createHash('sha256')
  let manifest: unknown
  let isComplete = false
  // Reads to the end of the file: the checksum of gzip is in its last eight bytes.
  for await (const entry of readTar(openFile(file))) {
    if (isComplete) throw new Error('There is an entry after the checksum.')
    if (entry.name === names.checksum) {
      const digest = (await readAll(entry.content)).toString().trim()
      if (digest !== hash.digest('hex')) throw new Error('The checksum is wrong.')
      isComplete = true
      continue
    }
    const content = hashContent(entry, hash)
    if (entry.name === names.manifest) manifest = JSON.parse((await readAll(content)).toString())
    else await visit({ ...entry, content })
    for await (const _ of content);
  }
  if (!isComplete) throw new Error('The archive has no checksum.')
  return parseManifest(manifest)
}

/** Reads the whole file before anything is restored. `key` is null if the backup has no secret key. */
export async function verifyBackup(file: string): Promise<{ manifest: Manifest; key: string | null }> {
  let key: string | null = null
  try {
    const manifest = await readBackup(file, async ({ name, content }) => {
      if (name === names.secretKey) key = (await readAll(content)).toString().trim()
    })
    return { manifest, key }
  } catch (cause) {
    if (cause instanceof OperatorError) throw cause
    throw new OperatorError(`${file} isn't a complete backup of Vedette. ${errorMessage(cause)}`, {
      cause,
    })
  }
}

export async function readAll(content: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of content) chunks.push(chunk)
  return Buffer.concat(chunks)
}

export function entryOf(name: string, bytes: Buffer): TarEntry {
  return {
    name,
    size: bytes.length,
    content: (async function* () {
      yield bytes
    })(),
  }
}

async function* hashContent({ name, size, content }: TarEntry, hash: Hash): AsyncGenerator<Buffer> {
  hash.update(`${name}\0${size}\0`)
  for await (const chunk of content) {
    hash.update(chunk)
    yield chunk
  }
}

function parseManifest(manifest: unknown): Manifest {
  const { format } = z.object({ format: z.int() }).parse(manifest)
  if (format !== Manifest.shape.format.value) {
    throw new OperatorError(
      `This backup has format ${format}, which this release of Vedette doesn't support.`,
    )
  }
  return Manifest.parse(manifest)
}

function openFile(file: string): AsyncIterable<Buffer> {
  const start = Buffer.alloc(2)
  try {
    const fd = openSync(file, 'r')
    readSync(fd, start, 0, 2, 0)
    closeSync(fd)
  } catch (cause) {
    throw new OperatorError(`${file} can't be read: ${errorMessage(cause)}`, { cause })
  }
  const bytes = createReadStream(file)
  const isGzip = start.equals(Buffer.from([0x1f, 0x8b]))
  // The reader gets the error; the callback keeps it from being thrown a second time.
  return isGzip ? pipeline(bytes, createGunzip(), () => undefined) : bytes
}
