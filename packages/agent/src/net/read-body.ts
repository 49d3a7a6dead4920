// Reads the body of a response: inflates it, keeps as much as is needed, counts the rest and lets it go. Up to
// `smallBodyBytes` nothing is waited for; beyond that, chunks are read in turns and kept bytes need reserved memory.
import type { IncomingMessage } from 'node:http'
import type { Transform } from 'node:stream'
import type { AgentWaits } from '../core/agent-waits.ts'
import { type BodyBudget, smallBodyBytes } from './body-budget.ts'
import { decoderFor } from './http-decode.ts'
import { type ReadTurns, readTurns } from './read-turns.ts'

export interface ReadBodyOptions {
  method: string
  /** More is not read. */
  maxBodyBytes: number
  /** As much is kept; the rest is only counted. */
  keepBytes: number
  budget: BodyBudget | null
  waits: AgentWaits
  turns?: ReadTurns
}

export interface ReadBody {
  body: Buffer
  /** Decoded, whether kept or not. */
  bodyBytes: number
  /** There was more than is read. */
  truncated: boolean
}

export interface BodyReader {
  stop(): void
  result(): ReadBody
}

export interface BodyEvents {
  /** The last byte has come from the network, or no more of them are wanted; decoding may still go on. */
  received(): void
  done(error: Error | null): void
}

/** Two chunks of at most 64 kB per turn of the event loop: about a millisecond. */
const sharedTurns = readTurns(2)

/** Memory that isn't available by then isn't going to be: the run ends with an error of the agent. */
export const maxMemoryWaitMs = 60_000

/** Texts are compressed to a tenth, tables of repeated lines to a fiftieth. */
const maxInflation = 100
const minExplodedBytes = 1_000_000

export class NoMemoryError extends Error {
  override name = 'NoMemoryError'
}

export function readBody(
  message: IncomingMessage,
  options: ReadBodyOptions,
  { received, done }: BodyEvents,
): BodyReader {
  const { maxBodyBytes, keepBytes, budget, waits, turns = sharedTurns } = options
  const kept = new KeptBytes()
  let bodyBytes = 0
  let receivedBytes = 0
  let reservedBytes = smallBodyBytes
  let truncated = false
  let decoder: Transform | null = null
  let isStopped = false
  const cleanUps = new Set<() => void>()
  const encoding = options.method === 'HEAD' ? '' : (message.headers['content-encoding'] ?? '')
  const mostBytes = Math.min(keepBytes, declaredBytes(message, encoding) ?? keepBytes)

  function keep(chunk: Buffer) {
    if (truncated || isStopped) return
    const room = maxBodyBytes - bodyBytes
    truncated = chunk.length > room
    const wanted = truncated ? chunk.subarray(0, room) : chunk
    bodyBytes += wanted.length
    kept.add(wanted.subarray(0, Math.max(0, keepBytes - kept.length)))
    if (truncated || isExploding()) {
      truncated = true
      received()
      return done(null)
    }
    if (kept.length > reservedBytes) waitForMemory()
    else if (bodyBytes > smallBodyBytes) waitForTurn()
  }

  /** Nothing of what would still come out of it is kept, and it isn't what any server sends by accident. */
  function isExploding(): boolean {
    return (
      decoder !== null &&
      bodyBytes > Math.max(keepBytes, minExplodedBytes) &&
      bodyBytes > receivedBytes * maxInflation
    )
  }

  function waitForMemory() {
    const reserved = budget?.reserve(kept.length, mostBytes) ?? grow(kept.length, mostBytes)
    reservedBytes = reserved.bytes
    const granted = () => kept.allocate(reserved.bytes)
    if (!reserved.wait) {
      granted()
      return waitForTurn()
    }
    const proceed = pause(true)
    const timer = setTimeout(() => {
      done(new NoMemoryError(`the agent had no memory for this body within ${maxMemoryWaitMs / 1000} s`))
    }, maxMemoryWaitMs)
    const clear = () => clearTimeout(timer)
    cleanUps.add(clear)
    reserved.wait.then(() => {
      clear()
      cleanUps.delete(clear)
      if (isStopped) return
      granted()
      proceed()
    })
  }

  function waitForTurn() {
    let proceed = () => {}
    const { cancel, isBehindOthers } = turns.wait(() => {
      cleanUps.delete(cancel)
      proceed()
    })
    cleanUps.add(cancel)
    // Without others in front it isn't a wait: the next turn of the event loop would read the next chunk anyway.
    proceed = pause(isBehindOthers)
  }

  /** Stops the stream of chunks until what is returned is called. */
  function pause(isCounted: boolean): () => void {
    const source = decoder ?? message
    source.pause()
    const end = isCounted ? waits.begin() : () => {}
    cleanUps.add(end)
    return () => {
      end()
      cleanUps.delete(end)
      if (!isStopped) source.resume()
    }
  }

  let endDecoderWait: (() => void) | null = null
  function decode(chunk: Buffer) {
    if (isStopped) return
    receivedBytes += chunk.length
    if (!decoder) {
      decoder = decoderFor(encoding, chunk)
      if (!decoder) return keep(chunk)
      decoder.on('data', keep)
      decoder.once('end', () => done(null))
      decoder.on('error', done)
      decoder.on('drain', () => {
        endDecoderWait?.()
        endDecoderWait = null
        if (!isStopped) message.resume()
      })
    }
    if (decoder.write(chunk)) return
    message.pause()
    waitForDecoder()
  }

  function waitForDecoder() {
    endDecoderWait ??= waits.begin()
    cleanUps.add(endDecoderWait)
  }

  message.on('data', encoding === '' ? keep : decode)
  message.once('end', () => {
    received()
    if (!decoder) return done(null)
    waitForDecoder()
    decoder.end()
  })
  message.on('error', done)
  message.once('close', () => {
    if (!message.complete) done(closed())
  })
  return {
    stop() {
      isStopped = true
      for (const cleanUp of cleanUps) cleanUp()
      decoder?.destroy()
    },
    result() {
      return { body: kept.take(), bodyBytes, truncated }
    },
  }
}

