import { createServer as createHttpServer } from 'node:http'
import { constants, createServer, type ServerHttp2Stream } from 'node:http2'
import { createServer as createTcpServer } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { agentWaits } from '../core/agent-waits.ts'
import { dial } from './dial.ts'
import { isFailure } from './failure.ts'
import { type GrpcConnectionOptions, openGrpc } from './grpc-call.ts'
import { requestMetadata } from './grpc-metadata.ts'
import { reflectService } from './grpc-reflection.ts'
import { createSchemaThreads } from './grpc-schema-thread.ts'
import { greeterProto, startGreeter, stopGreeters } from './grpc-server.fixture.ts'
import { decodeHealthResponse, encodeHealthRequest, healthPath } from './grpc-wire.ts'
import { clock, closeListeners, listen, runContext, stoppable } from './listeners.fixture.ts'

afterEach(async () => {
  stopGreeters()
  await closeListeners()
})

const threads = createSchemaThreads({ threads: 1 })

async function open(port: number, over: Partial<GrpcConnectionOptions> = {}) {
  const context = runContext()
  const dialed = await dial(
    { host: '127.0.0.1', port, ipFamily: 'IPv4' },
    { ...context, monotonic: clock.monotonic },
  )
  if (dialed.failure) throw new Error(dialed.failure.message)
  const waits = agentWaits(clock.monotonic)
  const connection = openGrpc(dialed.socket, {
    authority: `127.0.0.1:${port}`,
    isTls: false,
    userAgent: 'Vedette/test',
    metadata: {},
    signal: context.signal,
    monotonic: clock.monotonic,
    remainingMs: () => 10_000,
    address: `127.0.0.1:${port}`,
    waits,
    ...over,
  })
  return { connection, waits, signal: context.signal }
}

describe('a gRPC call', () => {
  it('asks for the health of a server and of its services', async () => {
    const { port } = await startGreeter()
    const { connection } = await open(port)
    const overall = await connection.call(healthPath, encodeHealthRequest(''))
    expect(overall).toMatchObject({ failure: null, status: { code: 0 } })
    expect(decodeHealthResponse(overall.message ?? Buffer.alloc(0))).toBe(1)
    const down = await connection.call(healthPath, encodeHealthRequest('down'))
    expect(decodeHealthResponse(down.message ?? Buffer.alloc(0))).toBe(2)
    const unknown = await connection.call(healthPath, encodeHealthRequest('nowhere'))
    expect(unknown).toMatchObject({ failure: null, status: { code: 5 }, message: null })
    connection.close()
  })

  it('calls a method of a proto file', async () => {
    const { port, calls } = await startGreeter()
    const metadata = requestMetadata([
      { key: 'X-Token', value: 'abc' },
      { key: 'x-raw-bin', value: 'AQL/' },
    ])
    if ('kind' in metadata) throw new Error('invalid metadata')
    const { connection, waits, signal } = await open(port, { metadata })
    const schema = { proto: greeterProto }
    const method = 'greet.Greeter/Hello'
    const message = '{"person":{"firstName":"Ann","visits":"9007199254740993"},"at":"2026-01-02T03:04:05Z"}'
    const encoded = await threads.run({ kind: 'encode', schema, method, message }, { signal, waits })
    if (encoded.kind !== 'encode') throw new Error(JSON.stringify(encoded))
    const reply = await connection.call(encoded.path, encoded.bytes)
    expect(reply).toMatchObject({ failure: null, status: { code: 0 } })
    expect(reply.headers).toMatchObject({ 'x-header': 'first', 'x-blob-bin': 'AQL/' })
    expect(reply.trailers).toMatchObject({ 'x-trailer': 'last' })
    const bytes = reply.message ?? Buffer.alloc(0)
    const decoded = await threads.run({ kind: 'decode', schema, method, bytes }, { signal, waits })
    expect(decoded).toMatchObject({ kind: 'decode' })
    expect(JSON.parse('text' in decoded ? decoded.text : '')).toEqual({
      text: 'Hello Ann',
      mood: 'GOOD',
      visits: '9007199254740993',
      at: '2026-01-02T03:04:05Z',
    })
    expect(calls[0]?.getMap()).toMatchObject({
      'x-token': 'abc',
      'x-raw-bin': Buffer.from([1, 2, 255]),
      'user-agent': expect.stringContaining('Vedette/test'),
    })
    connection.close()
  })

  it.each(['both', 'v1alpha'] as const)('finds the definition by reflection (%s)', async (reflection) => {
    const { port } = await startGreeter({ reflection })
    const { connection, waits, signal } = await open(port)
    const reflected = await reflectService(connection, 'greet.Greeter')
    if (isFailure(reflected)) throw new Error(reflected.message)
    const schema = { files: reflected }
    const method = 'greet.Greeter/Hello'
    const encoded = await threads.run(
      { kind: 'encode', schema, method, message: '{"person":{"first_name":"Bo"}}' },
      { signal, waits },
    )
    expect(encoded).toMatchObject({
      kind: 'encode',
      path: '/greet.Greeter/Hello',
      methods: ['greet.Greeter/Hello', 'greet.Greeter/Watch'],
    })
    if (encoded.kind !== 'encode') return
    const reply = await connection.call(encoded.path, encoded.bytes)
    const bytes = reply.message ?? Buffer.alloc(0)
    const decoded = await threads.run({ kind: 'decode', schema, method, bytes }, { signal, waits })
    expect(JSON.parse('text' in decoded ? decoded.text : '')).toEqual({ text: 'Hello Bo', mood: 'GOOD' })
    connection.close()
  })
})

