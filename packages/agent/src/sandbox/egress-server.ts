// Egress of user code: the agent dials, by its network rules, and joins the connection to a socket file that the cell can open. It
// also resolves names, so that the address that is checked is the one that is dialed. Programs make one request per connection,
// to a socket file in the run directory of their cell. Requests are untrusted.
import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Failure } from '@vedette/contracts'
import { errorMessage } from '@vedette/safeguards/errors'
import { Semaphore } from '../core/semaphore.ts'
import { type DialContext, dial } from '../net/dial.ts'
import { isFailure } from '../net/failure.ts'
import { resolveHost } from '../net/resolve.ts'
import type { CellLimits, ConnectionFailure } from './cell.ts'
import { joinSockets } from './cell-programs/join-sockets.ts'
import { LineReader } from './line-reader.ts'

export type EgressLimits = Pick<CellLimits, 'maxOpenConnections' | 'maxConnections' | 'maxTransferredBytes'>

type Rules = Pick<DialContext, 'network' | 'lookup'>

const maxRequestBytes = 600
const maxFailures = 200
const requestTimeoutMs = 10_000
/** All cells share the agent's limit of open files. */
const maxConcurrentRequests = 512
const concurrentDials = 16
const unclaimedMs = 10_000

export interface EgressServer {
  failures: ConnectionFailure[]
  close(): void
}

