// Removes secrets and credentials from the output files of a run: from contents, however they are packed, and from names.
// Pixels are the documented exception.

import { randomUUID } from 'node:crypto'
import { rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorMessage } from '@vedette/safeguards/errors'
import type { Scrubber } from '../scrub/scrub.ts'
import { type ByteSource, openFile } from './byte-source.ts'
import { scrubName, UniqueNames } from './file-names.ts'
import type { OutputFile } from './output-file.ts'
import { scrubGzip, scrubTar, scrubZip } from './scrub-archive.ts'
import { scrubHtml } from './scrub-html.ts'
import { jpegScrub, pngScrub } from './scrub-image.ts'
import { type JsonKind, JsonScrub, NotJson } from './scrub-json.ts'
import { TextScrub } from './scrub-text.ts'
import { type ContentKind, contentKind, inflateBegin, sniffedBytes } from './sniff.ts'
import { chain, LeftOut, type ScrubContext, transform } from './transform.ts'

export interface ScrubFileOptions {
  /** A directory of the agent; scrubbed files stay there until it is removed. */
  tempFolder: string
  signal?: AbortSignal
  /** Limits for unpacking, over all archives in one file. */
  unpack?: { bytes: number; members: number }
}

const unpackLimits = { bytes: 512 * 1024 * 1024, members: 20_000 }

/** One after another, to bound the disk space. `notes`: what was left out, and why; scrubbed, for the run's log. */
export async function scrubFiles(
  files: readonly OutputFile[],
  scrubber: Scrubber,
  options: ScrubFileOptions,
): Promise<{ files: OutputFile[]; notes: string[] }> {
  const scrubbed: Awaited<ReturnType<typeof scrubFiles>> = { files: [], notes: [] }
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
  const context: ScrubContext = {
    scrubber,
    scrub: scrubContent,
    tempFolder,
    budget: { ...unpack },
    depth: 0,
    isTrace: file.type === 'report',
    notes,
    signal,
  }
  try {
    await using source = await openFile(file.path)
    const scrubbed = await scrubContent(source, file.name, context)
    const path = scrubbed === source ? file.path : await moveToFile(scrubbed, tempFolder)
    return { file: { ...file, name, path }, notes: notes.map((note) => `${name}: ${note}`) }
  } catch (error) {
    signal?.throwIfAborted()
    return { file: null, notes: [`${name} is not kept: ${scrubber.text(errorMessage(error))}`] }
  }
}

/** Into a file that outlives the source. */
async function moveToFile(source: ByteSource, tempFolder: string): Promise<string> {
  const path = join(tempFolder, `${randomUUID()}.scrubbed`)
  try {
    if (source.path !== null) await rename(source.path, path)
    else await writeFile(path, await source.read(0, source.size), { flag: 'wx', mode: 0o600 })
    return path
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await source.close()
  }
}

// Removes secrets and credentials from a file or a member of an archive. A content that can't be examined isn't kept while
// there are secrets.
/** Returns the source itself if nothing changes; throws a LeftOut for a content that must not be kept. */
async function scrubContent(source: ByteSource, name: string, context: ScrubContext): Promise<ByteSource> {
  if (source.size === 0) return source
  const { scrubber } = context
  const kind = contentKind(await source.read(0, sniffedBytes), name)
  if (kind === 'zip') return scrubZip(source, context)
  if (kind === 'html') return scrubHtml(source, context)
  if (kind === 'text') return transform(source, () => new TextScrub(scrubber), context)
  if (kind === 'trace' || kind === 'json') return scrubJson(source, kind, context)
  return scrubber.hasSecrets ? scrubBinary(source, name, kind, context) : source
}

function scrubBinary(source: ByteSource, name: string, kind: ContentKind, context: ScrubContext) {
  const { scrubber } = context
  if (kind === 'sealed') throw new LeftOut("it is packed in a format that can't be examined")
  if (kind === 'gzip') return scrubGzip(source, name, context)
  if (kind === 'tar') return scrubTar(source, context)
  if (kind === 'png') return transform(source, () => pngScrub(scrubber), context)
  if (kind === 'jpeg') return transform(source, () => jpegScrub(scrubber), context)
  const inPlace = () => scrubber.scan({ keepsLength: true })
  if (kind === 'pdf') return examinePdf(source, context).then(() => transform(source, inPlace, context))
  return transform(source, inPlace, context)
}

async function scrubJson(source: ByteSource, kind: 'trace' | 'json', context: ScrubContext) {
  const { scrubber } = context
  const jsonKind: JsonKind = kind === 'trace' ? 'trace' : context.isTrace ? 'report' : 'foreign'
  // Strings are scrubbed one by one; a secret that is itself a JSON document spans several.
  const spans = () => scrubber.scan({ quoted: jsonKind !== 'foreign' })
  try {
    return await transform(source, () => chain(new JsonScrub(scrubber, jsonKind), spans()), context)
  } catch (error) {
    if (!(error instanceof NotJson)) throw error
    return transform(source, () => new TextScrub(scrubber), context)
  }
}

const maxPdfBytes = 32 * 1024 * 1024
const maxStreamBytes = 16 * 1024 * 1024

/** Compressed streams can't be changed in place: a document with a secret in one of them isn't kept. */
async function examinePdf(source: ByteSource, { scrubber, budget }: ScrubContext): Promise<void> {
  if (source.size > maxPdfBytes) throw new LeftOut('it is too large to be examined')
  const bytes = await source.read(0, source.size)
  for (let at = bytes.indexOf('stream'); at !== -1; at = bytes.indexOf('stream', at + 6)) {
    const from = bytes[at + 6] === 13 ? at + 8 : at + 7
    const part = inflateBegin(bytes.subarray(from), maxStreamBytes)
    if (part === null) continue
    if (part === 'too large') throw new LeftOut('a part of it is too large to be examined')
    budget.bytes -= part.length
    if (budget.bytes < 0) throw new LeftOut('it unpacks to too many bytes')
    const scan = scrubber.scan()
    scan.end(part.toString('latin1'))
    if (scan.isChanged) throw new LeftOut('it contains a secret')
  }
}
