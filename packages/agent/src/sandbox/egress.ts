// The way out for scripts: the agent dials for them, through its one door and by its rules, and joins the connection to a
// socket file that the child can open. Names are resolved here too, so what is checked is what is connected to.
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Failure } from '@vedette/contracts'
import { type DialContext, dial } from '../net/dial.ts'
import { isFailure } from '../net/failure.ts'
import { resolveHost } from '../net/resolve.ts'
import { joinSockets } from './cell-programs/join-sockets.ts'
import { Gate } from './gate.ts'

export interface EgressLimits {
  /** Connections at once, in all, and the bytes over all of them. */
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
  readonly #gate: Gate
  readonly #sockets = new Set<Socket>()
  readonly #servers = new Set<Server>()
  /** By the names of their socket files, which can not tell a reset from an end. */
  readonly #broken = new Set<string>()
  #asked = 0
  #names = 0
  #transferred = 0

  constructor(
    folder: string,
    rules: Pick<DialContext, 'network' | 'lookup'>,
    limits: EgressLimits,
    openingAtOnce = 2,
  ) {
    this.#gate = new Gate(openingAtOnce)
    this.#folder = folder
    this.#rules = { network: rules.network, ...(rules.lookup && { lookup: rules.lookup }) }
    this.#limits = limits
  }

  /** The name of the socket file in the run's folder. */
  async open(host: string, port: number, family: number): Promise<string | Failure> {
    const { maxOpenConnections } = this.#limits
    const excess = this.#count()
    if (excess) return excess
    if (this.#servers.size >= maxOpenConnections)
      return refused(`more than ${maxOpenConnections} connections are open`)
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
    return allowed.length > 0 ? allowed : refused(`${host} leads to ${reasons[0] ?? 'nothing'}`)
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

  /** Lookups too: each is work for the agent. */
  #count(): Failure | null {
    const { maxConnections } = this.#limits
    this.#asked += 1
    return this.#asked > maxConnections
      ? refused(`more than ${maxConnections} connections and lookups were made`)
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
    const leave = await this.#gate.enter(signal)
    if (!leave) return refused('the script has ended')
    try {
      return await act(signal)
    } finally {
      leave()
    }
  }

  #join(target: Socket, name: string): Promise<void> {
    this.#sockets.add(target)
    const server = createServer({ allowHalfOpen: true }, (inside) => {
      this.#sockets.add(inside)
      const end = () => this.#drop(server, inside, target)
      // It may have broken before anyone came for it.
      if (target.destroyed) return end()
      const measure = (chunk: Buffer) => {
        this.#transferred += chunk.length
        if (this.#transferred > this.#limits.maxTransferredBytes) this.close()
      }
      target.once('error', () => this.#broken.add(name))
      for (const socket of [inside, target]) socket.on('data', measure)
      joinSockets(inside, target, end)
    })
    server.maxConnections = 1
    this.#servers.add(server)
    // Nobody came for it: a program that gave up meanwhile.
    const giveUp = setTimeout(() => this.#drop(server, target), unclaimedMs).unref()
    server.once('connection', () => clearTimeout(giveUp))
    return new Promise((settle, fail) => {
      server.once('error', fail)
      // The child may be another user; the folder's name keeps others out.
      server.listen({ path: join(this.#folder, name), readableAll: true, writableAll: true }, settle)
      if (this.#closing.signal.aborted) this.close()
    })
  }

  #drop(server: Server, ...sockets: Socket[]): void {
    for (const socket of sockets) {
      socket.destroy()
      this.#sockets.delete(socket)
    }
    this.#release(server)
  }

  #release(server: Server): void {
    if (this.#servers.delete(server)) server.close()
  }
}

/** What the child did not choose is tried: IPv4 first, as everywhere in the agent. */
async function eitherFamily<T extends object>(
  family: number,
  attempt: (ipFamily: 'IPv4' | 'IPv6') => Promise<T | Failure>,
): Promise<T | Failure> {
  const first = await attempt(family === 6 ? 'IPv6' : 'IPv4')
  if (family !== 0 || !isFailure(first) || first.kind === 'blocked') return first
  const second = await attempt('IPv6')
  return isFailure(second) ? first : second
}

function refused(message: string): Failure {
  return { kind: 'blocked', message, phase: 'connect', code: 'EACCES' }
}
