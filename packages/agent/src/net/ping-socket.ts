// ICMP sockets, which Node has not. Linux only.
// Reading them ourselves gives what Node's datagrams lack: the reply's TTL and the ICMP errors of routers.
import {
  type CLibrary,
  closeOnExec,
  errorQueue,
  families,
  loadLibrary,
  nonBlocking,
  readError,
  receive,
  type SocketError,
  setNumber,
  sockDgram,
  socketAddress,
  sockRaw,
  watch,
} from './c-socket.ts'
import { type EchoFamily, echoTypes, withoutIpHeader } from './icmp-packet.ts'

export type PingSocketType = 'ping-socket' | 'raw-socket'

export interface Arrival {
  /** An ICMP message; of an error, the one of ours that it is about. */
  message: Buffer
  ttl: number | null
  /** What a router or the network said instead of a reply. */
  error: SocketError | null
}

export interface PingSocket {
  /** The system's name of what went wrong, or null. */
  send(message: Buffer): string | null
  close(): void
}

/**
 * Throws with the system's code (EACCES, EPERM, ENETUNREACH, …); whether a socket can be made at all: `address` null.
 * `ttl` null: as far as any packet goes.
 */
export async function openPingSocket(
  type: PingSocketType,
  family: EchoFamily,
  address: string | null,
  onArrival: (arrival: Arrival) => void,
  ttl: number | null = null,
): Promise<PingSocket> {
  const c = await loadLibrary()
  const ids = families[family]
  const kind = type === 'raw-socket' ? sockRaw : sockDgram
  const fd = c.must(c.socket(ids.domain, kind | nonBlocking | closeOnExec, protocols[family]), 'socket')
  let stopWatching = () => {}
  const close = () => {
    stopWatching()
    c.close(fd)
  }
  try {
    if (address !== null) {
      prepare(c, fd, type, family)
      if (ttl !== null) setNumber(c, fd, ids.level, ids.setTtl, ttl)
      const target = socketAddress(c, family, address)
      // Connected, the kernel keeps other hosts' messages from us.
      c.must(c.connect(fd, target, target.length), 'connect')
      const isHeaded = type === 'raw-socket' && family === 4
      stopWatching = watch(c, fd, () => drain(c, fd, family, isHeaded, onArrival))
    }
  } catch (error) {
    close()
    throw error
  }
  const send = (message: Buffer) => (c.send(fd, message, message.length, 0) < 0 ? c.error() : null)
  return { send, close }
}

const protocols = { 4: 1, 6: 58 } as const

function prepare(c: CLibrary, fd: number, type: PingSocketType, family: EchoFamily): void {
  const { level, receiveTtl, receiveErrors } = families[family]
  setNumber(c, fd, level, receiveTtl, 1)
  setNumber(c, fd, level, receiveErrors, 1)
  if (type !== 'raw-socket') return
  // A raw socket would get every ICMP message of the host; a set bit keeps that type out.
  const filter = Buffer.alloc(family === 4 ? 4 : 32, 0xff)
  const { reply } = echoTypes[family]
  filter[reply >> 3] = 0xff & ~(1 << (reply & 7))
  c.must(c.setOption(fd, family === 4 ? 255 : protocols[6], 1, filter, filter.length), 'setsockopt')
}

function drain(
  c: CLibrary,
  fd: number,
  family: EchoFamily,
  isHeaded: boolean,
  onArrival: (arrival: Arrival) => void,
): void {
  // A bound, so that a flood can not hold the loop: what is left calls again.
  for (let turn = 0; turn < 64; turn++) {
    const arrival = arrivalOf(c, fd, 0, family)
    // A pending error is told once in place of data; the queue below has its details.
    if (arrival)
      onArrival({ ...arrival, message: isHeaded ? withoutIpHeader(arrival.message) : arrival.message })
    const report = arrivalOf(c, fd, errorQueue, family)
    if (report) onArrival(report)
    if (!arrival && !report) return
  }
}

function arrivalOf(c: CLibrary, fd: number, flags: number, family: EchoFamily): Arrival | null {
  const received = receive(c, fd, flags)
  if (!received) return null
  const { level, ttl: ttlType, receiveErrors } = families[family]
  const found = (type: number) =>
    received.control.find((entry) => entry.level === level && entry.type === type)?.data
  const error = found(receiveErrors)
  return {
    message: received.message,
    ttl: found(ttlType)?.readInt32LE(0) ?? null,
    error: error ? readError(error) : null,
  }
}
