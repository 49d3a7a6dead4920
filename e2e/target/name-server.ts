// A name server whose records and errors are set while it runs, on one port over UDP and TCP.
import { createSocket, type RemoteInfo, type Socket as UdpSocket } from 'node:dgram'
import { createServer, type Socket } from 'node:net'
import { type Question, type RecordType, type ReturnCode, readQuestion, writeAnswer } from './dns-message.ts'
import { type Listener, listen, wait } from './listen.ts'

export interface Zone {
  /** By name and type, as in zone files. An unknown type gives an empty answer section, an unknown name NXDOMAIN. */
  names: Record<string, Partial<Record<RecordType, string[]>>>
  /** The response to every question instead; silence: none. */
  trouble?: ReturnCode | 'silence'
  delayMs?: number
}

export class NameServer {
  zone: Zone
  readonly #tcp: Listener
  readonly #udp: UdpSocket

  private constructor(zone: Zone, tcp: Listener, udp: UdpSocket) {
    this.zone = zone
    this.#tcp = tcp
    this.#udp = udp
  }

  /** Port 0 is any port that is free for both. */
  static async open(zone: Zone, port = 0): Promise<NameServer> {
    let server: NameServer | null = null
    const tcp = await listen(() => createServer((socket) => server?.serveStream(socket)), port)
    const udp = createSocket('udp4', (message, from) => server?.serveDatagram(message, from))
    const isBound = await new Promise<boolean>((resolve) => {
      udp.once('error', () => resolve(false))
      udp.bind(tcp.port, '127.0.0.1', () => resolve(true))
    })
    server = new NameServer(zone, tcp, udp)
    if (isBound) return server
    await tcp.close()
    if (port !== 0) throw new Error(`UDP port ${port} is in use`)
    return NameServer.open(zone)
  }

  get port(): number {
    return this.#tcp.port
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#udp.close(resolve))
    await this.#tcp.close()
  }

  private async serveDatagram(message: Buffer, from: RemoteInfo): Promise<void> {
    const reply = await replyTo(readQuestion(message), this.zone)
    if (reply) this.#udp.send(reply, from.port, from.address)
  }

  private serveStream(socket: Socket): void {
    let received = Buffer.alloc(0)
    socket.on('data', async (chunk) => {
      received = Buffer.concat([received, chunk])
      if (received.length < 2 || received.length < 2 + received.readUInt16BE(0)) return
      const reply = await replyTo(readQuestion(received.subarray(2)), this.zone)
      if (!reply) return
      const length = Buffer.alloc(2)
      length.writeUInt16BE(reply.length)
      socket.end(Buffer.concat([length, reply]))
    })
  }
}

async function replyTo(question: Question, zone: Zone): Promise<Buffer | null> {
  const { names, trouble, delayMs } = zone
  if (trouble === 'silence') return null
  await wait(delayMs)
  if (trouble) return writeAnswer(question, trouble, [])
  const known = names[question.name]
  if (!known) return writeAnswer(question, 'NXDOMAIN', [])
  return writeAnswer(question, 'NOERROR', (question.type && known[question.type]) ?? [])
}
