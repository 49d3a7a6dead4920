// The common part of all scrubbers: bytes in, scrubbed bytes out, chunk by chunk.
import type { Scrubber } from '../scrub/scrub.ts'
import { type ByteSource, chunksOf, Spool } from './byte-source.ts'

export interface Transform {
  push(chunk: Buffer): Buffer
  end(): Buffer
  /** Whether the output so far differs from the input. */
  readonly isChanged: boolean
}

export interface ScrubContext {
  scrubber: Scrubber
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
  signal?: AbortSignal
}

/** A content that can't be scrubbed, and why: it must not be kept. */
export class LeftOut extends Error {
  override name = 'LeftOut'
}

/** The text is latin1: one character per byte. */
export abstract class TextTransform implements Transform {
  abstract readonly isChanged: boolean
  protected abstract take(text: string): string
  protected abstract finish(): string

  push(chunk: Buffer): Buffer {
    return Buffer.from(this.take(chunk.toString('latin1')), 'latin1')
  }

  end(): Buffer {
    return Buffer.from(this.finish(), 'latin1')
  }
}

export function chain(first: Transform, second: Transform): Transform {
  return {
    push: (chunk) => second.push(first.push(chunk)),
    end: () => Buffer.concat([second.push(first.end()), second.end()]),
    get isChanged() {
      return first.isChanged || second.isChanged
    },
  }
}

const maxPasses = 5

/** Returns the source itself if nothing changes. */
export async function transform(
  source: ByteSource,
  make: () => Transform,
  context: ScrubContext,
): Promise<ByteSource> {
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

async function onePass(source: ByteSource, step: Transform, context: ScrubContext): Promise<ByteSource> {
  const spool = new Spool(context.tempFolder)
  let same = 0
  let isSpooled = false
  const take = async (scrubbed: Buffer) => {
    if (!step.isChanged) {
      same += scrubbed.length
      return
    }
    // Most files contain no secret and are never written: the unchanged beginning is copied now.
    if (!isSpooled) await spool.take(chunksOf(source, 0, same))
    isSpooled = true
    await spool.write(scrubbed)
  }
  try {
    for await (const chunk of chunksOf(source)) {
      context.signal?.throwIfAborted()
      await take(step.push(chunk))
    }
    await take(step.end())
    return step.isChanged ? await spool.finish() : source
  } catch (error) {
    await spool.discard()
    throw error
  }
}
