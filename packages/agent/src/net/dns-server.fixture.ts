// A small real name server for tests, on one port of loopback over both UDP and TCP.
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { errorCode } from '@vedette/safeguards/errors'
import { type Answer, type DecodedPacket, decode, encode, type Packet, streamEncode } from 'dns-packet'

export interface Asked {
  query: DecodedPacket
  protocol: 'UDP' | 'TCP'
}

/** The reply to a query: packets, bytes, or null for none. */
export type DnsHandler = (asked: Asked) => (Packet | Buffer)[] | Packet | Buffer | null

const open: (() => Promise<void>)[] = []

export async function serveDns(handler: DnsHandler): Promise<{ port: number; asked: Asked[] }> {
  const asked: Asked[] = []
  const handle = (data: Buffer, protocol: Asked['protocol']) => {
    const query = { query: decode(data), protocol }
    asked.push(query)
    return [handler(query)].flat().filter((answer) => answer !== null)
  }
  const sockets = new Set<Socket>()
  const tcp = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('data', (data) => {
      const answers = handle(data.subarray(2), 'TCP')
      // In two chunks, so that a reader has to assemble messages.
      for (const answer of answers) {
        const bytes = Buffer.isBuffer(answer) ? answer : streamEncode(answer)
        socket.write(bytes.subarray(0, 1))
        socket.write(bytes.subarray(1))
      }
      if (answers.length === 0) socket.end()
    })
  })
  const { udp, port } = await bindBoth(tcp)
  udp.on('message', (data, { port, address }) => {
    for (const answer of handle(data, 'UDP')) {
      udp.send(Buffer.isBuffer(answer) ? answer : encode(answer), port, address)
    }
  })
  open.push(async () => {
    for (const socket of sockets) socket.destroy()
    udp.close()
    tcp.close()
    await Promise.all([once(udp, 'close'), once(tcp, 'close')])
  })
  return { port, asked }
}

/** The same port for TCP and UDP. Other programs may already use a port that is free for TCP. */
async function bindBoth(tcp: Server) {
  for (;;) {
    tcp.listen(0, '127.0.0.1')
    await once(tcp, 'listening')
    const { port } = tcp.address() as { port: number }
    const udp = createSocket('udp4').bind(port, '127.0.0.1')
    try {
      await once(udp, 'listening')
      return { udp, port }
    } catch (error) {
      if (errorCode(error) !== 'EADDRINUSE') throw error
      tcp.close()
      await once(tcp, 'close')
    }
  }
}

export async function closeDnsServers(): Promise<void> {
  for (const close of open.splice(0)) await close()
}

export function replyTo({ query }: Asked, answers: Answer[] = [], flags = 0): Packet {
  // 0x0180: recursion desired and available.
  return { type: 'response', id: query.id, flags: 0x0180 | flags, questions: query.questions, answers }
}
