// ICMP sockets, with what Node's datagrams lack: the TTL of replies and the ICMP errors of routers. Linux only.
import { randomInt } from 'node:crypto'
import {
  type CFamily,
  CSocket,
  families,
  familyOf,
  openIpSocket,
  type SocketError,
  sockDgram,
  sockRaw,
} from './c-socket.ts'
import { systemError } from './failure.ts'
import {
  decodeIcmp,
  echoTypes,
  encodeEcho,
  type IcmpMessage,
  tokenSize,
  withoutIpHeader,
} from './icmp-packet.ts'

export type PingSocketType = 'ping-socket' | 'raw-socket'

const kinds = { 'ping-socket': sockDgram, 'raw-socket': sockRaw } as const
const protocols = { 4: 1, 6: 58 } as const

/** The reply to a request of ours, or the error that a router or the system reports instead. */
export interface Arrival {
  /** For an error, the request that it quotes. */
  icmp: IcmpMessage
  ttl: number | null
  error: SocketError | null
}

export type PingSocket = Awaited<ReturnType<typeof openPingSocket>>

/** Throws an error with the system's code: EACCES, EPERM. */
export async function tryPingSocket(type: PingSocketType, family: CFamily): Promise<void> {
  const socket = await CSocket.open([families[family].domain, kinds[type], protocols[family]], () => {})
  socket.close()
}

/**
 * Throws an error with the system's code (EACCES, EPERM, ENETUNREACH, …). `token` marks the requests. `ttl` null: the system's
 * default.
 */
export async function openPingSocket(
  type: PingSocketType,
  { address, token, ttl = null }: { address: string; token: Buffer; ttl?: number | null },
  onArrival: (arrival: Arrival) => void,
) {
  const family = familyOf(address)
  const id = randomInt(65_536)
  const isOurs = (icmp: IcmpMessage, error: SocketError | null) =>
    // Quoted messages may lack the token.
    error
      ? icmp.token.length < tokenSize || icmp.token.equals(token)
      : icmp.type === echoTypes[family].reply && icmp.token.equals(token)
  const receive = (message: Buffer, ttl: number | null, error: SocketError | null) => {
    const icmp = decodeIcmp(message)
    if (icmp && isOurs(icmp, error)) onArrival({ icmp, ttl, error })
  }
  const socket = await openIpSocket(family, [kinds[type], protocols[family]], ttl, (socket) => {
    socket.setOption(families[family].level, families[family].receiveTtl, 1)
    if (type === 'raw-socket') excludeOtherMessages(socket, family)
    // On a connected socket, the kernel drops messages of other hosts.
    const refused = socket.connect(socket.socketAddress(address))
    if (refused !== null) throw systemError(refused, `connect: ${refused}`)
    const hasIpHeader = type === 'raw-socket' && family === 4
    socket.watch(() => drain(socket, family, hasIpHeader, receive))
  })
  return {
    /** Returns the system's error code; null: sent. */
    send: (sequence: number) => socket.send(encodeEcho(family, { id, sequence, token })),
    close: () => socket.close(),
  }
}

/** Without a filter, a raw socket receives all ICMP messages of the host. A set bit excludes a type. */
function excludeOtherMessages(socket: CSocket, family: CFamily): void {
  const filter = Buffer.alloc(family === 4 ? 4 : 32, 0xff)
  const { reply } = echoTypes[family]
  filter[reply >> 3] = 0xff & ~(1 << (reply & 7))
  socket.setOption(family === 4 ? 255 : protocols[6], 1, filter)
}

function drain(
  socket: CSocket,
  family: CFamily,
  hasIpHeader: boolean,
  receive: (message: Buffer, ttl: number | null, error: SocketError | null) => void,
): void {
  const { level, ttl } = families[family]
  // Bounded, so that a flood cannot block the event loop. The rest triggers another call.
  for (let turn = 0; turn < 64; turn++) {
    const received = socket.receive(0)
    if (received) {
      const { message, control } = received
      const hops = control.find((entry) => entry.level === level && entry.type === ttl)?.data
      receive(hasIpHeader ? withoutIpHeader(message) : message, hops?.readInt32LE(0) ?? null, null)
    }
    // A pending error is returned once instead of data; the error queue has its details.
    const report = socket.receiveError(family)
    if (report) receive(report.message, null, report.error)
    if (!received && !report) return
  }
}
