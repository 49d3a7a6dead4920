// Archives: each member is scrubbed like a file, including its name, and written to a new archive.
import { pipeline, Readable } from 'node:stream'
import { crc32, createGunzip, createGzip } from 'node:zlib'
import type { Scrubber } from '../scrub/scrub.ts'
import { type ByteSource, chunksOf, Spool } from './byte-source.ts'
import { isWholeSecret } from './json-values.ts'
import { LeftOut, type ScrubContext } from './transform.ts'
import { UniqueNames } from './unique-names.ts'
import { BadZip, memberChunks, packedRange, type ZipMember, zipMembers } from './zip-reader.ts'
import { ZipWriter } from './zip-writer.ts'

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
    const members = await zipMembers(source, context.budget.members)
    context.budget.members -= members.length
    if (members.some(({ name }) => /\.trace$/.test(name))) inner.isTrace = true
    const names = new UniqueNames()
    for (const member of members) {
      context.signal?.throwIfAborted()
      const name = names.take(memberName(member.name, context.scrubber))
      if (await moveMember(source, { ...member }, name, writer, inner, scrub)) isChanged = true
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

/** True if the member changed. */
async function moveMember(
  source: ByteSource,
  member: ZipMember,
  name: string,
  writer: ZipWriter,
  context: ScrubContext,
  scrub: ScrubContent,
): Promise<boolean> {
  const isRenamed = name !== member.name
  const content = new Spool(context.tempFolder)
  let scrubbed: ByteSource | null = null
  try {
    const seen = { isExact: true }
    let crc = 0
    for await (const chunk of memberChunks(source, member, seen)) {
      spend(context, chunk.length)
      crc = crc32(chunk, crc)
      await content.write(chunk)
    }
    if (crc !== member.crc || content.size !== member.bytes) throw new BadZip('a member is damaged')
    const original = await content.finish()
    scrubbed = await scrub(original, member.name, context)
    if (scrubbed === original && seen.isExact) {
      const { from, to } = await packedRange(source, member)
      await writer.copy({ ...member, name }, chunksOf(source, from, to))
      return isRenamed
    }
    await writer.add({ ...member, name }, scrubbed)
    return true
  } catch (error) {
    if (!(error instanceof LeftOut)) throw error
    context.notes.push(`${name} was left out of an archive: ${error.message}`)
    return true
  } finally {
    await scrubbed?.close()
    await content.discard()
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
    for await (const chunk of readGzip(gunzip)) {
      spend(inner, chunk.length)
      await content.write(chunk)
    }
    const original = await content.finish()
    scrubbed = await scrub(original, name.replace(/\.(?:gz|tgz)$/i, ''), inner)
    const flags = (await source.read(3, 1))[0]
    if (scrubbed === original && flags === 0 && gunzip.bytesWritten === source.size) return source
    const gzip = createGzip()
    pipeline(Readable.from(chunksOf(scrubbed)), gzip, () => undefined)
    for await (const chunk of gzip) await packed.write(chunk)
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

function spend({ budget }: ScrubContext, bytes: number): void {
  budget.bytes -= bytes
  if (budget.bytes < 0) throw new BadZip('it unpacks to too many bytes')
}
