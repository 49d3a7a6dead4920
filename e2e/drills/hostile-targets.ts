// Two programs of the hostile drill, each in its own process: `healthy` responds at once, `hostile` misbehaves in the
// way its path names. Every byte they send is computed before the first request: they cost next to no CPU time.
// Argument: which of the two. Prints its port.
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'
import { gzipSync } from 'node:zlib'

const page = Buffer.from(
  `<!doctype html><title>page</title>${'<p>A paragraph of text.</p>\n'.repeat(7_500)}`.slice(0, 200_000),
)
const block = Buffer.alloc(1_000_000, 'x')
/** 100 MB of NUL in about 100 kB. */
const bomb = gzipSync(Buffer.alloc(100_000_000))
const dripMs = 1_000

const head = (...headers: string[]) =>
  `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n${headers.join('')}\r\n`

const manners: Record<string, (socket: Socket) => void> = {
  never: () => undefined,
  drip(socket) {
    socket.write(head('Content-Length: 100000\r\n'))
    const timer = setInterval(() => socket.write('x'), dripMs)
    socket.once('close', () => clearInterval(timer))
  },
  endless(socket) {
    socket.write(head('Connection: close\r\n'))
    const pump = () => {
      while (socket.writable && socket.write(block));
    }
    socket.on('drain', pump)
    pump()
  },
  bomb: (socket) =>
    socket.end(
      Buffer.concat([
        Buffer.from(head('Content-Encoding: gzip\r\n', `Content-Length: ${bomb.length}\r\n`)),
        bomb,
      ]),
    ),
  reset: (socket) => socket.write(`${head('Content-Length: 99\r\n')}begin`, () => socket.resetAndDestroy()),
  redirect: (socket) =>
    socket.end('HTTP/1.1 302 Found\r\nLocation: /redirect\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'),
}

function hostileServer(): Server {
  return createServer((socket) => {
    socket.on('error', () => undefined)
    socket.once('data', (request) => {
      const manner = /^\w+ \/(\w+)/.exec(request.toString('latin1', 0, 100))?.[1] ?? ''
      if (Object.hasOwn(manners, manner)) manners[manner]?.(socket)
      else socket.destroy()
    })
  })
}

function healthyServer(): Server {
  return createHttpServer((request, response) => {
    const isPage = request.url?.startsWith('/page') === true
    response.setHeader('content-type', isPage ? 'text/html' : 'text/plain')
    response.end(isPage ? page : 'ok')
  })
}

const server = process.argv[2] === 'hostile' ? hostileServer() : healthyServer()
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  console.log(typeof address === 'object' ? address?.port : address)
})
