/** Splits the output of an untrusted program into lines. The caller stops reading if a line becomes too long. */
export class LineReader {
  readonly #maxBytes: number
  #rest: Buffer[] = []
  #restBytes = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** The current line is longer than allowed. */
  get isTooLong(): boolean {
    return this.#restBytes > this.#maxBytes
  }

  /** The lines that this chunk completes. Lazily: if the caller stops iterating, the rest of the chunk is dropped. */
  *push(chunk: Buffer): Generator<string> {
    let from = 0
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      const line = Buffer.concat([...this.#rest, chunk.subarray(from, end)]).toString()
      this.#rest = []
      this.#restBytes = 0
      from = end + 1
      yield line
    }
    this.#rest.push(chunk.subarray(from))
    this.#restBytes += chunk.length - from
  }
}
