// HTML pages, including the archive of results that a test runner's report contains in base64.
import { type ByteSource, chunksOf, Spool } from './byte-source.ts'
import type { ScrubContent } from './scrub-archive.ts'
import { TextScrub } from './scrub-text.ts'
import { type ScrubContext, transform } from './transform.ts'

const mark = 'data:application/zip;base64,'
const notBase64 = /[^A-Za-z0-9+/=]/g

interface Range {
  from: number
  to: number
}

export async function scrubHtml(
  source: ByteSource,
  context: ScrubContext,
  scrub: ScrubContent,
): Promise<ByteSource> {
  const text = () => new TextScrub(context.scrubber)
  const archives = await embeddedArchives(source)
  if (archives.length === 0) return transform(source, text, context)
  const out = new Spool(context.tempFolder)
  let isChanged = false
  const move = async ({ from, to }: Range) => {
    const part = await copyRange(source, { from, to }, context, (chunk) => chunk)
    const scrubbed = await transform(part, text, context)
    if (scrubbed !== part) isChanged = true
    await out.take(chunksOf(scrubbed))
    await scrubbed.close()
    await part.close()
  }
  try {
    let doneTo = 0
    for (const { from, to } of archives) {
      await move({ from: doneTo, to: from })
      const archive = await copyRange(source, { from, to }, context, decodeBase64)
      const scrubbed = await scrub(archive, 'report.zip', { ...context, isTrace: true })
      const isSame = scrubbed === archive
      if (!isSame) isChanged = true
      await writeBase64(scrubbed, out)
      await scrubbed.close()
      if (!isSame) await archive.close()
      doneTo = to
    }
    await move({ from: doneTo, to: source.size })
    if (isChanged) return await out.finish()
    await out.discard()
    return source
  } catch (error) {
    await out.discard()
    throw error
  }
}

async function embeddedArchives(source: ByteSource): Promise<Range[]> {
  const found: Range[] = []
  let open: number | null = null
  let at = 0
  let before = ''
  for await (const chunk of chunksOf(source)) {
    const text = before + chunk.toString('latin1')
    const base = at - before.length
    at += chunk.length
    let from = 0
    before = ''
    for (;;) {
      if (open === null) {
        const marked = text.indexOf(mark, from)
        if (marked === -1) {
          before = text.slice(Math.max(from, text.length - mark.length + 1))
          break
        }
        from = marked + mark.length
        open = base + from
      }
      notBase64.lastIndex = from
      const end = notBase64.exec(text)?.index
      if (end === undefined) break
      found.push({ from: open, to: base + end })
      open = null
      from = end
    }
  }
  if (open !== null) found.push({ from: open, to: source.size })
  // The page's own script contains the marker too.
  return found.filter(({ from, to }) => to > from)
}

async function copyRange(
  source: ByteSource,
  { from, to }: Range,
  { tempFolder }: ScrubContext,
  read: (chunk: Buffer) => Buffer,
): Promise<ByteSource> {
  const spool = new Spool(tempFolder)
  for await (const chunk of chunksOf(source, from, to)) await spool.write(read(chunk))
  return spool.finish()
}

/** Each chunk but the last is a multiple of four bytes. */
const decodeBase64 = (chunk: Buffer) => Buffer.from(chunk.toString('latin1'), 'base64')

async function writeBase64(source: ByteSource, out: Spool): Promise<void> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunksOf(source)) {
    const all = Buffer.concat([rest, chunk])
    const whole = all.length - (all.length % 3)
    await out.write(Buffer.from(all.toString('base64', 0, whole)))
    rest = all.subarray(whole)
  }
  await out.write(Buffer.from(rest.toString('base64')))
}
