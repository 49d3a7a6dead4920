// Reads the body of a response: inflates it, keeps as much as is needed, counts the rest and lets it go. Up to
// `smallBodyBytes` nothing is waited for; beyond that, chunks are read in turns and kept bytes need reserved memory.
import type { IncomingMessage } from 'node:http'
import type { Transform } from 'node:stream'
import type { AgentWaits } from '../agent-waits.ts'
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
const maxMemoryWaitMs = 60_000

export class NoMemoryError extends Error {
  override name = 'NoMemoryError'
}

export function readBody(
  message: IncomingMessage,
  options: ReadBodyOptions,
  { received, done }: BodyEvents,
): BodyReader {
  const { maxBodyBytes, keepBytes, budget, waits, turns = sharedTurns } = options
  const chunks: Buffer[] = []
  let bodyBytes = 0
  let keptBytes = 0
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
    const kept = wanted.subarray(0, Math.max(0, keepBytes - keptBytes))
    if (kept.length > 0) chunks.push(kept)
    keptBytes += kept.length
    if (truncated) {
      received()
      return done(null)
    }
    if (keptBytes > reservedBytes && budget) waitForMemory(budget)
    else if (bodyBytes > smallBodyBytes) waitForTurn()
  }

  function waitForMemory(budget: BodyBudget) {
    const reserved = budget.reserve(keptBytes, mostBytes)
    reservedBytes = reserved.bytes
    if (!reserved.wait) return waitForTurn()
    const proceed = pause(true)
    const timer = setTimeout(() => {
      done(new NoMemoryError(`the agent had no memory for this body within ${maxMemoryWaitMs / 1000} s`))
    }, maxMemoryWaitMs)
    const clear = () => clearTimeout(timer)
    cleanUps.add(clear)
    reserved.wait.then(() => {
      clear()
      cleanUps.delete(clear)
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
      const body = chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks)
      chunks.length = 0
      return { body, bodyBytes, truncated }
    },
  }
}

/** What the response says about its length, where that is the length of what is kept. */
function declaredBytes(message: IncomingMessage, encoding: string): number | null {
  const length = Number(message.headers['content-length'] ?? Number.NaN)
  return encoding === '' && Number.isSafeInteger(length) ? length : null
}

export function closed(): Error {
  return Object.assign(new Error('closed'), { code: 'ECONNRESET' })
}
