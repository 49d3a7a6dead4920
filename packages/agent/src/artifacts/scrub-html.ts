// HTML pages, including the archive of results that a test runner's report contains in base64.
import { type ByteSource, chunksOf, spool } from './byte-source.ts'
import { TextScrub } from './scrub-text.ts'
import { type ScrubContext, transform } from './transform.ts'

const mark = 'data:application/zip;base64,'
const notBase64 = /[^A-Za-z0-9+/=]/g

export async function scrubHtml(source: ByteSource, context: ScrubContext): Promise<ByteSource> {
  const { tempFolder } = context
  const scrubText = (part: ByteSource) => transform(part, () => new TextScrub(context.scrubber), context)
  const archives = await embeddedArchives(source)
  if (archives.length === 0) return scrubText(source)
  let isChanged = false
  async function* scrubPart(
    chunks: AsyncIterable<Buffer>,
    scrub: (part: ByteSource) => Promise<ByteSource>,
  ): AsyncGenerator<Buffer> {
    await using part = await spool(tempFolder, chunks)
    await using scrubbed = await scrub(part)
    if (scrubbed !== part) isChanged = true
    yield* chunksOf(scrubbed)
  }
  const scrubArchive = (part: ByteSource) => context.scrub(part, 'report.zip', { ...context, isTrace: true })
  async function* scrubbedPage() {
    let doneTo = 0
    for (const { from, to } of archives) {
      yield* scrubPart(chunksOf(source, doneTo, from), scrubText)
      yield* encodeBase64(scrubPart(decodeBase64(chunksOf(source, from, to)), scrubArchive))
      doneTo = to
    }
    yield* scrubPart(chunksOf(source, doneTo), scrubText)
  }
  const page = await spool(tempFolder, scrubbedPage())
  if (isChanged) return page
  await page.close()
  return source
}

async function embeddedArchives(source: ByteSource) {
  const found: { from: number; to: number }[] = []
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

/** Each chunk but the last is a multiple of four bytes. */
async function* decodeBase64(chunks: AsyncIterable<Buffer>) {
  for await (const chunk of chunks) yield Buffer.from(chunk.toString('latin1'), 'base64')
}

async function* encodeBase64(chunks: AsyncIterable<Buffer>) {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    const all = Buffer.concat([rest, chunk])
    const whole = all.length - (all.length % 3)
    yield Buffer.from(all.toString('base64', 0, whole))
    rest = all.subarray(whole)
  }
  yield Buffer.from(rest.toString('base64'))
}
