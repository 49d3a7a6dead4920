// Comes in: the bytes of a file or of a member of an archive. Goes out: the same without secrets and credentials. A content
// that can not be looked through is never passed on while there are secrets.

import { constants, inflateSync } from 'node:zlib'
import { errorCode } from '@vedette/safeguards/errors'
import type { ByteSource } from './byte-source.ts'
import type { JsonKind } from './json-values.ts'
import { scrubGzip, scrubZip } from './scrub-archive.ts'
import { scrubHtml } from './scrub-html.ts'
import { JpegScrub, PngScrub } from './scrub-image.ts'
import { JsonScrub, NotJson } from './scrub-json.ts'
import { TarScrub } from './scrub-tar.ts'
import { BytesScrub, TextScrub } from './scrub-text.ts'
import { type ContentKind, contentKind, sniffedBytes } from './sniff.ts'
import { inTurn, LeftOut, type ScrubContext, transformed } from './transform.ts'

/** The source itself if nothing of it needs to change; throws a LeftOut for what must not be kept. */
export async function scrubContent(
  source: ByteSource,
  name: string,
  context: ScrubContext,
): Promise<ByteSource> {
  if (source.size === 0) return source
  const { scrubber } = context
  const kind = contentKind(await source.read(0, sniffedBytes), name)
  if (kind === 'zip') return scrubZip(source, context, scrubContent)
  if (kind === 'html') return scrubHtml(source, context, scrubContent)
  if (kind === 'text') return transformed(source, () => new TextScrub(scrubber), context)
  if (kind === 'trace' || kind === 'json') return scrubJson(source, kind, context)
  return scrubber.hasSecrets ? scrubBinary(source, name, kind, context) : source
}

function scrubBinary(source: ByteSource, name: string, kind: ContentKind, context: ScrubContext) {
  const { scrubber } = context
  if (kind === 'sealed') throw new LeftOut('it is packed in a way that can not be looked through')
  if (kind === 'gzip') return scrubGzip(source, name, context, scrubContent)
  if (kind === 'tar') return transformed(source, () => new TarScrub(scrubber), context)
  if (kind === 'png') return transformed(source, () => new PngScrub(scrubber), context)
  if (kind === 'jpeg') return transformed(source, () => new JpegScrub(scrubber), context)
  const inPlace = () => new BytesScrub(scrubber.scan({ keepsLength: true }))
  if (kind === 'pdf') return lookIntoPdf(source, context).then(() => transformed(source, inPlace, context))
  return transformed(source, inPlace, context)
}

async function scrubJson(source: ByteSource, kind: 'trace' | 'json', context: ScrubContext) {
  const { scrubber } = context
  const jsonKind: JsonKind = kind === 'trace' ? 'trace' : context.isTrace ? 'report' : 'foreign'
  // Texts are scrubbed one by one; a secret that is itself a document reaches over several.
  const spans = () => new BytesScrub(scrubber.scan({ quoted: jsonKind !== 'foreign' }))
  try {
    return await transformed(source, () => inTurn(new JsonScrub(scrubber, jsonKind), spans()), context)
  } catch (error) {
    if (!(error instanceof NotJson)) throw error
    return transformed(source, () => new TextScrub(scrubber), context)
  }
}

const maxPdfBytes = 32 * 1024 * 1024
const maxStreamBytes = 16 * 1024 * 1024

/** Its packed parts can not be changed in place: a document with a secret in one of them is not kept. */
async function lookIntoPdf(source: ByteSource, { scrubber, budget }: ScrubContext): Promise<void> {
  if (source.size > maxPdfBytes) throw new LeftOut('it is too large to be looked through')
  const bytes = await source.read(0, source.size)
  for (let at = bytes.indexOf('stream'); at !== -1; at = bytes.indexOf('stream', at + 6)) {
    const from = bytes[at + 6] === 13 ? at + 8 : at + 7
    let part: Buffer
    try {
      const options = { maxOutputLength: maxStreamBytes, finishFlush: constants.Z_SYNC_FLUSH }
      part = inflateSync(bytes.subarray(from), options)
    } catch (error) {
      if (errorCode(error) === 'ERR_BUFFER_TOO_LARGE') {
        throw new LeftOut('a part of it is too large to be looked through')
      }
      continue
    }
    budget.bytes -= part.length
    if (budget.bytes < 0) throw new LeftOut('it unpacks to too much')
    const scan = scrubber.scan()
    scan.end(part.toString('latin1'))
    if (scan.found > 0) throw new LeftOut('a secret stands in it')
  }
}
