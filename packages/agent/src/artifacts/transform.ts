// Bytes in, scrubbed bytes out, piece by piece: what every way of scrubbing a content has in common.
import type { Scrubber } from '../scrub/scrub.ts'
import { type ByteSource, chunksOf, Spool } from './byte-source.ts'

export interface Transform {
  push(chunk: Buffer): Buffer
  end(): Buffer
  /** Whether what was given out so far differs from what was taken in. */
  readonly isChanged: boolean
}

export interface ScrubContext {
  scrubber: Scrubber
  /** The agent's own, with room for what is scrubbed; whoever made it removes it. */
  tempFolder: string
  /** What is left to be unpacked, over all archives of a file. */
  budget: { bytes: number; members: number }
  /** Archives around the content. */
  depth: number
  /** Inside of a trace or report: its numbers are the test runner's, not the page's. */
  isTrace: boolean
  /** What was left out, in words; shown to people. */
  notes: string[]
  signal?: AbortSignal
}

/** A content that can not be scrubbed, and why: it must not be kept. */
export class LeftOut extends Error {
  override name = 'LeftOut'
}

/** Text of latin1: one character per byte. */
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

export function inTurn(first: Transform, second: Transform): Transform {
  return {
    push: (chunk) => second.push(first.push(chunk)),
    end: () => Buffer.concat([second.push(first.end()), second.end()]),
    get isChanged() {
      return first.isChanged || second.isChanged
    },
  }
}

const maxPasses = 5

/** The source itself if nothing of it was changed. */
export async function transformed(
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
      throw new LeftOut('a secret comes about in it again and again')
    }
  }
  return result
}

async function onePass(source: ByteSource, transform: Transform, context: ScrubContext): Promise<ByteSource> {
  const spool = new Spool(context.tempFolder)
  let same = 0
  let isSpooled = false
  const take = async (scrubbed: Buffer) => {
    if (!transform.isChanged) {
      same += scrubbed.length
      return
    }
    // Up to here it was the same: most files have no secret in them, and are never written.
    if (!isSpooled) for await (const chunk of chunksOf(source, 0, same)) await spool.write(chunk)
    isSpooled = true
    await spool.write(scrubbed)
  }
  try {
    for await (const chunk of chunksOf(source)) {
      context.signal?.throwIfAborted()
      await take(transform.push(chunk))
    }
    await take(transform.end())
    return transform.isChanged ? await spool.finish() : source
  } catch (error) {
    await spool.discard()
    throw error
  }
}
