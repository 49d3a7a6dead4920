// Live results of test sessions: MQTT over WebSocket on the port of the API. Clients follow the runs that they have started.
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import type { RateLimit, Role } from '@vedette/contracts'
import type { FastifyPluginAsync } from 'fastify'
import { type WebSocket, WebSocketServer } from 'ws'
import { addressBucket } from '../core/address-bucket.ts'
import type { Clock } from '../core/clock.ts'
import type { Log } from '../core/log.ts'
import { watchSuite } from '../dispatch/watch-suite.ts'
import { isStoreUnavailable, type Store } from '../storage/core/db.ts'
import { ConnectionCounts } from './connection-counts.ts'
import {
  type ConnectionLimits,
  defaultLimits,
  type LiveCaller,
  MqttConnection,
  refusals,
} from './mqtt-connection.ts'

export interface LiveDeps {
  store: Store
  clock: Clock
  log: Log
  keys: {
    find(
      rawKey: string,
      maxAgeMs?: number,
    ): Promise<{ keyId: string; roles: ReadonlyMap<string, Role> } | null>
  }
  limiter: { take(bucket: string, rule: RateLimit): { allowed: boolean } | Promise<{ allowed: boolean }> }
  /** Per minute: of a key, and of an address whose key is refused. */
  perKey: number
  perAddress: number
  /** Behind the proxies that the operator trusts. */
  addressOf(request: IncomingMessage): string
  isPageHost(host: string | undefined): boolean
  limits?: Partial<ConnectionLimits & LiveLimits>
}

interface LiveLimits {
  /** Of this process: with a key, by account; before CONNECT, by address. */
  maxPerAccount: number
  maxPerAddress: number
  maxConnections: number
}

const liveLimits: LiveLimits = { maxPerAccount: 100, maxPerAddress: 500, maxConnections: 2_000 }

/** Within five seconds of a change, as for other streams. */
const recheckMs = 3_000

export function liveResults(deps: LiveDeps): FastifyPluginAsync {
  const limits = { ...defaultLimits, ...liveLimits, ...deps.limits }
  const addresses = new ConnectionCounts(limits.maxPerAddress)
  const accounts = new ConnectionCounts(limits.maxPerAccount)
  const server = new WebSocketServer({
    noServer: true,
    // Clients send small packets only.
    maxPayload: limits.maxPacketBytes,
    perMessageDeflate: false,
    handleProtocols: () => 'mqtt',
  })
  const open = new Set<MqttConnection>()

  const authenticate = async (
    bucket: string,
    { accountId, key }: { accountId: string; key: string },
  ): Promise<LiveCaller | number> => {
    const take = async (name: string, limit: number) =>
      (await deps.limiter.take(name, { limit, seconds: 60 })).allowed
    const principal = await deps.keys.find(key)
    const id = accountId.toLowerCase()
    const role = principal?.roles.get(id)
    if (principal === null || role === undefined) {
      return (await take(bucket, deps.perAddress)) ? refusals.credentials : refusals.unavailable
    }
    if (!(await take(`key:${principal.keyId}`, deps.perKey))) return refusals.unavailable
    if (!accounts.enter(id)) return refusals.unavailable
    return {
      accountId: id,
      isStillAllowed: async () => (await deps.keys.find(key, recheckMs))?.roles.has(id) ?? false,
      leave: () => accounts.leave(id),
    }
  }

  const accept = (socket: WebSocket, bucket: string) => {
    const connection: MqttConnection = new MqttConnection(
      {
        authenticate: (credentials) => authenticate(bucket, credentials),
        watch: (suite, signal) => watchSuite({ db: deps.store.db, clock: deps.clock }, suite, signal),
        write: (bytes) =>
          new Promise((resolve, reject) => {
            socket.send(bytes, (error) => (error == null ? resolve() : reject(error)))
          }),
        close: () => closeSocket(socket),
        onError: (err) => {
          // The client connects again, and receives everything again.
          if (!isStoreUnavailable(err) && socket.readyState === socket.OPEN)
            deps.log.error({ err }, 'live.failed')
        },
      },
      limits,
    )
    open.add(connection)
    socket.on('message', (data) => connection.receive(bytesOf(data)))
    socket.on('error', () => connection.end())
    socket.on('close', () => {
      open.delete(connection)
      addresses.leave(bucket)
      connection.end()
    })
  }

  return async (app) => {
    app.server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => socket.destroy())
      if (deps.isPageHost(request.headers.host)) return refuse(socket, '404 Not Found')
      const bucket = addressBucket({ ip: deps.addressOf(request) })
      if (open.size >= limits.maxConnections || app.closing.aborted)
        return refuse(socket, '503 Service Unavailable')
      if (!addresses.enter(bucket)) return refuse(socket, '429 Too Many Requests')
      const before = () => addresses.leave(bucket)
      socket.once('close', before)
      server.handleUpgrade(request, socket, head, (accepted) => {
        socket.off('close', before)
        accept(accepted, bucket)
      })
    })
    app.addHook('preClose', async () => {
      for (const connection of open) connection.end()
    })
  }
}

function refuse(socket: Duplex, status: string): void {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`)
}

/** A client that doesn't answer the closing handshake is cut off. */
const closingMs = 2_000

function closeSocket(socket: WebSocket): void {
  // What it has not read yet would hold memory.
  if (socket.bufferedAmount > 0) {
    socket.terminate()
    return
  }
  socket.close()
  const timer = setTimeout(() => socket.terminate(), closingMs)
  socket.once('close', () => clearTimeout(timer))
}

function bytesOf(data: Buffer | ArrayBuffer | Buffer[]): Buffer {
  if (Buffer.isBuffer(data)) return data
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data)
}
