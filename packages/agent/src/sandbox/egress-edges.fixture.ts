// Servers that end, break off or wait where most do not, for what a connection through the egress must keep.
import { createHash } from 'node:crypto'
import { createServer as createHttpServer, type IncomingMessage } from 'node:http'
import { createServer, type Socket } from 'node:net'
import { listen } from '../net/listeners.fixture.ts'

export interface EdgeServers {
  ports: Record<'early' | 'cut' | 'big' | 'firstToEnd' | 'echo' | 'web', number>
  /** What the one that ends first received afterwards, by connection. */
  receivedAfterEnd: number[]
}

export const responseBytes = 20_000
export const bigBytes = 3_000_000

export async function startEdgeServers(): Promise<EdgeServers> {
  const receivedAfterEnd: number[] = []
  const ports = {
    early: await listen(createServer(respondEarly)),
    cut: await listen(createServer(cutOff)),
    big: await listen(createServer((socket) => void socket.resume().end(Buffer.alloc(bigBytes, 'b')))),
    firstToEnd: await listen(
      createServer({ allowHalfOpen: true }, (socket) => {
        let received = 0
        socket.on('data', ({ length }) => {
          received += length
        })
        socket.on('end', () => receivedAfterEnd.push(received))
        socket.end('goodbye')
      }),
    ),
    echo: await listen(createServer((socket) => socket.pipe(socket))),
    web: await listen(createHttpServer(serveWeb).on('upgrade', echoFrames)),
  }
  return { ports, receivedAfterEnd }
}

/**
 * Responds to the beginning of a request, reads more of it, and resets the connection before its end, but only after the
 * response was read: a reset discards unread bytes of a direct connection too.
 */
function respondEarly(socket: Socket): void {
  let hasResponded = false
  socket.on('data', (chunk) => {
    if (!hasResponded) socket.write(Buffer.alloc(responseBytes, 'a'))
    hasResponded = true
    if (chunk.includes('r')) socket.resetAndDestroy()
  })
}

/** A response without a length; the connection breaks when the reader has received it. */
function cutOff(socket: Socket): void {
  socket.write(Buffer.alloc(responseBytes, 'c'))
  socket.on('data', () => socket.resetAndDestroy())
}

function serveWeb({ url }: IncomingMessage, response: import('node:http').ServerResponse): void {
  if (url === '/reset') response.socket?.resetAndDestroy()
  else if (url === '/big') response.end(Buffer.alloc(bigBytes, 'b'))
  else response.setHeader('content-type', 'text/html').end('<!doctype html><title>Edges</title>')
}

/** A WebSocket as far as short texts go. */
function echoFrames({ headers }: IncomingMessage, socket: import('node:stream').Duplex): void {
  const key = `${headers['sec-websocket-key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`
  const accept = createHash('sha1').update(key).digest('base64')
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  )
  socket.on('data', (frame: Buffer) => {
    if ((frame[0] ?? 0) !== 0x81) return void socket.end()
    const length = (frame[1] ?? 0) & 127
    const mask = frame.subarray(2, 6)
    const text = frame.subarray(6, 6 + length).map((byte, at) => byte ^ (mask[at % 4] ?? 0))
    socket.write(Buffer.concat([Buffer.from([0x81, length]), text]))
  })
}

/** A program that visits each, and says what it met: the same inside of a cell and outside, as itself or by SOCKS. */
export const edgeVisitor = (ports: EdgeServers['ports'], socksPort: number | null = null) => `
  import net from 'node:net'
  import { once } from 'node:events'
  const ports = ${JSON.stringify(ports)}
  const socksPort = ${socksPort}
  const open = async (port, options) => {
    const socket = net.connect({ host: '127.0.0.1', port: socksPort ?? port, ...options })
    if (socksPort === null) return socket
    for (const [sent, received] of [[[5, 1, 0], 2], [[5, 1, 0, 1, 127, 0, 0, 1, port >> 8, port & 255], 10]]) {
      socket.write(Buffer.from(sent))
      while (socket.read(received) === null) await once(socket, 'readable')
    }
    return socket
  }
  const outcome = (socket, onData = () => {}) => new Promise((settle) => {
    let received = 0
    let error = null
    let hasEnded = false
    socket.on('data', (chunk) => { received += chunk.length; onData(received) })
    socket.on('end', () => { hasEnded = true })
    socket.on('error', ({ code }) => { error = code })
    socket.on('close', () => settle({ received, error, hasEnded }))
    socket.resume()
  })
  const found = {}
  {
    const socket = await open(ports.early)
    const push = () => { while (!socket.destroyed && socket.write(Buffer.alloc(65_536))); }
    socket.on('drain', push)
    // One byte, for "read": it can't come in two parts.
    const ended = outcome(socket, (received) => received === ${responseBytes} && socket.write('r'))
    push()
    const { received, error } = await ended
    found.early = { received, isBroken: ['ECONNRESET', 'EPIPE'].includes(error) }
  }
  {
    const socket = await open(ports.cut)
    found.cut = await outcome(socket, (received) => received === ${responseBytes} && socket.write('seen'))
  }
  {
    const socket = await open(ports.big)
    found.slow = await outcome(socket, () => { socket.pause(); setTimeout(() => socket.resume(), 2) })
  }
  {
    const socket = await open(ports.firstToEnd, { allowHalfOpen: true })
    socket.on('end', () => socket.end(Buffer.alloc(100_000)))
    found.half = await outcome(socket)
  }
  found.many = (await Promise.all(Array.from({ length: 100 }, async (_, index) => {
    const socket = await open(ports.echo)
    socket.end(Buffer.alloc(10_000 + index))
    return (await outcome(socket)).received === 10_000 + index
  }))).filter(Boolean).length
  {
    const socket = new WebSocket('ws://127.0.0.1:' + ports.web)
    await once(socket, 'open')
    socket.send('ping')
    found.webSocket = (await once(socket, 'message'))[0].data
    socket.close()
  }
  console.log(JSON.stringify(found))
  process.exit()`
