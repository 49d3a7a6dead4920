// backup FILE: a consistent snapshot of all data, also while the server runs.

import { randomUUID } from 'node:crypto'
import { createWriteStream, renameSync, rmSync, statSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import { errorMessage } from '@vedette/safeguards/errors'
import type { Config } from '../config.ts'
import { type Snapshot, withSnapshot } from '../storage/backup/snapshot.ts'
import type { Store } from '../storage/core/db.ts'
import { syncFolder } from '../storage/core/private-file.ts'
import { findFingerprint, readSecretKeyFile } from '../storage/core/secret-key.ts'
import { openVault } from '../storage/core/vault.ts'
import { packArtifacts } from './artifacts.ts'
import { entryOf, type Manifest, names, packBackup } from './backup-file.ts'
import { type Command, type Input, OperatorError, type Output, UsageError } from './command.ts'
import { withStore } from './connect.ts'
import type { TarEntry } from './tar.ts'
import { argumentAt } from './values.ts'

export const backupCommands: Record<string, Command> = {
  backup: {
    usage: 'backup FILE.tar | FILE.tar.gz | -  [--without-secret-key]',
    summary: 'writes all data to one file (- is stdout), also while the server runs',
    options: { 'without-secret-key': { type: 'boolean' } },
    words: 1,
    run: backup,
  },
}

const partBytes = 4 * 1024 * 1024

async function backup(input: Input): Promise<Output> {
  const target = argumentAt(input, 0)
  const isStdout = target === '-'
  if (isStdout && input.flag('json'))
    throw new UsageError("--json can't be used with -: stdout carries the backup.")
  if (isStdout && process.stdout.isTTY)
    throw new UsageError("A backup can't be written to a terminal: name a file.")
  if (!isStdout && !/\.(tar|tar\.gz|tgz)$/.test(target)) {
    throw new UsageError(`"${target}" must end in .tar, or in .tar.gz to be compressed.`)
  }
  const written = await withStore(input.config, { schema: 'known' }, async (store) => {
    const key = await chooseKey(store, input.config, input.flag('without-secret-key'))
    const manifest = await withSnapshot(store.pool, (snapshot) =>
      isStdout
        ? write(snapshot, input, key, process.stdout)
        : writeFile(snapshot, input, key, resolve(target)),
    )
    return { manifest, key }
  })
  const output = report(written.manifest, written.key, isStdout ? null : resolve(target))
  if (!isStdout) return output
  process.stderr.write(`${output.text}\n`)
  return { ...output, text: '' }
}

interface ChosenKey {
  fingerprint: string | null
  /** Null: the backup doesn't contain it, for the given reason. */
  key: string | null
  reason: string
}

async function chooseKey(store: Store, config: Config, isUnwanted: boolean): Promise<ChosenKey> {
  const fingerprint = await findFingerprint(store.db)
  const without = (reason: string) => ({ fingerprint, key: null, reason })
  if (isUnwanted) return without('as requested')
  const key = readSecretKeyFile(config.DATA_DIR)
  if (key !== null && openVault(key).fingerprint === fingerprint) return { fingerprint, key, reason: '' }
  return without(key === null ? "it isn't in a file of DATA_DIR" : "the one in DATA_DIR isn't in use")
}

async function writeFile(snapshot: Snapshot, input: Input, key: ChosenKey, file: string): Promise<Manifest> {
  const draft = `${file}.draft-${randomUUID()}`
  const removeDraft = () => rmSync(draft, { force: true })
  // Ctrl-C ends the process without running the catch block.
  process.once('exit', removeDraft)
  try {
    const out = createWriteStream(draft, { flags: 'wx', mode: 0o600 })
    const manifest = await write(snapshot, input, key, out, /gz$/.test(file))
    const handle = await open(draft, 'r')
    await handle.sync().finally(() => handle.close())
    renameSync(draft, file)
    syncFolder(dirname(file))
    return manifest
  } catch (error) {
    removeDraft()
    if (!(error instanceof Error && 'syscall' in error)) throw error
    throw new OperatorError(`${file} can't be written: ${errorMessage(error)}`, { cause: error })
  } finally {
    process.off('exit', removeDraft)
  }
}

async function write(
  snapshot: Snapshot,
  input: Input,
  key: ChosenKey,
  out: Writable,
  isCompressed = false,
): Promise<Manifest> {
  const manifest = Promise.withResolvers<Manifest>()
  const entries = pack(snapshot, input, key, manifest.resolve)
  const bytes = Readable.from(packBackup(entries), { objectMode: false })
  // stdout must stay open for other output.
  if (isCompressed) await pipeline(bytes, createGzip(), out)
  else await pipeline(bytes, out, { end: out !== process.stdout })
  return manifest.promise
}

async function* pack(
  snapshot: Snapshot,
  { config, progress }: Input,
  { fingerprint, key }: ChosenKey,
  onFinished: (manifest: Manifest) => void,
): AsyncGenerator<TarEntry> {
  const tables: Manifest['tables'] = []
  for (const table of snapshot.tables) {
    let rows = 0
    let part = 0
    for await (const bytes of splitIntoParts(snapshot.readRows(table))) {
      rows += countLines(bytes)
      part += 1
      progress(`table ${tables.length + 1} of ${snapshot.tables.length}: ${table.name}, ${rows} rows…`)
      yield entryOf(`${names.tables}${table.name}/${String(part).padStart(6, '0')}`, bytes)
    }
    tables.push({ ...table, rows })
  }
  let artifacts = 0
  for await (const entry of packArtifacts(config.DATA_DIR)) {
    artifacts += 1
    progress(`${artifacts} artifacts…`)
    yield entry
  }
  if (key !== null) yield entryOf(names.secretKey, Buffer.from(`${key}\n`))
  const manifest: Manifest = {
    format: 1,
    createdAt: new Date().toISOString(),
    migrations: snapshot.migrations,
    tables,
    sequences: await snapshot.readSequences(),
    artifacts,
    secretKeyFingerprint: fingerprint,
  }
  yield entryOf(names.manifest, Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`))
  onFinished(manifest)
}

/** A tar needs the size of an entry in advance, so a table is written in parts that fit into memory. */
async function* splitIntoParts(rows: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let chunks: Buffer[] = []
  let size = 0
  for await (const chunk of rows) {
    chunks.push(chunk)
    size += chunk.length
    if (size < partBytes) continue
    yield Buffer.concat(chunks)
    chunks = []
    size = 0
  }
  if (size > 0) yield Buffer.concat(chunks)
}

/** COPY escapes line feeds in values: each remaining one ends a row. */
function countLines(bytes: Buffer): number {
  let lines = 0
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) lines += 1
  return lines
}

function report(manifest: Manifest, { key, reason }: ChosenKey, file: string | null): Output {
  const rows = manifest.tables.reduce((sum, table) => sum + table.rows, 0)
  const { artifacts, createdAt } = manifest
  const bytes = file === null ? null : statSync(file).size
  const secret =
    key === null
      ? `It doesn't contain the secret key (${reason}): keep SECRET_KEY yourself, a restore needs it.`
      : 'It contains the secret key, which opens every secret: keep it where only you can read it.'
  return {
    json: {
      file,
      bytes,
      createdAt,
      tables: manifest.tables.length,
      rows,
      artifacts,
      hasSecretKey: key !== null,
    },
    text: `Backup ${file ?? 'written'}: ${manifest.tables.length} tables, ${rows} rows, ${artifacts} artifacts.\n${secret}`,
  }
}
