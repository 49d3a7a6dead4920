// Egress of user code: the agent dials, by its network rules, and joins the connection to a socket file that the child can
// open. It also resolves names, so that the address that is checked is the one that is dialed.
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Failure } from '@vedette/contracts'
import { Semaphore } from '../core/semaphore.ts'
import { type DialContext, dial } from '../net/dial.ts'
import { isFailure } from '../net/failure.ts'
import { resolveHost } from '../net/resolve.ts'
import { joinSockets } from './cell-programs/join-sockets.ts'

export interface EgressLimits {
  /** Concurrent connections, connections in total, and bytes over all of them. */
  maxOpenConnections: number
  maxConnections: number
  maxTransferredBytes: number
}

const unclaimedMs = 10_000

export class Egress {
  readonly #folder: string
  readonly #rules: Pick<DialContext, 'network' | 'lookup'>
  readonly #limits: EgressLimits
  readonly #closing = new AbortController()
  readonly #dials: Semaphore
  readonly #sockets = new Set<Socket>()
  readonly #servers = new Set<Server>()
  /** Connections that were reset, by the names of their socket files: a socket file only shows an end. */
  readonly #broken = new Set<string>()
  #requests = 0
  #names = 0
  #transferredBytes = 0

  constructor(
    folder: string,
    rules: Pick<DialContext, 'network' | 'lookup'>,
    limits: EgressLimits,
    concurrentDials: number,
  ) {
    this.#dials = new Semaphore(concurrentDials)
    this.#folder = folder
    this.#rules = { network: rules.network, ...(rules.lookup && { lookup: rules.lookup }) }
    this.#limits = limits
  }

  /** Returns the name of the socket file in the run's directory. */
  async open(host: string, port: number, family: number): Promise<string | Failure> {
    const { maxOpenConnections } = this.#limits
    const excess = this.#count()
    if (excess) return excess
    if (this.#servers.size >= maxOpenConnections)
      return refusal(`more than ${maxOpenConnections} connections are open`)
    const socket = await this.#dial(host, port, family)
    if (isFailure(socket)) return socket
    const name = `s${++this.#names}`
    await this.#join(socket, name)
    return name
  }

  async resolve(host: string, family: number): Promise<string[] | Failure> {
    const excess = this.#count()
    if (excess) return excess
    const found = await this.#inTurn((signal) =>
      eitherFamily(family, (ipFamily) => resolveHost(host, ipFamily, signal, this.#rules.lookup)),
    )
    if (isFailure(found)) return found
    const reasons = found.map((address) => this.#rules.network.refusalOf(address))
    const allowed = found.filter((_address, index) => reasons[index] === null)
    return allowed.length > 0 ? allowed : refusal(`${host} resolves to ${reasons[0] ?? 'nothing'}`)
  }

  isBroken(name: string): boolean {
    return this.#broken.has(name)
  }

  close(): void {
    this.#closing.abort()
    for (const socket of this.#sockets) socket.destroy()
    for (const server of this.#servers) server.close()
    this.#servers.clear()
  }

  /** Counts lookups too: each is work for the agent. */
  #count(): Failure | null {
    const { maxConnections } = this.#limits
    this.#requests += 1
    return this.#requests > maxConnections
      ? refusal(`more than ${maxConnections} connections and lookups were made`)
      : null
  }

  async #dial(host: string, port: number, family: number): Promise<Socket | Failure> {
    return this.#inTurn((signal) =>
      eitherFamily(family, async (ipFamily) => {
        const context = { ...this.#rules, signal, monotonic: () => performance.now() }
        const dialled = await dial({ host, port, ipFamily }, context)
        return dialled.failure ?? dialled.socket
      }),
    )
  }

  async #inTurn<T>(act: (signal: AbortSignal) => Promise<T | Failure>): Promise<T | Failure> {
    const { signal } = this.#closing
    const release = await this.#dials.acquire(signal)
    if (!release) return refusal('the script has ended')
    try {
      return await act(signal)
    } finally {
      release()
    }
  }

  #join(target: Socket, name: string): Promise<void> {
    this.#sockets.add(target)
    const server = createServer({ allowHalfOpen: true }, (inside) => {
      this.#sockets.add(inside)
      const end = () => this.#drop(server, inside, target)
      // It may have broken before the program connected.
      if (target.destroyed) return end()
      const measure = (chunk: Buffer) => {
        this.#transferredBytes += chunk.length
        if (this.#transferredBytes > this.#limits.maxTransferredBytes) this.close()
      }
      target.once('error', () => this.#broken.add(name))
      for (const socket of [inside, target]) socket.on('data', measure)
      joinSockets(inside, target, end)
    })
    server.maxConnections = 1
    this.#servers.add(server)
    // The program may have given up meanwhile.
    const giveUp = setTimeout(() => this.#drop(server, target), unclaimedMs).unref()
    server.once('connection', () => clearTimeout(giveUp))
    return new Promise((settle, fail) => {
      server.once('error', fail)
      // The child may be another user; the random name of the directory keeps others out.
      server.listen({ path: join(this.#folder, name), readableAll: true, writableAll: true }, settle)
      if (this.#closing.signal.aborted) this.close()
    })
  }

  #drop(server: Server, ...sockets: Socket[]): void {
    for (const socket of sockets) {
      socket.destroy()
      this.#sockets.delete(socket)
    }
    if (this.#servers.delete(server)) server.close()
  }
}

/** If the child didn't choose a family: IPv4 first, then IPv6, as everywhere in the agent. */
async function eitherFamily<T extends object>(
  family: number,
  attempt: (ipFamily: 'IPv4' | 'IPv6') => Promise<T | Failure>,
): Promise<T | Failure> {
  const first = await attempt(family === 6 ? 'IPv6' : 'IPv4')
  if (family !== 0 || !isFailure(first) || first.kind === 'blocked') return first
  const second = await attempt('IPv6')
  return isFailure(second) ? first : second
}

function refusal(message: string): Failure {
  return { kind: 'blocked', message, phase: 'connect', code: 'EACCES' }
}
