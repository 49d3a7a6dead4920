// Egress for programs without the preload, such as browsers: a SOCKS 5 and HTTP CONNECT proxy on the cell's loopback, which
// requests each connection from the agent. Failures are refused in SOCKS, so that browsers show a network error instead of a
// page of the proxy.
import { connect, createServer, type Socket } from 'node:net'
import { joinSockets } from './join-sockets.ts'

export const relayPort = 61_080

export function startRelay(): Promise<void> {
  const server = createServer((client) => {
    client.on('error', () => client.destroy())
    client.once('data', (first: Buffer) => {
      client.pause()
      const serve = first[0] === 5 ? serveSocks : serveHttp
      serve(client, first).catch(() => client.destroy())
    })
  })
  return new Promise((settle, fail) => {
    server.once('error', fail)
    server.listen(relayPort, '127.0.0.1', settle)
  })
}

async function serveSocks(client: Socket, first: Buffer): Promise<void> {
  const greetingLength = (bytes: Buffer) => 2 + (bytes[1] ?? 0)
  const greeting = await readUntil(client, first, (bytes) => bytes.length >= greetingLength(bytes))
  client.write(Buffer.from([5, 0]))
  const rest = await readUntil(
    client,
    greeting.subarray(greetingLength(greeting)),
    (bytes) => bytes.length >= 5 && bytes.length >= requestLength(bytes),
  )
  const length = requestLength(rest)
  const port = rest.readUInt16BE(length - 2)
  try {
    if (rest[1] !== 1) throw Object.assign(new Error('only CONNECT is supported'), { code: 'ENOTSUP' })
    const target = await reach(hostOf(rest), port)
    client.write(Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]))
    join(client, target, rest.subarray(length))
  } catch (error) {
    client.end(Buffer.from([5, replyOf(error), 0, 1, 0, 0, 0, 0, 0, 0]))
  }
}

function requestLength(request: Buffer): number {
  const kind = request[3]
  const address = kind === 1 ? 4 : kind === 4 ? 16 : 1 + (request[4] ?? 0)
  return 4 + address + 2
}

function hostOf(request: Buffer): string {
  if (request[3] === 1) return [...request.subarray(4, 8)].join('.')
  if (request[3] === 3) return request.toString('latin1', 5, 5 + (request[4] ?? 0))
  const groups = Array.from({ length: 8 }, (_, index) => request.readUInt16BE(4 + index * 2).toString(16))
  return groups.join(':')
}

const replies: Record<string, number> = { ECONNREFUSED: 5, ENOTFOUND: 4, BLOCKED: 2 }

const replyOf = (error: unknown) =>
  (error instanceof Error && 'code' in error && replies[String(error.code)]) || 1

const maxHeadBytes = 64_000

/** For package managers and command-line tools: CONNECT, and one plain request per connection. */
async function serveHttp(client: Socket, first: Buffer): Promise<void> {
  const head = await readUntil(client, first, (bytes) => {
    if (bytes.length > maxHeadBytes) throw new Error('the headers are too long')
    return bytes.includes('\r\n\r\n')
  })
  const end = head.indexOf('\r\n\r\n')
  const [line = '', ...headers] = head.toString('latin1', 0, end).split('\r\n')
  const body = head.subarray(end + 4)
  const [method = '', address = '', version = ''] = line.split(' ')
  const url = new URL(method === 'CONNECT' ? `http://${address}` : address)
  try {
    const target = await reach(url.hostname.replace(/^\[|\]$/g, ''), Number(url.port || 80))
    if (method === 'CONNECT') {
      client.write('HTTP/1.1 200 Connection established\r\n\r\n')
      return join(client, target, body)
    }
    const kept = headers.filter((header) => !/^(proxy-|connection:)/i.test(header))
    const request = [`${method} ${url.pathname}${url.search} ${version}`, ...kept, 'Connection: close']
    target.write(`${request.join('\r\n')}\r\n\r\n`)
    join(client, target, body)
  } catch (error) {
    client.end(
      `HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n${error instanceof Error ? error.message : error}\n`,
    )
  }
}

async function readUntil(
  client: Socket,
  first: Buffer,
  isComplete: (bytes: Buffer) => boolean,
): Promise<Buffer> {
  let bytes = first
  while (!isComplete(bytes)) {
    const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
    const onEnd = () => reject(new Error('ended'))
    // Paused by the listener: otherwise a second chunk could be lost.
    client.once('end', onEnd).once('data', (chunk: Buffer) => {
      client.pause()
      resolve(chunk)
    })
    client.resume()
    bytes = Buffer.concat([bytes, await promise])
    client.off('end', onEnd)
  }
  return bytes
}

/** Through the preload of this process: loopback addresses inside the cell first, everything else through the agent. */
function reach(host: string, port: number): Promise<Socket> {
  return new Promise((settle, fail) => {
    const socket = connect({ host, port, allowHalfOpen: true })
    socket.once('connect', () => settle(socket))
    socket.once('error', fail)
  })
}

function join(client: Socket, target: Socket, first: Buffer): void {
  if (first.length > 0) target.write(first)
  joinSockets(client, target)
  client.resume()
}
