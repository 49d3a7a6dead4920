// A download that goes on where it broke off: a connection that ends early, or that a slow reader let go idle, costs no file.
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'

/** With bytes in between, or without. */
const maxReopenings = 20
const maxInVain = 3

/** `reopen`: the rest, from this byte on. Fails with fewer or more bytes than `length`, and never ends well with them. */
export function resumedDownload(
  first: IncomingMessage,
  length: number,
  reopen: (from: number) => Promise<IncomingMessage>,
): Readable {
  let answer = first
  let chunks = chunksOf(first)
  let seen = 0
  let reopened = 0
  let inVain = 0

  async function next(isOver: () => boolean): Promise<Buffer | null> {
    for (;;) {
      const chunk = await chunks.next().catch(() => null)
      if (chunk?.done === false) {
        seen += chunk.value.length
        inVain = 0
        if (seen > length) throw new Error(`The bucket sent more than ${length} bytes`)
        return chunk.value
      }
      if (seen === length || isOver()) return null
      if (++reopened > maxReopenings || ++inVain > maxInVain)
        throw new Error(`The bucket broke off after ${seen} of ${length} bytes, again and again`)
      answer = await reopen(seen)
      chunks = chunksOf(answer)
    }
  }

  return new Readable({
    read() {
      next(() => this.destroyed).then(
        (chunk) => (this.destroyed ? answer.destroy() : this.push(chunk)),
        (error: Error) => this.destroy(error),
      )
    },
    destroy(error, done) {
      answer.destroy()
      done(error)
    },
  })
}

function chunksOf(answer: IncomingMessage): AsyncIterator<Buffer> {
  return answer[Symbol.asyncIterator]()
}