const grpcHeaders = { ':status': 200, 'content-type': 'application/grpc' }
const prefix = (length: number, flag = 0) => {
  const bytes = Buffer.alloc(5)
  bytes.writeUInt8(flag)
  bytes.writeUInt32BE(length, 1)
  return bytes
}

/** Responds with these bytes, then with these trailers. */
const respond =
  (body: Buffer, trailers: Record<string, string> = { 'grpc-status': '0' }) =>
  (stream: ServerHttp2Stream) => {
    stream.respond(grpcHeaders, { waitForTrailers: true })
    stream.on('wantTrailers', () => stream.sendTrailers(trailers))
    stream.end(body)
  }

const hostile: [string, string, RegExp, (stream: ServerHttp2Stream) => void][] = [
  [
    'sends a web page',
    'NOT_GRPC',
    /isn't gRPC: it has HTTP status 404 and content type text\/html/,
    (stream) => {
      stream.respond({ ':status': 404, 'content-type': 'text/html' })
      stream.end('<html>')
    },
  ],
  [
    'resets the stream',
    'RST_STREAM',
    /reset the stream \(INTERNAL_ERROR\)/,
    (stream) => stream.close(constants.NGHTTP2_INTERNAL_ERROR),
  ],
  [
    'sends GOAWAY',
    'GOAWAY',
    /GOAWAY \(ENHANCE_YOUR_CALM\)/,
    (stream) => stream.session?.goaway(constants.NGHTTP2_ENHANCE_YOUR_CALM),
  ],
  [
    'closes the stream without a status',
    'NO_GRPC_STATUS',
    /without a gRPC status/,
    (stream) => {
      stream.respond(grpcHeaders)
      stream.end(prefix(0))
    },
  ],
  ['reports success without a message', 'INCOMPLETE_MESSAGE', /without a response/, respond(Buffer.alloc(0))],
  ['cuts its message', 'INCOMPLETE_MESSAGE', /in the middle/, respond(Buffer.concat([prefix(9), prefix(0)]))],
  [
    'announces four gigabytes',
    'MESSAGE_TOO_LARGE',
    /has 4294967295 bytes, more than the limit of 4194304/,
    (stream) => {
      stream.respond(grpcHeaders)
      stream.write(prefix(0xffffffff))
    },
  ],
  [
    'sends messages without end',
    'TOO_MANY_MESSAGES',
    /more than one response message/,
    (stream) => {
      stream.on('error', () => {})
      stream.respond(grpcHeaders)
      const send = () => {
        while (!stream.destroyed && stream.write(prefix(0)));
        stream.once('drain', send)
      }
      send()
    },
  ],
  [
    'compresses',
    'COMPRESSED_MESSAGE',
    /is compressed/,
    respond(Buffer.concat([prefix(1, 1), Buffer.alloc(1)])),
  ],
  ['sends something else', 'NOT_GRPC', /isn't a gRPC message/, respond(Buffer.from('<html>'))],
  [
    'sends hundreds of trailers',
    'RST_STREAM',
    /reset the stream/,
    respond(prefix(0), Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`x-${index}`, 'y']))),
  ],
  [
    'sends informational headers without end',
    'NOT_GRPC',
    /more than 20 informational headers/,
    (stream) => {
      stream.on('error', () => {})
      const send = () => {
        if (stream.destroyed) return
        stream.additionalHeaders({ ':status': 103, link: '<a>' })
        setImmediate(send)
      }
      send()
    },
  ],
]

