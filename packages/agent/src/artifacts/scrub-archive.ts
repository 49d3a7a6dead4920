// Archives: each member is scrubbed like a file, including its name, and written to a new archive.
import { pipeline, Readable } from 'node:stream'
import { createGunzip, createGzip } from 'node:zlib'
import { extract, pack } from 'tar-stream'
import type { Scrubber } from '../scrub/scrub.ts'
import { type ByteSource, chunksOf, Spool } from './byte-source.ts'
import { isWholeSecret } from './json-values.ts'
import { LeftOut, type ScrubContext } from './transform.ts'
import { UniqueNames } from './unique-names.ts'
import { BadZip, openZip, ZipWriter } from './zip-archive.ts'

const maxDepth = 2

/** Returns the source itself if nothing changes. */
export type ScrubContent = (source: ByteSource, name: string, context: ScrubContext) => Promise<ByteSource>

export async function scrubZip(
  source: ByteSource,
  context: ScrubContext,
  scrub: ScrubContent,
): Promise<ByteSource> {
  const inner = deeper(context)
  const writer = new ZipWriter(context.tempFolder)
  let isChanged = false
  try {
    const { members, read } = await openZip(source, context.budget.members)
    context.budget.members -= members.length
    if (members.some(({ fileName }) => fileName.endsWith('.trace'))) inner.isTrace = true
    const names = new UniqueNames()
    for (const member of members) {
      context.signal?.throwIfAborted()
      const name = names.take(memberName(member.fileName, context.scrubber))
      const isSame = await scrubMember(
        read(member),
        { from: member.fileName, to: name },
        inner,
        scrub,
        (content) => writer.add(name, content, member),
      )
      if (!isSame) isChanged = true
    }
    // Bytes between the members aren't scrubbed: with secrets, only the new archive is kept.
    if (isChanged || context.scrubber.hasSecrets) return await writer.finish()
  } catch (error) {
    await writer.discard()
    if (!(error instanceof BadZip)) throw error
    if (context.scrubber.hasSecrets) throw new LeftOut(error.message)
    return source
  }
  await writer.discard()
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

/** False if the member changed, or is left out. */
async function scrubMember(
  chunks: AsyncIterable<Buffer>,
  names: { from: string; to: string },
  context: ScrubContext,
  scrub: ScrubContent,
  keep: (content: ByteSource) => Promise<void>,
): Promise<boolean> {
  const content = new Spool(context.tempFolder)
  let scrubbed: ByteSource | null = null
  try {
    const original = await unpack(chunks, content, context)
    scrubbed = await scrub(original, names.from, context)
    await keep(scrubbed)
    return scrubbed === original && names.from === names.to
  } catch (error) {
    if (!(error instanceof LeftOut)) throw error
    context.notes.push(context.scrubber.text(`${names.to} was left out of an archive: ${error.message}`))
    return false
  } finally {
    await scrubbed?.close()
    await content.discard()
  }
}

const tarTypes: ReadonlySet<unknown> = new Set(['file', 'contiguous-file', 'directory', 'symlink', 'link'])

/** Always a new archive: bytes between the members aren't scrubbed. */
export async function scrubTar(
  source: ByteSource,
  context: ScrubContext,
  scrub: ScrubContent,
): Promise<ByteSource> {
  const inner = deeper(context)
  const { scrubber, budget } = context
  const out = new Spool(context.tempFolder)
  const made = pack()
  const written = out.take(made as AsyncIterable<Buffer>)
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
      // The library's types don't declare its chunks.
      await scrubMember(entry as AsyncIterable<Buffer>, { from, to }, inner, scrub, (content) =>
        add(
          {
            ...texts,
            name: to,
            type: type === 'contiguous-file' ? 'file' : type,
            mode,
            mtime,
            size: content.size,
          },
          content,
        ),
      )
    }
    made.finalize()
    await written
    return await out.finish()
  } catch (error) {
    made.destroy()
    await written.catch(() => undefined)
    await out.discard()
    const isOwn = error instanceof LeftOut || error instanceof BadZip
    throw new LeftOut(isOwn ? error.message : "it isn't a complete tar archive", { cause: error })
  }
}

/** A gzip file has one content and may have a name. */
export async function scrubGzip(
  source: ByteSource,
  name: string,
  context: ScrubContext,
  scrub: ScrubContent,
): Promise<ByteSource> {
  if (!context.scrubber.hasSecrets) return source
  const inner = deeper(context)
  const content = new Spool(context.tempFolder)
  const packed = new Spool(context.tempFolder)
  let scrubbed: ByteSource | null = null
  try {
    const gunzip = createGunzip()
    pipeline(Readable.from(chunksOf(source)), gunzip, () => undefined)
    const original = await unpack(readGzip(gunzip), content, inner)
    scrubbed = await scrub(original, name.replace(/\.(?:gz|tgz)$/i, ''), inner)
    const flags = (await source.read(3, 1))[0]
    if (scrubbed === original && flags === 0 && gunzip.bytesWritten === source.size) return source
    const gzip = createGzip()
    pipeline(Readable.from(chunksOf(scrubbed)), gzip, () => undefined)
    await packed.take(gzip)
    return await packed.finish()
  } catch (error) {
    await packed.discard()
    throw error instanceof BadZip ? new LeftOut(error.message) : error
  } finally {
    await scrubbed?.close()
    await content.discard()
  }
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

async function unpack(
  chunks: AsyncIterable<Buffer>,
  into: Spool,
  { budget }: ScrubContext,
): Promise<ByteSource> {
  for await (const chunk of chunks) {
    budget.bytes -= chunk.length
    if (budget.bytes < 0) throw new BadZip('it unpacks to too many bytes')
    await into.write(chunk)
  }
  return into.finish()
}
