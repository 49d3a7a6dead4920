// A download that resumes after a broken connection, for example when a slow reader let it go idle.
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'

/** In total, and in a row without a byte. */
const maxReopenings = 20
const maxFruitless = 3

/** `reopen` requests the rest from an offset. The stream fails unless it has exactly `length` bytes. */
export function resumedDownload(
  first: IncomingMessage,
  length: number,
  reopen: (from: number) => Promise<IncomingMessage>,
): Readable {
  let response = first
  let chunks = chunksOf(first)
  let seen = 0
  let reopened = 0
  let fruitless = 0

  async function next(isOver: () => boolean): Promise<Buffer | null> {
    for (;;) {
      const chunk = await chunks.next().catch(() => null)
      if (chunk?.done === false) {
        seen += chunk.value.length
        fruitless = 0
        if (seen > length) throw new Error(`The bucket sent more than ${length} bytes`)
        return chunk.value
      }
      if (seen === length || isOver()) return null
      if (++reopened > maxReopenings || ++fruitless > maxFruitless)
        throw new Error(`The bucket repeatedly closed the connection after ${seen} of ${length} bytes`)
      response = await reopen(seen)
      chunks = chunksOf(response)
    }
  }

  return new Readable({
    read() {
      next(() => this.destroyed).then(
        (chunk) => (this.destroyed ? response.destroy() : this.push(chunk)),
        (error: Error) => this.destroy(error),
      )
    },
    destroy(error, done) {
      response.destroy()
      done(error)
    },
  })
}

function chunksOf(response: IncomingMessage): AsyncIterator<Buffer> {
  return response[Symbol.asyncIterator]()
}
