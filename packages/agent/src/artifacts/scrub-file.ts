// Removes secrets and credentials from the output files of a run: from contents, however they are packed, and from names.
// Pixels are the documented exception.

import { randomUUID } from 'node:crypto'
import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { errorMessage } from '@vedette/safeguards/errors'
import type { Scrubber } from '../scrub/scrub.ts'
import { type ByteSource, chunksOf, openFile, Spool } from './byte-source.ts'
import type { OutputFile } from './output-file.ts'
import { scrubContent } from './scrub-content.ts'
import { scrubName } from './scrub-name.ts'
import { LeftOut, type ScrubContext } from './transform.ts'
import { UniqueNames } from './unique-names.ts'

export interface ScrubFileOptions {
  /** A directory of the agent; scrubbed files stay there until it is removed. */
  tempFolder: string
  signal?: AbortSignal
  /** Limits for unpacking, over all archives in one file. */
  unpack?: { bytes: number; members: number }
}

export interface ScrubbedFiles {
  files: OutputFile[]
  /** Files that were left out, and why; scrubbed, for the run's log. */
  notes: string[]
}

const unpackLimits = { bytes: 512 * 1024 * 1024, members: 20_000 }

/** One after another, to bound the disk space. */
export async function scrubFiles(
  files: readonly OutputFile[],
  scrubber: Scrubber,
  options: ScrubFileOptions,
): Promise<ScrubbedFiles> {
  const scrubbed: ScrubbedFiles = { files: [], notes: [] }
  const names = new UniqueNames()
  for (const file of files) {
    const { file: kept, notes } = await scrubFile(file, scrubber, options)
    scrubbed.notes.push(...notes)
    if (kept) scrubbed.files.push({ ...kept, name: names.take(kept.name) })
  }
  return scrubbed
}

/** Keeps the path if nothing changed; null if the file must not be kept. */
export async function scrubFile(
  file: OutputFile,
  scrubber: Scrubber,
  { tempFolder, signal, unpack = unpackLimits }: ScrubFileOptions,
): Promise<{ file: OutputFile | null; notes: string[] }> {
  const name = scrubName(file.name, scrubber)
  const notes: string[] = []
  const budget = { ...unpack }
  const isTrace = file.type === 'report'
  const context: ScrubContext = { scrubber, tempFolder, budget, depth: 0, isTrace, notes }
  if (signal) context.signal = signal
  let source: ByteSource | null = null
  try {
    source = await openFile(file.path)
    const scrubbed = await scrubContent(source, file.name, context)
    const path = scrubbed === source ? file.path : await moveToFile(scrubbed, tempFolder)
    return { file: { ...file, name, path }, notes: notes.map((note) => `${name}: ${note}`) }
  } catch (error) {
    signal?.throwIfAborted()
    const why = error instanceof LeftOut ? error.message : scrubber.text(errorMessage(error))
    return { file: null, notes: [`${name} is not kept: ${why}`] }
  } finally {
    await source?.close()
  }
}

/** Into a file that outlives its spool. */
async function moveToFile(source: ByteSource, tempFolder: string): Promise<string> {
  const path = join(tempFolder, `${randomUUID()}.scrubbed`)
  try {
    if (source.path !== null) {
      await rename(source.path, path)
      return path
    }
    const spool = new Spool(tempFolder)
    try {
      for await (const chunk of chunksOf(source)) await spool.write(chunk)
      const made = await spool.finishFile()
      await rename(made.path ?? '', path)
      return path
    } finally {
      await spool.discard()
    }
  } finally {
    await source.close()
  }
}
