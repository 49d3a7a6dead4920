// Node's HTTP server, hardened against hostile clients: requests of one connection are handled one after another, so a
// client that pipelines without reading has at most one response in memory, and 100 Continue is sent only by the code that
// reads the body.
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import { ApiError } from '@vedette/contracts'
import type { FastifyInstance } from 'fastify'

/** With this many waiting requests, the connection is paused. */
const pausedAt = 32
/** Node parses all requests of a chunk (64 kB) at once. */
const maxPipelined = 1024

interface Connection {
  isBusy: boolean
  waiting: [IncomingMessage, ServerResponse][]
}

const expecting = new WeakMap<IncomingMessage, ServerResponse>()

/** Before the body is read: a sender with `Expect: 100-continue` waits for this. */
export function askForBody(request: IncomingMessage): void {
  expecting.get(request)?.writeContinue()
  expecting.delete(request)
}

export function createHttpServer(
  handler: RequestListener,
  options: { keepAliveTimeout?: number; requestTimeout?: number },
): Server {
  const connections = new WeakMap<Socket, Connection>()

  function accept(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    let connection = connections.get(socket)
    if (connection === undefined) {
      connection = { isBusy: false, waiting: [] }
      connections.set(socket, connection)
    }
    if (!connection.isBusy) {
      dispatch(connection, request, response)
      return
    }
    connection.waiting.push([request, response])
    if (connection.waiting.length > maxPipelined) socket.destroy()
    else if (connection.waiting.length >= pausedAt) socket.pause()
  }

  function dispatch(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    connection.isBusy = true
    response.once('close', () => {
      connection.isBusy = false
      if (socket.destroyed) connection.waiting.length = 0
      const next = connection.waiting.shift()
      if (next === undefined) return
      if (connection.waiting.length < pausedAt && socket.isPaused()) socket.resume()
      socket.setTimeout(0)
      dispatch(connection, ...next)
    })
    handler(request, response)
  }

  const server: Server = createServer(
    {
      // Other upgrades, such as h2c, stay ordinary requests.
      shouldUpgradeCallback: (request) => server.listenerCount('upgrade') > 0 && offersMqtt(request),
      // Long filters make long URLs.
      maxHeaderSize: 64 * 1024,
      // `refuseBadHeaders` checks it and responds in the form of other errors.
      requireHostHeader: false,
    },
    accept,
  )
  server.on('checkContinue', (request, response) => {
    expecting.set(request, response)
    accept(request, response)
  })
  server.on('checkExpectation', accept)
  if (options.keepAliveTimeout !== undefined) server.keepAliveTimeout = options.keepAliveTimeout
  if (options.requestTimeout !== undefined) server.requestTimeout = options.requestTimeout
  return server
}

function offersMqtt({ method, headers }: IncomingMessage): boolean {
  const protocols = headers['sec-websocket-protocol']?.split(',').map((name) => name.trim())
  return (
    method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket' && protocols?.includes('mqtt') === true
  )
}

/** Refuses headers that Node would refuse without a response body, or accept. */
export function refuseBadHeaders(app: FastifyInstance): void {
  app.addHook('onRequest', (request, _reply, done) => {
    const { rawHeaders, httpVersion, headers } = request.raw
    let hosts = 0
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = rawHeaders[index]
      if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
    }
    if (hosts > 1 || (hosts === 0 && httpVersion === '1.1')) {
      const message =
        hosts > 1 ? 'The request has more than one Host header.' : 'The request has no Host header.'
      return done(new ApiError('malformed_request', { message }))
    }
    const { expect } = headers
    if (expect !== undefined && expect.toLowerCase() !== '100-continue')
      return done(new ApiError('expectation_failed'))
    done()
  })
  app.addHook('preParsing', (request, _reply, payload, done) => {
    askForBody(request.raw)
    done(null, payload)
  })
}
