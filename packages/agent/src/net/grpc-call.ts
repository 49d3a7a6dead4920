// Unary gRPC calls over a dialed connection. A status other than OK is a response, like an HTTP status. A failure means that
// the network failed or the server broke the protocol.
import type { ClientHttp2Stream, IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http2'
import type { Socket } from 'node:net'
import type { Failure } from '@vedette/contracts'
import type { AgentWaits } from '../core/agent-waits.ts'
import { type BodyBudget, smallBodyBytes } from './body-budget.ts'
import { http2Over } from './dial.ts'
import { connectionClosed, failureOf, failureOfAbort, type Phase } from './failure.ts'
import { type GrpcStatus, readStatus } from './grpc-status.ts'
import { maxMemoryWaitMs, noMemoryFor } from './read-body.ts'
import type { HttpMarks } from './timings.ts'

export interface GrpcConnectionOptions {
  /** The host and port that the user gave. */
  authority: string
  isTls: boolean
  userAgent: string
  /** Sent with every call. */
  metadata: OutgoingHttpHeaders
  signal: AbortSignal
  monotonic(): number
  /** The remaining time of the run, which is sent to the server as its deadline. */
  remainingMs(): number
  /** The server's IP address and port, for failures. */
  address: string
  bodyBudget?: BodyBudget
  waits: AgentWaits
}

export interface GrpcReply {
  headers: IncomingHttpHeaders | null
  trailers: IncomingHttpHeaders | null
  /** Null: there is a failure. */
  status: GrpcStatus | null
  /** Null: the server sent none, which only a status other than OK allows. */
  message: Buffer | null
  /** `end` doesn't include waits for the agent. */
  marks: Partial<Pick<HttpMarks, 'send' | 'response' | 'end'>>
  failure: Failure | null
}

export type GrpcConnection = ReturnType<typeof openGrpc>

/** What gRPC libraries accept unless they are configured otherwise. */
const maxMessageBytes = 4 * 1024 * 1024

/** More than this is treated as an attack. */
const maxInformationalHeaders = 20

export function openGrpc(socket: Socket, options: GrpcConnectionOptions) {
  const { address } = options
  const session = http2Over(socket)
  let isHttp2 = false
  let goawayCode: number | null = null
  let sessionFailure: Failure | null = null
  let onSessionFailure = (_: Failure) => {}

  function failSession(error: unknown) {
    sessionFailure ??= describeSessionError(error)
    onSessionFailure(sessionFailure)
  }
  function describeSessionError(error: unknown): Failure {
    const failure = failureOf(error, 'wait', address)
    return goawayFailure() ?? (failure.kind === 'protocol' && !isHttp2 ? notHttp2() : failure)
  }
  function describeStreamError(error: unknown, code: number, phase: Phase): Failure {
    if (code === 0) return failureOf(error, phase, address)
    const reset = `The server reset the stream (${http2ErrorName(code)}).`
    return goawayFailure() ?? (isHttp2 ? protocolFailure(reset, 'RST_STREAM', phase) : notHttp2())
  }
  function goawayFailure(): Failure | null {
    if (goawayCode === null || goawayCode === 0) return null
    const message = `The server ended the connection with GOAWAY (${http2ErrorName(goawayCode)}).`
    return protocolFailure(message, 'GOAWAY')
  }
  const notHttp2 = () =>
    protocolFailure(
      "The server doesn't speak HTTP/2, which gRPC needs. Check the port and whether it expects TLS.",
      'NOT_HTTP2',
    )
  const protocolFailure = (message: string, code: string, phase: Phase = 'wait'): Failure => {
    return { kind: 'protocol', message, phase, address, code }
  }

  session.once('remoteSettings', () => {
    isHttp2 = true
  })
  session.on('goaway', (code) => {
    goawayCode = code
  })
  session.on('error', failSession)
  session.once('close', () => failSession(connectionClosed()))
  // The settings refuse pushed streams; a server that pushes anyway breaks the protocol.
  session.on('stream', (stream) => stream.destroy())

  /** One call at a time. */
  function call(path: string, message: Uint8Array): Promise<GrpcReply> {
    const { signal, monotonic, waits } = options
    return new Promise((settle) => {
      const waitedBeforeMs = waits.totalMs
      const marks: GrpcReply['marks'] = {}
      const body = new MessageBody()
      let phase: Phase = 'send'
      let headers: IncomingHttpHeaders | null = null
      let trailers: IncomingHttpHeaders | null = null
      let informationalHeaders = 0
      let stopWaiting = () => {}
      let isFinished = false
      let stream: ClientHttp2Stream | null = null

      function finish(failure: Failure | null, status: GrpcStatus | null = null) {
        if (isFinished) return
        isFinished = true
        signal.removeEventListener('abort', onAbort)
        onSessionFailure = () => {}
        stopWaiting()
        if (!failure)
          marks.end = Math.max(marks.response ?? 0, monotonic() - (waits.totalMs - waitedBeforeMs))
        stream?.destroy()
        settle({ headers, trailers, status, message: failure ? null : body.take(), marks, failure })
      }
      const fail = (text: string, code: string) => finish(protocolFailure(text, code, phase))
      const onAbort = () => finish(failureOfAbort(signal, phase, address))

      function conclude() {
        const status = readStatus(trailers ?? {}) ?? readStatus(headers ?? {})
        if (!status) return fail('The server closed the stream without a gRPC status.', 'NO_GRPC_STATUS')
        if (status.code !== 0) return finish(null, status)
        if (!body.isComplete) return fail(body.shortage, 'INCOMPLETE_MESSAGE')
        finish(null, status)
      }

      /** Beyond a small message, memory is reserved for all of it before the rest is read. */
      function waitForMemory(bytes: number) {
        const { wait } = options.bodyBudget?.reserve(bytes, bytes) ?? { wait: null }
        if (!wait) return
        stream?.pause()
        const end = waits.begin()
        const timer = setTimeout(() => finish(noMemoryFor('message')), maxMemoryWaitMs)
        stopWaiting = () => {
          clearTimeout(timer)
          end()
        }
        wait.then(() => {
          stopWaiting()
          if (!isFinished) stream?.resume()
        })
      }

      if (signal.aborted) return onAbort()
      if (sessionFailure) return finish(sessionFailure)
      onSessionFailure = finish
      signal.addEventListener('abort', onAbort, { once: true })
      try {
        stream = session.request(requestHeaders(path, options), { endStream: false })
      } catch (error) {
        return finish(failureOf(error, phase, address))
      }
      stream.on('error', (error) => {
        // A session's error has the cause, but comes after those of its streams.
        setImmediate(() => finish(sessionFailure ?? describeStreamError(error, stream?.rstCode ?? 0, phase)))
      })
      stream.once('finish', () => {
        marks.send ??= monotonic()
        if (phase === 'send') phase = 'wait'
      })
      stream.on('headers', () => {
        informationalHeaders += 1
        if (informationalHeaders > maxInformationalHeaders)
          fail(`The server sent more than ${maxInformationalHeaders} informational headers.`, 'NOT_GRPC')
      })
      stream.once('response', (received) => {
        marks.response = monotonic()
        marks.send ??= marks.response
        phase = 'receive'
        headers = received
        const problem = problemOfHeaders(received)
        if (problem !== null) fail(problem, 'NOT_GRPC')
      })
      stream.once('trailers', (received) => {
        trailers = received
      })
      stream.on('data', (chunk: Buffer) => {
        if (isFinished) return
        const wasKnown = body.length !== null
        const problem = body.add(chunk)
        if (problem !== null) return fail(...problem)
        if (!wasKnown && body.length !== null && body.length > smallBodyBytes) waitForMemory(body.length)
      })
      stream.once('end', () => {
        // Trailers come before the end; an error of the session in the same read comes after it.
        setImmediate(() => (sessionFailure && !trailers ? finish(sessionFailure) : conclude()))
      })
      stream.once('close', () => setImmediate(() => (sessionFailure ? finish(sessionFailure) : conclude())))
      stream.end(frameOf(message))
    })
  }

  return {
    call,
    close() {
      session.destroy()
      socket.destroy()
    },
  }
}

function requestHeaders(path: string, options: GrpcConnectionOptions): OutgoingHttpHeaders {
  return {
    ':method': 'POST',
    ':scheme': options.isTls ? 'https' : 'http',
    ':path': path,
    ':authority': options.authority,
    te: 'trailers',
    'content-type': 'application/grpc',
    'user-agent': options.userAgent,
    'grpc-accept-encoding': 'identity',
    'grpc-timeout': `${Math.min(99_999_999, Math.max(1, Math.floor(options.remainingMs())))}m`,
    ...options.metadata,
  }
}

/** Length-prefixed, without compression. */
function frameOf(message: Uint8Array): Buffer {
  const frame = Buffer.alloc(5 + message.length)
  frame.writeUInt32BE(message.length, 1)
  frame.set(message, 5)
  return frame
}

function problemOfHeaders(headers: IncomingHttpHeaders): string | null {
  const status = headers[':status']
  const contentType = headers['content-type'] ?? ''
  if (Number(status) === 200 && /^application\/grpc\b/i.test(contentType)) return null
  const type = contentType === '' ? 'no content type' : `content type ${contentType.slice(0, 100)}`
  return `The response isn't gRPC: it has HTTP status ${status} and ${type}.`
}

/** Collects the length-prefixed message of a response. */
class MessageBody {
  /** Null: the prefix hasn't been received yet. */
  length: number | null = null
  #chunks: Buffer[] = []
  #received = 0

  /** Returns the problem and its code; null: none. */
  add(chunk: Buffer): [problem: string, code: string] | null {
    this.#chunks.push(chunk)
    this.#received += chunk.length
    if (this.length === null && this.#received >= 5) {
      const head = Buffer.concat(this.#chunks)
      if (head[0] === 1)
        return [
          "The response message is compressed, although the request didn't allow it.",
          'COMPRESSED_MESSAGE',
        ]
      if (head[0] !== 0) return ["The response isn't a gRPC message.", 'NOT_GRPC']
      this.length = head.readUInt32BE(1)
      this.#chunks = [head.subarray(5)]
    }
    if (this.length === null) return null
    if (this.length > maxMessageBytes) {
      const text = `The response message has ${this.length} bytes, more than the limit of ${maxMessageBytes}.`
      return [text, 'MESSAGE_TOO_LARGE']
    }
    if (this.#received <= 5 + this.length) return null
    const text = 'The server sent more than one response message. Only unary methods can be checked.'
    return [text, 'TOO_MANY_MESSAGES']
  }

  get isComplete(): boolean {
    return this.length !== null && this.#received === 5 + this.length
  }

  get shortage(): string {
    return this.#received === 0
      ? 'The server reported success without a response message.'
      : 'The response ended in the middle of its message.'
  }

  take(): Buffer | null {
    return this.isComplete ? Buffer.concat(this.#chunks) : null
  }
}

const http2Errors = [
  'NO_ERROR',
  'PROTOCOL_ERROR',
  'INTERNAL_ERROR',
  'FLOW_CONTROL_ERROR',
  'SETTINGS_TIMEOUT',
  'STREAM_CLOSED',
  'FRAME_SIZE_ERROR',
  'REFUSED_STREAM',
  'CANCEL',
  'COMPRESSION_ERROR',
  'CONNECT_ERROR',
  'ENHANCE_YOUR_CALM',
  'INADEQUATE_SECURITY',
  'HTTP_1_1_REQUIRED',
]

const http2ErrorName = (code: number) => http2Errors[code] ?? `error ${code}`