describe('a hostile server', () => {
  it.each(hostile)('that %s fails the call with %s', async (_, code, message, handle) => {
    const server = createServer()
    server.on('stream', (stream) => {
      stream.on('error', () => {})
      handle(stream)
    })
    server.on('session', (session) => session.on('error', () => {}))
    const port = await listen(server)
    const { connection } = await open(port)
    const { failure, status } = await connection.call('/a.B/C', Buffer.alloc(0))
    connection.close()
    expect(status).toBeNull()
    expect(failure).toMatchObject({ kind: 'protocol', code, address: `127.0.0.1:${port}` })
    expect(failure?.message).toMatch(message)
  })

  it('that speaks only HTTP/1.1 is distinguished from one that breaks the protocol', async () => {
    const port = await listen(createHttpServer((_, response) => response.end('hello')))
    const { connection } = await open(port)
    const { failure } = await connection.call('/a.B/C', Buffer.alloc(0))
    connection.close()
    expect(failure).toMatchObject({ kind: 'protocol', code: 'NOT_HTTP2' })
    expect(failure?.message).toContain("doesn't speak HTTP/2")
  })

  it('that closes the connection fails the call and every later one', async () => {
    const port = await listen(createTcpServer((socket) => socket.once('data', () => socket.destroy())))
    const { connection } = await open(port)
    const first = await connection.call('/a.B/C', Buffer.alloc(0))
    expect(first.failure).toMatchObject({ kind: 'connect', code: 'ECONNRESET' })
    expect((await connection.call('/a.B/C', Buffer.alloc(0))).failure).toMatchObject({ kind: 'connect' })
    connection.close()
  })

  it('that never responds fails at the time limit', async () => {
    const { signal, timeout } = stoppable()
    const { port, calls } = await startGreeter()
    const { connection } = await open(port, { signal })
    // HelloRequest with stay_silent.
    const calling = connection.call('/greet.Greeter/Hello', Buffer.from([0x20, 1]))
    await expect.poll(() => calls.length).toBe(1)
    timeout()
    expect((await calling).failure).toMatchObject({ kind: 'timeout', phase: 'wait', code: 'TIMEOUT' })
    connection.close()
  })
})

describe('a large message', () => {
  it('waits for memory, and the wait is not charged to the server', async () => {
    const { port } = await startGreeter({ rawBytes: 1_000_000 })
    let grant = () => {}
    const reserved: number[] = []
    const bodyBudget = {
      reserve(bytes: number) {
        reserved.push(bytes)
        const wait = new Promise<void>((resolve) => {
          grant = resolve
        })
        return { bytes, wait }
      },
    }
    const { connection, waits } = await open(port, { bodyBudget })
    const calling = connection.call('/greet.Greeter/Hello', Buffer.alloc(0))
    await expect.poll(() => reserved.length).toBe(1)
    let isWaiting = true
    const unwatch = waits.watch((now) => {
      isWaiting = now
    })
    grant()
    const { message, failure } = await calling
    unwatch()
    connection.close()
    expect(failure).toBeNull()
    expect(isWaiting).toBe(false)
    expect(waits.totalMs).toBeGreaterThan(0)
    expect(message?.length).toBe(reserved[0])
  })
})

describe('reflection', () => {
  it('explains what to do if the server has none', async () => {
    const { port } = await startGreeter({ reflection: 'none' })
    const { connection } = await open(port)
    const failure = await reflectService(connection, 'greet.Greeter')
    connection.close()
    expect(failure).toMatchObject({ message: expect.stringMatching(/doesn't offer reflection.*PROTO_FILE/) })
  })

  it('names the services that the server has', async () => {
    const { port } = await startGreeter()
    const { connection } = await open(port)
    const failure = await reflectService(connection, 'greet.Nobody')
    connection.close()
    expect(failure).toMatchObject({
      message: expect.stringMatching(/doesn't know the service greet\.Nobody.*greet\.Greeter/),
    })
  })
})
