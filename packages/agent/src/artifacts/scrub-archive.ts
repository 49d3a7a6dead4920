// Archives: each member is scrubbed like a file, including its name, and written to a new archive.
import { pipeline, Readable } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import { extract, pack } from 'tar-stream'
import type { Scrubber } from '../scrub/scrub.ts'
import { type ByteSource, chunksOf, spool } from './byte-source.ts'
import { UniqueNames } from './file-names.ts'
import { isWholeSecret } from './scrub-json.ts'
import { LeftOut, type ScrubContext } from './transform.ts'
import { openZip, writeZip } from './zip-archive.ts'

const maxDepth = 2

/** Returns the source itself if nothing changes. */
export async function scrubZip(source: ByteSource, context: ScrubContext): Promise<ByteSource> {
  const { scrubber, budget, signal, tempFolder } = context
  const inner = deeper(context)
  let isChanged = false
  try {
    const { members, read } = await openZip(source, budget.members)
    budget.members -= members.length
    if (members.some(({ fileName }) => fileName.endsWith('.trace'))) inner.isTrace = true
    const names = new UniqueNames()
    const scrubbed = await writeZip(tempFolder, async (add) => {
      for (const member of members) {
        signal?.throwIfAborted()
        const name = names.take(memberName(member.fileName, scrubber))
        const isSame = await scrubMember(
          read(member),
          { from: member.fileName, to: name },
          inner,
          (content) => add(name, content, member),
        )
        if (!isSame) isChanged = true
      }
    })
    // Bytes between the members aren't scrubbed: with secrets, only the new archive is kept.
    if (isChanged || scrubber.hasSecrets) return scrubbed
    await scrubbed.close()
  } catch (error) {
    if (!(error instanceof LeftOut) || scrubber.hasSecrets) throw error
  }
  return source
}

/** Names that are references between the parts of a trace don't change. */
const reference = /(?:^|\/)(?:page@|src@)?[0-9a-f]{32,64}(?:[-.][\w.-]*)?$/

function memberName(name: string, scrubber: Scrubber): string {
  if (reference.test(name) && scrubber.text(folderOf(name)) === folderOf(name)) {
    if (!isWholeSecret(name.slice(folderOf(name).length), scrubber)) return name
  }
  return scrubber.text(name)
}

const folderOf = (name: string) => name.slice(0, name.lastIndexOf('/') + 1)

/** False if the member changed, or is left out. Throws a LeftOut if the archive can't be unpacked. */
async function scrubMember(
  chunks: AsyncIterable<Buffer>,
  names: { from: string; to: string },
  context: ScrubContext,
  keep: (content: ByteSource) => Promise<void>,
): Promise<boolean> {
  await using original = await unpack(chunks, context)
  try {
    await using scrubbed = await context.scrub(original, names.from, context)
    await keep(scrubbed)
    return scrubbed === original && names.from === names.to
  } catch (error) {
    if (!(error instanceof LeftOut)) throw error
    context.notes.push(context.scrubber.text(`${names.to} was left out of an archive: ${error.message}`))
    return false
  }
}

const tarTypes: ReadonlySet<unknown> = new Set(['file', 'contiguous-file', 'directory', 'symlink', 'link'])

/** Always a new archive: bytes between the members aren't scrubbed. */
export async function scrubTar(source: ByteSource, context: ScrubContext): Promise<ByteSource> {
  const inner = deeper(context)
  const { scrubber, budget } = context
  const made = pack()
  // The library's types don't declare its chunks.
  const written = spool(context.tempFolder, made as AsyncIterable<Buffer>)
  // Reported by the next member.
  written.catch(() => undefined)
  const add = (header: Parameters<typeof made.entry>[0], content: ByteSource) =>
    new Promise<void>((settle, fail) => {
      const entry = made.entry(header, (error) => (error ? fail(error) : settle()))
      if (header.type === 'file') Readable.from(chunksOf(content)).pipe(entry)
    })
  const archive = extract()
  pipeline(Readable.from(chunksOf(source)), archive, () => undefined)
  try {
    for await (const entry of archive) {
      const { name: from, linkname, uname, gname, type, mode, mtime, size } = entry.header
      budget.members -= 1
      if (budget.members < 0) throw new LeftOut('it has too many members')
      // tar-stream waits forever for the content of an entry without a size.
      if (!tarTypes.has(type) || !Number.isSafeInteger(size))
        throw new LeftOut('one of its members can’t be read')
      const to = scrubber.text(from)
      const texts = scrubber.json({ linkname, uname, gname })
      const header = { ...texts, name: to, type: type === 'contiguous-file' ? 'file' : type, mode, mtime }
      await scrubMember(entry as AsyncIterable<Buffer>, { from, to }, inner, (content) =>
        add({ ...header, size: content.size }, content),
      )
    }
    made.finalize()
    return await written
  } catch (error) {
    made.destroy()
    await written.then((source) => source.close()).catch(() => undefined)
    throw error instanceof LeftOut ? error : new LeftOut("it isn't a complete tar archive", { cause: error })
  }
}

/** A gzip file has one content and may have a name. */
export async function scrubGzip(source: ByteSource, name: string, context: ScrubContext) {
  const inner = deeper(context)
  const gunzip = createGunzip()
  pipeline(Readable.from(chunksOf(source)), gunzip, () => undefined)
  await using original = await unpack(readGzip(gunzip), inner)
  await using scrubbed = await context.scrub(original, name.replace(/\.(?:gz|tgz)$/i, ''), inner)
  const flags = (await source.read(3, 1))[0]
  if (scrubbed === original && flags === 0 && gunzip.bytesWritten === source.size) return source
  const gzip = createGzip()
  pipeline(Readable.from(chunksOf(scrubbed)), gzip, () => undefined)
  return await spool(context.tempFolder, gzip)
}

async function* readGzip(gunzip: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield* gunzip
  } catch (error) {
    throw new LeftOut("it isn't a complete gzip file", { cause: error })
  }
}

function deeper(context: ScrubContext): ScrubContext {
  if (context.depth >= maxDepth && context.scrubber.hasSecrets) {
    throw new LeftOut('it is an archive inside archives')
  }
  return { ...context, depth: context.depth + 1 }
}

function unpack(chunks: AsyncIterable<Buffer>, { tempFolder, budget }: ScrubContext): Promise<ByteSource> {
  return spool(tempFolder, withinBudget(chunks, budget))
}

async function* withinBudget(chunks: AsyncIterable<Buffer>, budget: ScrubContext['budget']) {
  for await (const chunk of chunks) {
    budget.bytes -= chunk.length
    if (budget.bytes < 0) throw new LeftOut('it unpacks to too many bytes')
    yield chunk
  }
}
