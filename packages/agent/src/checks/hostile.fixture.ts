// Servers that misbehave on purpose, each in one way.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { elsewhere, expired, selfSigned } from '../net/certificates.fixture.ts'
import { listen } from '../net/listeners.fixture.ts'
import { silentPort } from '../net/silent-port.fixture.ts'

export interface Hostile {
  port: number
  /** Kept once somebody came. */
  met: Promise<unknown>
}

type Manner = (socket: Socket) => void

const head = 'HTTP/1.1 200 OK\r\n'
/** Again and again until the other side has had enough. */
const drip = (text: string) => (socket: Socket) => {
  const timer = setInterval(() => socket.write(text), 2)
  socket.once('close', () => clearInterval(timer))
}
const onFirstData = (answer: Manner) => (socket: Socket) => void socket.once('data', () => answer(socket))

const overTcp = {
  'accepts and sends nothing': () => {},
  'closes at once': (socket) => socket.end(),
  'resets at once': (socket) => socket.resetAndDestroy(),
  'resets when asked': onFirstData((socket) => socket.resetAndDestroy()),
  'replies with garbage': onFirstData((socket) => socket.end(Buffer.from('00ffdeadbeef0000ff', 'hex'))),
  'starts a response and resets': onFirstData((socket) =>
    socket.write(`${head}Content-Length: 99\r\n\r\nbegin`, () =>
      setImmediate(() => socket.resetAndDestroy()),
    ),
  ),
  'starts a response and stops': onFirstData((socket) =>
    socket.write(`${head}Content-Length: 99\r\n\r\nbegin`),
  ),
  'never ends its headers': onFirstData((socket) => {
    socket.write(head)
    drip(`X-${'x'.repeat(50)}: y\r\n`)(socket)
  }),
  'has a header of a megabyte': onFirstData((socket) =>
    socket.write(`${head}X: ${'x'.repeat(1_000_000)}\r\n`),
  ),
  'drips a body for ever': onFirstData((socket) => {
    socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`)
    drip('1\r\nx\r\n')(socket)
  }),
  'breaks its own framing': onFirstData((socket) =>
    socket.end(`${head}Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx`),
  ),
  'claims gzip that is none': onFirstData((socket) =>
    socket.end(`${head}Content-Encoding: gzip\r\nContent-Length: 4\r\n\r\nnope`),
  ),
} satisfies Record<string, Manner>

const overTls = {
  'has an expired certificate': expired,
  'has the certificate of another host': elsewhere,
  'has a self-signed certificate': selfSigned,
}

/** Whatever is asked, over UDP: nothing, too little, something else, a name that refers to itself. */
const overUdp = {
  'never replies': () => [],
  'replies with an empty datagram': () => [Buffer.alloc(0)],
  'replies with garbage': () => [Buffer.from('ffffffffffff', 'hex')],
  'replies to another question': (query) => [
    Buffer.concat([Buffer.from([(query[0] ?? 0) ^ 1]), query.subarray(1)]),
  ],
  'replies with a name that refers to itself': (query) => [
    Buffer.concat([
      query.subarray(0, 2),
      Buffer.from('818000010001000000 00c00c00010001'.replace(' ', ''), 'hex'),
    ]),
  ],
  'replies with half of a record': (query) => [
    Buffer.concat([query.subarray(0, 2), Buffer.from('8180', 'hex'), query.subarray(4, -3)]),
  ],
} satisfies Record<string, (query: Buffer) => Buffer[]>

const accepted = new Set<Socket>()

/** Connections of these servers that stand, seen from their side. */
export const openConnections = () => accepted.size

async function opened(server: Server): Promise<Hostile> {
  const met = once(server, 'connection')
  server.on('connection', (socket) => {
    accepted.add(socket)
    socket.once('close', () => accepted.delete(socket))
  })
  return { port: await listen(server), met }
}

export const hostileTcp: [string, () => Promise<Hostile>][] = [
  ...Object.entries<Manner>(overTcp).map(([name, manner]): [string, () => Promise<Hostile>] => [
    name,
    () => opened(createServer({ allowHalfOpen: true }, manner)),
  ]),
  [
    'never completes a connection',
    async () => ({ port: await silentPort('127.0.0.1'), met: Promise.resolve() }),
  ],
]

export const hostileTls: [string, () => Promise<Hostile>][] = Object.entries(overTls).map(
  ([name, options]) => [
    name,
    async () => {
      const server = createTlsServer(options, (socket) => void socket.on('error', () => {}))
      server.on('tlsClientError', () => {})
      return opened(server)
    },
  ],
)

const udpServers: (() => void)[] = []

export const hostileUdp: [string, () => Promise<Hostile>][] = Object.entries(overUdp).map(
  ([name, answers]) => [
    name,
    async () => {
      const server = createSocket('udp4')
      const met = once(server, 'message')
      server.on('message', (query, { port, address }) => {
        for (const answer of answers(query)) server.send(answer, port, address)
      })
      server.bind(0, '127.0.0.1')
      await once(server, 'listening')
      udpServers.push(() => server.close())
      return { port: server.address().port, met }
    },
  ],
)

export function closeUdpServers(): void {
  for (const close of udpServers.splice(0)) close()
}
