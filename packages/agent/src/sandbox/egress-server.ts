// Serves the connection requests of programs in a cell on a socket file in its run directory, one request per connection.
// Requests are untrusted.

import { createServer, type Server, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Failure } from '@vedette/contracts'
import { errorMessage } from '@vedette/safeguards/errors'
import type { DialContext } from '../net/dial.ts'
import { isFailure } from '../net/failure.ts'
import type { ConnectionFailure } from './cell.ts'
import { Egress, type EgressLimits } from './egress.ts'
import { LineReader } from './line-reader.ts'

const maxRequestBytes = 600
const maxFailures = 200
const requestTimeoutMs = 10_000
/** All cells share the agent's limit of open files. */
const maxConcurrentRequests = 512

export interface EgressServer {
  failures: ConnectionFailure[]
  close(): void
}

export async function startEgressServer(
  folder: string,
  rules: Pick<DialContext, 'network' | 'lookup'>,
  limits: EgressLimits,
): Promise<EgressServer> {
  const egress = new Egress(folder, rules, limits, 16)
  const failures: ConnectionFailure[] = []
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
      respond(egress, line ?? '', failures).then((response) =>
        // Even if the other side keeps its half open.
        socket.end(`${response}\n`, () => socket.destroy()),
      )
    })
  })
  server.maxConnections = maxConcurrentRequests
  await listen(server, join(folder, 'egress'))
  return {
    failures,
    close() {
      egress.close()
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}

async function respond(egress: Egress, line: string, failures: ConnectionFailure[]): Promise<string> {
  const ended = /^ended (?<name>s\d{1,9})$/.exec(line)?.groups?.name
  if (ended !== undefined) return egress.isBroken(ended) ? 'ok reset' : 'ok end'
  const request = parse(line)
  if (!request) return 'no EINVAL invalid request'
  const { host, family, port } = request
  try {
    const found = port === null ? await egress.resolve(host, family) : await egress.open(host, port, family)
    if (typeof found === 'string') return `ok ${found}`
    if (!isFailure(found)) return `ok ${found.join(',')}`
    if (port !== null && failures.length < maxFailures) failures.push({ host, port, ...describe(found) })
    return `no ${codeOf(found)} ${found.message.replaceAll(/\s+/g, ' ')}`
  } catch (error) {
    return `no EIO ${errorMessage(error).replaceAll(/\s+/g, ' ')}`
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

const describe = ({ kind, message, code }: Failure) => ({
  kind,
  message,
  ...(code !== undefined && { code }),
})

/** The error code that Node would use. */
function codeOf({ kind, code }: Failure): string {
  if (kind === 'dns') return 'ENOTFOUND'
  if (kind === 'blocked') return 'BLOCKED'
  return code !== undefined && /^[A-Z0-9_]+$/.test(code) ? code : 'ECONNFAILED'
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((settle, fail) => {
    server.once('error', fail)
    // The cell may be another user; the random name of the directory keeps others out.
    server.listen({ path, readableAll: true, writableAll: true }, settle)
  })
}
