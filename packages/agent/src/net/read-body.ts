// Reads the body of a response: inflates it, keeps as much as is needed and counts the rest. Up to `smallBodyBytes` it never
// waits; beyond that, chunks are read in turns and kept bytes need reserved memory.
import type { IncomingMessage } from 'node:http'
import type { Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw } from 'node:zlib'
import type { Failure } from '@vedette/contracts'
import type { AgentWaits } from '../core/agent-waits.ts'
import { type BodyBudget, smallBodyBytes } from './body-budget.ts'
import { connectionClosed } from './failure.ts'

export interface ReadBodyOptions {
  method: string
  /** The most that is read. */
  maxBodyBytes: number
  /** The most that is kept; the rest is only counted. */
  keepBytes: number
  budget: BodyBudget | null
  waits: AgentWaits
  turns?: ReadTurns
}

export interface ReadBody {
  body: Buffer
  /** Decoded, whether kept or not. */
  bodyBytes: number
  /** The body is larger than what was read. */
  truncated: boolean
}

export type BodyReader = ReturnType<typeof readBody>

interface BodyEvents {
  /** The last byte was received, or no more bytes are needed. Decoding may continue. */
  received(): void
  done(error: Error | Failure | null): void
}

/** Two chunks of at most 64 kB per turn of the event loop: about a millisecond. */
const sharedTurns = readTurns(2)

/** After this wait for memory the run ends with an internal error. */
export const maxMemoryWaitMs = 60_000

/** Text is compressed to a tenth, repetitive tables to a fiftieth. */
const maxInflation = 100
const minExplodedBytes = 1_000_000

export function noMemoryFor(subject: 'body' | 'message'): Failure {
  const message = `The agent had no memory for this ${subject} within ${maxMemoryWaitMs / 1000} s.`
  return { kind: 'internal', message, phase: 'receive', code: 'NO_BODY_MEMORY' }
}

export function readBody(message: IncomingMessage, options: ReadBodyOptions, { received, done }: BodyEvents) {
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
    const remaining = maxBodyBytes - bodyBytes
    truncated = chunk.length > remaining
    const wanted = truncated ? chunk.subarray(0, remaining) : chunk
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

  /** A decompression bomb. Nothing of the rest would be kept. */
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
    if (!reserved.wait) {
      kept.allocate(reserved.bytes)
      return waitForTurn()
    }
    const proceed = pause(true)
    const timer = setTimeout(() => done(noMemoryFor('body')), maxMemoryWaitMs)
    const clear = () => clearTimeout(timer)
    cleanUps.add(clear)
    reserved.wait.then(() => {
      clear()
      cleanUps.delete(clear)
      if (isStopped) return
      kept.allocate(reserved.bytes)
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
    // First in the queue, it doesn't wait: the next iteration of the event loop would read the next chunk anyway.
    proceed = pause(isBehindOthers)
  }

  /** Pauses the stream until the returned function is called. */
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
      decoder = createDecoder(encoding, chunk)
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
  message.on('end', () => {
    received()
    if (!decoder) return done(null)
    waitForDecoder()
    decoder.end()
  })
  message.on('error', done)
  message.on('close', () => {
    if (!message.complete) done(connectionClosed())
  })
  return {
    stop() {
      isStopped = true
      for (const cleanUp of cleanUps) cleanUp()
      decoder?.destroy()
    },
    result(): ReadBody {
      return { body: kept.take(), bodyBytes, truncated }
    },
  }
}

/**
 * The beginning of a body. Chunks of a large body are copied into one buffer as they arrive: joining them at the end would
 * block the event loop for 25 ms with the largest body.
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

/** Without a memory budget. */
const grow = (bytes: number, mostBytes: number) => ({ bytes: Math.min(mostBytes, bytes * 4), wait: null })

/** The content length; null if it isn't declared or the body is encoded. */
function declaredBytes(message: IncomingMessage, encoding: string): number | null {
  const length = Number(message.headers['content-length'] ?? Number.NaN)
  return encoding === '' && Number.isSafeInteger(length) ? length : null
}

/**
 * A job of the thread pool ends after `chunkSize` bytes of output, which takes a fraction of a millisecond. Up to
 * `writableHighWaterMark` bytes of input wait in memory before the network is slowed down.
 */
const decoderLimits = { chunkSize: 65_536, writableHighWaterMark: 262_144, readableHighWaterMark: 65_536 }

/** Null: an unknown encoding, which isn't decoded. */
function createDecoder(encoding: string, firstChunk: Buffer): Transform | null {
  switch (encoding.trim().toLowerCase()) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip(decoderLimits)
    case 'deflate':
      // Some servers omit zlib's header, whose low bits are 8.
      return ((firstChunk[0] ?? 0) & 0x0f) === 8
        ? createInflate(decoderLimits)
        : createInflateRaw(decoderLimits)
    case 'br':
      return createBrotliDecompress(decoderLimits)
    default:
      return null
  }
}

// Large bodies are read in turns, a limited number of chunks per iteration of the event loop, so that fast or highly
// compressed bodies don't block other runs.
export type ReadTurns = ReturnType<typeof readTurns>

export function readTurns(perTurn: number) {
  const queue = new Set<() => void>()
  let isScheduled = false
  const turn = () => {
    isScheduled = false
    let left = perTurn
    for (const proceed of queue) {
      if (left-- === 0) break
      queue.delete(proceed)
      proceed()
    }
    schedule()
  }
  const schedule = () => {
    if (isScheduled || queue.size === 0) return
    isScheduled = true
    setImmediate(turn)
  }
  return {
    /** Calls `proceed` in one of the next iterations. `isBehindOthers`: not in the next one. */
    wait(proceed: () => void) {
      const isBehindOthers = queue.size >= perTurn
      const entry = () => proceed()
      queue.add(entry)
      schedule()
      return { cancel: () => void queue.delete(entry), isBehindOthers }
    },
  }
}
