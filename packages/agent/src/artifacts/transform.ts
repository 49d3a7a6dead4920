// The common part of all scrubbers: bytes in, scrubbed bytes out, chunk by chunk.
import type { Scrubber } from '../scrub/scrub.ts'
import { type ByteSource, chunksOf, spool } from './byte-source.ts'

/** The text is latin1: one character per byte. */
export interface Transform {
  push(text: string): string
  end(): string
  /** Whether the output so far differs from the input. */
  readonly isChanged: boolean
}

export interface ScrubContext {
  scrubber: Scrubber
  /** For the members of archives. Returns the source itself if nothing changes. */
  scrub(source: ByteSource, name: string, context: ScrubContext): Promise<ByteSource>
  /** For scrubbed contents; the caller removes it. */
  tempFolder: string
  /** What may still be unpacked, over all archives of a file. */
  budget: { bytes: number; members: number }
  /** Archives around the content. */
  depth: number
  /** Inside a trace or report: its numbers are the test runner's, not the page's. */
  isTrace: boolean
  /** Messages about what was left out. */
  notes: string[]
  signal: AbortSignal | undefined
}

/** A content that can't be scrubbed, and why: it must not be kept. */
export class LeftOut extends Error {
  override name = 'LeftOut'
}

export function chain(first: Transform, second: Transform): Transform {
  return {
    push: (chunk) => second.push(first.push(chunk)),
    end: () => second.push(first.end()) + second.end(),
    get isChanged() {
      return first.isChanged || second.isChanged
    },
  }
}

const maxPasses = 5

/** Returns the source itself if nothing changes. */
export async function transform(source: ByteSource, make: () => Transform, context: ScrubContext) {
  let result = await onePass(source, make(), context)
  for (let pass = 1; result !== source && context.scrubber.canFormAnew; pass++) {
    const again = await onePass(result, make(), context)
    if (again === result) break
    await result.close()
    result = again
    if (pass === maxPasses) {
      await result.close()
      throw new LeftOut('masking creates new secrets in it again and again')
    }
  }
  return result
}

async function onePass(source: ByteSource, step: Transform, { tempFolder, signal }: ScrubContext) {
  const changed = await spool(tempFolder, changedBytes(source, step, signal))
  return step.isChanged ? changed : source
}

/** Nothing if nothing changes: most files contain no secret and are never written. */
async function* changedBytes(source: ByteSource, step: Transform, signal?: AbortSignal) {
  let same = 0
  let isCopied = false
  for await (const text of scrubbedTexts(source, step, signal)) {
    if (!step.isChanged) {
      same += text.length
      continue
    }
    if (!isCopied) yield* chunksOf(source, 0, same)
    isCopied = true
    yield Buffer.from(text, 'latin1')
  }
}

async function* scrubbedTexts(source: ByteSource, step: Transform, signal?: AbortSignal) {
  for await (const chunk of chunksOf(source)) {
    signal?.throwIfAborted()
    yield step.push(chunk.toString('latin1'))
  }
  yield step.end()
}