export async function startEgressServer(
  folder: string,
  rules: Rules,
  limits: EgressLimits,
): Promise<EgressServer> {
  const egress = new Egress(folder, rules, limits)
  const open = new Set<Socket>()
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    open.add(socket)
    socket.setTimeout(requestTimeoutMs, () => socket.destroy())
    socket.on('error', () => socket.destroy())
    socket.on('close', () => open.delete(socket))
    const lines = new LineReader(maxRequestBytes)
    const onEnd = () => socket.destroy()
    socket.on('end', onEnd)
    socket.on('data', (chunk: Buffer) => {
      const [line] = lines.push(chunk)
      if (line === undefined && !lines.isTooLong) return
      socket.removeAllListeners('data').off('end', onEnd)
      socket.setTimeout(0)
      egress.respond(line ?? '').then((response) =>
        // Even if the other side keeps its half open.
        socket.end(`${response}\n`, () => socket.destroy()),
      )
    })
  })
  server.maxConnections = maxConcurrentRequests
  await listen(server, join(folder, 'egress'))
  return {
    failures: egress.failures,
    close() {
      egress.close()
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}

class Egress {
  readonly failures: ConnectionFailure[] = []
  readonly #folder: string
  readonly #rules: Rules
  readonly #limits: EgressLimits
  readonly #closing = new AbortController()
  readonly #dials = new Semaphore(concurrentDials)
  readonly #sockets = new Set<Socket>()
  readonly #servers = new Set<Server>()
  /** Connections that were reset, by the names of their socket files: a socket file only shows an end. */
  readonly #broken = new Set<string>()
  #requests = 0
  #names = 0
  #transferredBytes = 0

  constructor(folder: string, rules: Rules, limits: EgressLimits) {
    this.#folder = folder
    this.#rules = rules
    this.#limits = limits
  }

  async respond(line: string): Promise<string> {
    const ended = /^ended (?<name>s\d{1,9})$/.exec(line)?.groups?.name
    if (ended !== undefined) return this.#broken.has(ended) ? 'ok reset' : 'ok end'
    const request = parse(line)
    if (!request) return 'no EINVAL invalid request'
    const { host, family, port } = request
    try {
      const found = port === null ? await this.#resolve(host, family) : await this.#open(host, port, family)
      if (typeof found === 'string') return `ok ${found}`
      const { kind, message, code } = found
      if (port !== null && this.failures.length < maxFailures)
        this.failures.push({ host, port, kind, message, ...(code !== undefined && { code }) })
      return `no ${codeOf(found)} ${message.replaceAll(/\s+/g, ' ')}`
    } catch (error) {
      return `no EIO ${errorMessage(error).replaceAll(/\s+/g, ' ')}`
    }
  }

  close(): void {
    this.#closing.abort()
    for (const socket of this.#sockets) socket.destroy()
    for (const server of this.#servers) server.close()
    this.#servers.clear()
  }

  /** Returns the name of the socket file in the run's directory. */
  async #open(host: string, port: number, family: number): Promise<string | Failure> {
    const { maxOpenConnections } = this.#limits
    const excess = this.#count()
    if (excess) return excess
    if (this.#servers.size >= maxOpenConnections)
      return refusal(`more than ${maxOpenConnections} connections are open`)
    const socket = await this.#inTurn(family, async (ipFamily, signal) => {
      const context = { ...this.#rules, signal, monotonic: () => performance.now() }
      const dialled = await dial({ host, port, ipFamily }, context)
      return dialled.failure ?? dialled.socket
    })
    if (isFailure(socket)) return socket
    const name = `s${++this.#names}`
    await this.#join(socket, name)
    return name
  }

  /** Returns addresses, separated by commas. */
  async #resolve(host: string, family: number): Promise<string | Failure> {
    const excess = this.#count()
    if (excess) return excess
    const found = await this.#inTurn(family, (ipFamily, signal) =>
      resolveHost(host, ipFamily, signal, this.#rules.lookup),
    )
    if (isFailure(found)) return found
    const reasons = found.map((address) => this.#rules.network.refusalOf(address))
    const allowed = found.filter((_address, index) => reasons[index] === null)
    return allowed.length > 0 ? allowed.join(',') : refusal(`${host} resolves to ${reasons[0] ?? 'nothing'}`)
  }

  /** Counts lookups too: each is work for the agent. */
  #count(): Failure | null {
    const { maxConnections } = this.#limits
    this.#requests += 1
    return this.#requests > maxConnections
      ? refusal(`more than ${maxConnections} connections and lookups were made`)
      : null
  }

  /** If the program didn't choose a family: IPv4 first, then IPv6, as everywhere in the agent. */
  async #inTurn<T extends object>(
    family: number,
    attempt: (ipFamily: 'IPv4' | 'IPv6', signal: AbortSignal) => Promise<T | Failure>,
  ): Promise<T | Failure> {
    const { signal } = this.#closing
    const release = await this.#dials.acquire(signal)
    if (!release) return refusal('the script has ended')
    try {
      const first = await attempt(family === 6 ? 'IPv6' : 'IPv4', signal)
      if (family !== 0 || !isFailure(first) || first.kind === 'blocked') return first
      const second = await attempt('IPv6', signal)
      return isFailure(second) ? first : second
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
    const listening = listen(server, join(this.#folder, name))
    if (this.#closing.signal.aborted) this.close()
    return listening
  }

  #drop(server: Server, ...sockets: Socket[]): void {
    for (const socket of sockets) {
      socket.destroy()
      this.#sockets.delete(socket)
    }
    if (this.#servers.delete(server)) server.close()
  }
}

function parse(line: string): { host: string; family: number; port: number | null } | null {
  const groups =
    /^(?:open (?<of>[046]) (?<port>\d{1,5})|resolve (?<family>[046])) (?<host>[^\s]{1,255})$/.exec(
      line,
    )?.groups
  if (!groups) return null
  const port = groups.port === undefined ? null : Number(groups.port)
  if (port !== null && (port < 1 || port > 65_535)) return null
  return {
    host: (groups.host ?? '').replace(/^\[|\]$/g, ''),
    family: Number(groups.of ?? groups.family),
    port,
  }
}

/** The error code that Node would use. */
function codeOf({ kind, code }: Failure): string {
  if (kind === 'dns') return 'ENOTFOUND'
  if (kind === 'blocked') return 'BLOCKED'
  return code !== undefined && /^[A-Z0-9_]+$/.test(code) ? code : 'ECONNFAILED'
}

const refusal = (message: string): Failure => ({ kind: 'blocked', message, phase: 'connect', code: 'EACCES' })

function listen(server: Server, path: string): Promise<void> {
  return new Promise((settle, fail) => {
    server.once('error', fail)
    // The cell may be another user; the random name of the directory keeps others out.
    server.listen({ path, readableAll: true, writableAll: true }, settle)
  })
}
