// One HTTP/1.1 request and its response over a connection that stands. Redirects are the caller's to follow.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Transform } from 'node:stream'
import type { Failure } from '@vedette/contracts'
import type { BodyBudget } from './body-budget.ts'
import { requestOver } from './dial.ts'
import { failureOf, failureOfAbort, type Phase } from './failure.ts'
import { decoderFor } from './http-decode.ts'
import type { HttpMarks } from './timings.ts'

export interface ExchangeRequest {
  method: string
  /** What stands in the request line: a path, or a whole URL for a proxy. */
  target: string
  headers: Record<string, string | string[]>
  body: Buffer | null
}

export interface ExchangeOptions {
  signal: AbortSignal
  monotonic(): number
  /** Who is spoken to, for failures. */
  address: string
  maxBodyBytes: number
  bodyBudget?: BodyBudget
  /** Asked once the head is there; a body nobody wants is not read. */
  wantsBody(head: ResponseHead): boolean
}

export interface ResponseHead {
  status: number
  statusText: string
  headers: IncomingHttpHeaders
}

export interface Exchanged {
  head: ResponseHead | null
  /** Decoded, and as far as it came. */
  body: Buffer
  /** There was more than we read. */
  truncated: boolean
  marks: Partial<Pick<HttpMarks, 'send' | 'response' | 'end'>>
  failure: Failure | null
}

const maxHeaderSize = 65_536

/** Takes the connection with it: afterwards it is closed, whatever happened. */
export function exchange(
  socket: Socket,
  request: ExchangeRequest,
  options: ExchangeOptions,
): Promise<Exchanged> {
  return new Promise((settle) => {
    const { signal, monotonic, address } = options
    const marks: Exchanged['marks'] = {}
    let phase: Phase = 'send'
    let head: ResponseHead | null = null
    let reader: BodyReader | null = null

    const onAbort = () => finish(failureOfAbort(signal, phase, address))
    const onError = (error: unknown) => finish(failureOf(error, phase, address))
    let isFinished = false
    function finish(failure: Failure | null) {
      if (isFinished) return
      isFinished = true
      if (!failure) marks.end = monotonic()
      signal.removeEventListener('abort', onAbort)
      reader?.stop()
      outgoing?.destroy()
      socket.destroy()
      const { body, truncated } = reader?.result() ?? { body: Buffer.alloc(0), truncated: false }
      settle({ head, body, truncated, marks, failure })
    }
    function receiveHead(message: IncomingMessage) {
      marks.response = monotonic()
      marks.send ??= marks.response
      phase = 'receive'
      head = {
        status: message.statusCode ?? 0,
        statusText: message.statusMessage ?? '',
        headers: message.headers,
      }
      return head
    }

    const outgoing = open(socket, request, onError)
    if (!outgoing) return
    outgoing.on('error', onError)
    if (signal.aborted) return onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    outgoing.once('finish', () => {
      marks.send ??= monotonic()
      if (phase === 'send') phase = 'wait'
    })
    outgoing.once('response', (message) => {
      if (!options.wantsBody(receiveHead(message))) return finish(null)
      reader = readBody(message, request.method, options, (error) => (error ? onError(error) : finish(null)))
    })
    outgoing.once('upgrade', (message) => {
      receiveHead(message)
      finish(null)
    })
    outgoing.once('close', () => {
      if (!head) onError(closed())
    })
    outgoing.end(request.body ?? undefined)
  })
}

/** Headers that can not be sent are told by an exception. */
function open(
  socket: Socket,
  { method, target, headers }: ExchangeRequest,
  onError: (error: unknown) => void,
) {
  try {
    return requestOver(socket, { method, path: target, headers, maxHeaderSize })
  } catch (error) {
    // Our caller's names are not there before it has the answer.
    queueMicrotask(() => onError(error))
    return null
  }
}

interface BodyReader {
  stop(): void
  result(): { body: Buffer; truncated: boolean }
}

function readBody(
  message: IncomingMessage,
  method: string,
  { maxBodyBytes, bodyBudget }: ExchangeOptions,
  done: (error: Error | null) => void,
): BodyReader {
  const chunks: Buffer[] = []
  let size = 0
  let truncated = false
  let decoder: Transform | null = null
  const encoding = method === 'HEAD' ? '' : (message.headers['content-encoding'] ?? '')

  function keep(chunk: Buffer) {
    if (truncated) return
    const room = maxBodyBytes - size
    truncated = chunk.length > room
    const kept = truncated ? chunk.subarray(0, room) : chunk
    chunks.push(kept)
    size += kept.length
    if (truncated) return done(null)
    const source = decoder ?? message
    const wait = bodyBudget?.take(kept.length)
    if (!wait) return
    source.pause()
    wait.then(() => source.resume())
  }
  function decode(chunk: Buffer) {
    if (!decoder) {
      decoder = decoderFor(encoding, chunk)
      if (!decoder) return keep(chunk)
      decoder.on('data', keep)
      decoder.once('end', () => done(null))
      decoder.on('error', done)
      decoder.on('drain', () => message.resume())
    }
    if (!decoder.write(chunk)) message.pause()
  }

  message.on('data', encoding === '' ? keep : decode)
  message.once('end', () => (decoder ? decoder.end() : done(null)))
  message.on('error', done)
  message.once('close', () => {
    if (!message.complete) done(closed())
  })
  return {
    stop: () => decoder?.destroy(),
    result: () => ({ body: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks), truncated }),
  }
}

function closed(): Error {
  return Object.assign(new Error('closed'), { code: 'ECONNRESET' })
}