/**
 * The beginning of a body. Beyond a small one it is one piece of memory that chunks are copied into as they come: to
 * join them at the end would take 25 ms for the largest body, during which no other run is measured.
 */
class KeptBytes {
  length = 0
  #chunks: Buffer[] = []
  #whole: Buffer | null = null
  #copied = 0

  add(chunk: Buffer): void {
    if (chunk.length === 0) return
    this.length += chunk.length
    this.#chunks.push(chunk)
    if (this.#whole && this.length <= this.#whole.length) this.#copyTo(this.#whole)
  }

  allocate(bytes: number): void {
    const whole = Buffer.allocUnsafeSlow(bytes)
    this.#whole?.copy(whole, 0, 0, this.#copied)
    this.#whole = whole
    this.#copyTo(whole)
  }

  /** Empty afterwards. */
  take(): Buffer {
    if (this.#whole && this.length > this.#whole.length) this.allocate(this.length)
    const [only] = this.#chunks
    const joined = only && this.#chunks.length === 1 ? only : Buffer.concat(this.#chunks)
    const taken = this.#whole?.subarray(0, this.length) ?? joined
    this.#chunks = []
    this.#whole = null
    return taken
  }

  #copyTo(whole: Buffer): void {
    for (const chunk of this.#chunks) this.#copied += chunk.copy(whole, this.#copied)
    this.#chunks = []
  }
}

/** Where there is no limit for all bodies together. */
const grow = (bytes: number, mostBytes: number) => ({ bytes: Math.min(mostBytes, bytes * 4), wait: null })

/** What the response says about its length, where that is the length of what is kept. */
function declaredBytes(message: IncomingMessage, encoding: string): number | null {
  const length = Number(message.headers['content-length'] ?? Number.NaN)
  return encoding === '' && Number.isSafeInteger(length) ? length : null
}

export function closed(): Error {
  return Object.assign(new Error('closed'), { code: 'ECONNRESET' })
}
