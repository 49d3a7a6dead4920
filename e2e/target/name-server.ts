// A name server whose answers, silence and errors are set while it runs. The same port by UDP and by TCP.
import { createSocket, type RemoteInfo, type Socket as UdpSocket } from 'node:dgram'
import { createServer, type Socket } from 'node:net'
import { type Question, type RecordType, type ReturnCode, readQuestion, writeAnswer } from './dns-message.ts'
import { type Listener, listen, wait } from './listen.ts'

export interface Zone {
  /** Per name and type, as zone files have it. A name without a type answers nothing for it, an unknown one NXDOMAIN. */
  names: Record<string, Partial<Record<RecordType, string[]>>>
  /** What every question is answered with instead; silence: nothing at all. */
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

  /** Port 0 is any that is free for both. */
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
    if (port !== 0) throw new Error(`UDP port ${port} is taken`)
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
    const answer = await answerTo(readQuestion(message), this.zone)
    if (answer) this.#udp.send(answer, from.port, from.address)
  }

  private serveStream(socket: Socket): void {
    let heard = Buffer.alloc(0)
    socket.on('data', async (chunk) => {
      heard = Buffer.concat([heard, chunk])
      if (heard.length < 2 || heard.length < 2 + heard.readUInt16BE(0)) return
      const answer = await answerTo(readQuestion(heard.subarray(2)), this.zone)
      if (!answer) return
      const length = Buffer.alloc(2)
      length.writeUInt16BE(answer.length)
      socket.end(Buffer.concat([length, answer]))
    })
  }
}

async function answerTo(question: Question, zone: Zone): Promise<Buffer | null> {
  const { names, trouble, delayMs } = zone
  if (trouble === 'silence') return null
  await wait(delayMs)
  if (trouble) return writeAnswer(question, trouble, [])
  const known = names[question.name]
  if (!known) return writeAnswer(question, 'NXDOMAIN', [])
  return writeAnswer(question, 'NOERROR', (question.type && known[question.type]) ?? [])
}
